/** The memory order and scope that modifiers specify for an access (sections 8.4 and 8.5 of PTX ISA 9.1). */
import type { Variant } from '../form.ts';
import { has } from '../variant.ts';
import type { MemoryOrder, MemoryScope } from '../steps/order.ts';

const semantics: Readonly<Record<string, MemoryOrder['semantics']>> = {
  '.relaxed': 'relaxed',
  '.acquire': 'acquire',
  '.release': 'release',
  '.acq_rel': 'acq_rel',
};

const scopes: Readonly<Record<string, MemoryScope>> = {
  '.cta': 'cta',
  '.cluster': 'cluster',
  '.gpu': 'gpu',
  '.gl': 'gpu',
  '.sys': 'sys',
};

/**
 * The memory order that the modifiers of an instruction specify; `usual` contains the defaults for omitted modifiers.
 */
export function orderOf(variant: Variant, usual: MemoryOrder): MemoryOrder {
  const written = Object.values(variant.modifiers);
  const named = <T>(meanings: Readonly<Record<string, T>>): T | undefined =>
    written.flatMap((word) => meanings[word] ?? []).at(0);
  return { semantics: named(semantics) ?? usual.semantics, scope: named(scopes) ?? usual.scope };
}

/**
 * The order of a load or store; null if it is weak. A volatile access counts as relaxed with the scope of the system,
 * except in local memory, which no other thread accesses.
 */
export function accessOrderOf(variant: Variant): MemoryOrder | null {
  if (has(variant, '.local')) return null;
  const system: MemoryOrder = { semantics: 'relaxed', scope: 'sys' };
  if (has(variant, '.volatile')) return system;
  const isStrong = Object.keys(semantics).some((word) => has(variant, word));
  return isStrong ? orderOf(variant, system) : null;
}
