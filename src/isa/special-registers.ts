/**
 * The predefined special registers (PTX ISA 9.1, chapter 10) with the type they read as. Those with `.x .y .z .w` are
 * vectors of that type.
 */
import type { AvailabilityRow } from './form.ts';
import { at, type Availability } from './targets.ts';
import type { TypeName } from './types.ts';

const scalars: Readonly<Record<string, TypeName>> = {
  '%laneid': '.u32',
  '%warpid': '.u32',
  '%nwarpid': '.u32',
  '%smid': '.u32',
  '%nsmid': '.u32',
  '%gridid': '.u64',
  '%is_explicit_cluster': '.pred',
  '%cluster_ctarank': '.u32',
  '%cluster_nctarank': '.u32',
  '%lanemask_eq': '.u32',
  '%lanemask_le': '.u32',
  '%lanemask_lt': '.u32',
  '%lanemask_ge': '.u32',
  '%lanemask_gt': '.u32',
  '%clock': '.u32',
  '%clock_hi': '.u32',
  '%clock64': '.u64',
  '%globaltimer': '.u64',
  '%globaltimer_lo': '.u32',
  '%globaltimer_hi': '.u32',
  '%reserved_smem_offset_begin': '.b32',
  '%reserved_smem_offset_end': '.b32',
  '%reserved_smem_offset_cap': '.b32',
  '%reserved_smem_offset_0': '.b32',
  '%reserved_smem_offset_1': '.b32',
  '%total_smem_size': '.u32',
  '%aggr_smem_size': '.u32',
  '%dynamic_smem_size': '.u32',
  '%current_graph_exec': '.u64',
};

const vectors: ReadonlySet<string> = new Set([
  '%tid',
  '%ntid',
  '%ctaid',
  '%nctaid',
  '%clusterid',
  '%nclusterid',
  '%cluster_ctaid',
  '%cluster_nctaid',
]);

const members: ReadonlySet<string> = new Set(['.x', '.y', '.z', '.w']);

/** Numbered families and how many there are. */
const families: readonly (readonly [pattern: RegExp, count: number, type: TypeName])[] = [
  [/^%pm(\d)$/, 8, '.u32'],
  [/^%pm(\d)_64$/, 8, '.u64'],
  [/^%envreg(\d+)$/, 32, '.b32'],
];

/** Those that came with a version or a target, by the beginning of their names; versions as ptxas 13.0 has them. */
const arrivals: readonly (readonly [pattern: RegExp, since: Availability])[] = [
  [/^%(laneid|warpid|smid|pm[0-3])$/, at('1.3')],
  [/^%(nwarpid|nsmid|lanemask_..|clock64)$/, at('2.0', 20)],
  [/^%pm[4-7]$/, at('3.0', 20)],
  [/^%globaltimer/, at('3.1', 30)],
  [/^%pm\d_64$/, at('4.0', 50)],
  [/^%(total|dynamic)_smem_size$/, at('4.1', 20)],
  [/^%clock_hi$/, at('5.0', 20)],
  [/^%reserved_smem_offset/, at('7.6', 80)],
  [/^%(n?clusterid|cluster_|is_explicit_cluster)/, at('7.8', 90)],
  [/^%current_graph_exec$/, at('8.0', 50)],
  [/^%aggr_smem_size$/, at('8.1', 90)],
];

const rows = new Map<string, AvailabilityRow | null>();

/** What a special register needs, by its name without `.x`; null where it has been there always. */
export function availabilityOfSpecial(name: string): AvailabilityRow | null {
  const known = rows.get(name);
  if (known !== undefined) return known;
  const since = arrivals.find(([pattern]) => pattern.test(name))?.[1];
  const row = since === undefined ? null : { subject: name, ways: [since] };
  rows.set(name, row);
  return row;
}

/** Once 16 bits wide, and still read so by 16-bit instructions; `%gridid` was 32 bits until it became 64. */
const chopped: ReadonlySet<string> = new Set(['%tid', '%ntid', '%ctaid', '%nctaid', '%gridid']);

/** The fewest bits an instruction may read of a special register, given by its name without `.x`. */
export function leastWidth(name: string): number | null {
  return chopped.has(name) ? 16 : null;
}

/** Type of a scalar special register; undefined where there is none of that name. */
export function specialRegister(name: string): TypeName | undefined {
  if (name.charCodeAt(0) !== 37) return undefined;
  const scalar = scalars[name];
  if (scalar !== undefined) return scalar;
  for (const [pattern, count, type] of families) {
    const found = pattern.exec(name)?.[1];
    if (found !== undefined && Number(found) < count) return type;
  }
  return undefined;
}

/** True for `%tid` and the other special registers with elements. */
export function isSpecialVector(name: string): boolean {
  return vectors.has(name);
}

/** True for `%tid` with `.x` and the like. Elements read as `.u32`. */
export function isSpecialElement(base: string, member: string): boolean {
  return vectors.has(base) && members.has(member);
}
