/** cvta and isspacep (sections 9.7.9.20 and 9.7.9.19 of PTX ISA 9.1). */
import type { AvailabilityRow, Condition } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { write } from '../../operand-patterns.ts';
import { slotType } from '../../variant.ts';
import type { WindowSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, type VersionName } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needs, row } from '../availability-rows.ts';
import { bits, compare } from '../integer/steps.ts';
import { rankOf } from '../warp/cluster.ts';

const sizes: readonly TypeName[] = ['.u32', '.u64'];

const whenSpace = (...spaces: readonly string[]): Condition[] => spaces.map((space) => ({ modifiers: [space] }));

function spaceRows(
  rows: readonly (readonly [spaces: readonly string[], version: VersionName, sm: number])[],
): AvailabilityRow[] {
  return rows.flatMap(([spaces, version, sm]) =>
    whenSpace(...spaces).map((when) => needs(spaces.join(', '), when, at(version, sm))),
  );
}

const subQualifiers: readonly AvailabilityRow[] = spaceRows([
  [['.shared::cta'], '7.8', 20],
  [['.shared::cluster'], '7.8', 90],
  [['.param'], '7.7', 70],
  [['.param::entry'], '8.3', 70],
]);

const availability: readonly AvailabilityRow[] = [
  row('cvta', at('2.0', 20)),
  ...spaceRows([[['.const'], '3.1', 20]]),
  ...subQualifiers,
];

/** Plain `.shared` means `.shared::cta`, and plain `.param` means `.param::entry`. */
const windows: Readonly<Record<string, WindowSpace>> = {
  '.const': 'const',
  '.global': 'global',
  '.local': 'local',
  '.shared': 'shared',
  '.shared::cta': 'shared',
  '.shared::cluster': 'shared::cluster',
  '.param': 'param',
  '.param::entry': 'param',
};

function windowOf(variant: Variant): WindowSpace {
  const space = variant.modifiers['space'] ?? '';
  const window = windows[space];
  if (window === undefined) throw new Error(`there is no window named '${space}'`);
  return window;
}

function windowStep(direction: 'to-generic' | 'from-generic'): InstructionForm['steps'] {
  return (variant: Variant): readonly Step[] => [
    {
      kind: 'window',
      direction,
      space: windowOf(variant),
      width: slotType(variant, 0).width === 32 ? 32 : 64,
      to: '$p',
      from: '$a',
    },
  ];
}

/**
 * Tests whether a generic address lies in a window. The window of the parameters is part of the global window. The
 * shared memory of the thread's own block also has addresses in the window of the cluster.
 */
function liesIn(space: WindowSpace): readonly Step[] {
  const test = (to: Ref, window: WindowSpace): Step => ({ kind: 'in-window', space: window, to, from: '$a' });
  if (space === 'global')
    return [test('$plain', 'global'), test('$parameter', 'param'), bits('or', 1, '$p', '$plain', '$parameter')];
  if (space !== 'shared') return [test('$p', space)];
  return [
    test('$plain', 'shared'),
    test('$in-cluster', 'shared::cluster'),
    ...rankOf('$owner', '$a'),
    compare('eq', 'u32', '$is-mine', '$owner', '$CLUSTER.RANK'),
    bits('and', 1, '$is-mapped', '$in-cluster', '$is-mine'),
    bits('or', 1, '$p', '$plain', '$is-mapped'),
  ];
}

/** The forms of cvta, one per direction, and of isspacep. */
export const cvtaForms = (): readonly InstructionForm[] => [
  {
    id: 'cvta',
    section: '9.7.9.20',
    syntax: 'cvta.window.size  p, a',
    summary: 'Converts an address in a state space to a generic address.',
    sets: { size: sizes },
    regime: 'exact',
    availability,
    operands: [write('p', 0), { kind: 'window', name: 'a', type: 0, variables: true }],
    steps: windowStep('to-generic'),
  },
  {
    id: 'cvta.to',
    section: '9.7.9.20',
    syntax: 'cvta.to.window.size  p, a',
    summary:
      'Converts a generic address to an address in a state space; undefined for addresses outside the window of the space.',
    sets: { size: sizes },
    regime: 'exact',
    availability,
    operands: [write('p', 0), { kind: 'window', name: 'a', type: 0, variables: false }],
    steps: windowStep('from-generic'),
  },
  {
    id: 'isspacep',
    section: '9.7.9.19',
    syntax: 'isspacep.window  p, a',
    summary: 'Whether a generic address lies in the window of the space.',
    regime: 'exact',
    availability: [row('isspacep', at('2.0', 20)), ...spaceRows([[['.const'], '3.1', 20]]), ...subQualifiers],
    operands: [write('p', '.pred'), { kind: 'pointer', name: 'a' }],
    steps: (variant) => liesIn(windowOf(variant)),
  },
];
