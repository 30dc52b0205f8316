/** The state spaces that instructions access. */
import type { Variant } from '../form.ts';
import type { AccessSpace } from '../spaces.ts';

/** The space that each modifier stands for. */
export const spacesByModifier: Readonly<Record<string, AccessSpace>> = {
  '.const': 'const',
  '.global': 'global',
  '.local': 'local',
  '.param': 'param',
  '.param::entry': 'param',
  '.param::func': 'param',
  '.shared': 'shared',
  '.shared::cta': 'shared',
  '.shared::cluster': 'shared',
};

/** The space that the modifier `space` specifies. Without such a modifier, the address is generic. */
export function spaceOf({ modifiers }: Variant): AccessSpace {
  return spacesByModifier[modifiers['space'] ?? ''] ?? 'generic';
}
