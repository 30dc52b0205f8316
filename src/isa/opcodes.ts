/**
 * Instructions of PTX ISA 9.1 that are not in the table, by the words that identify them: `st.async` is not an `st`.
 * Only their first version and their targets are known (measured with ptxas 13.0).
 */
import type { AvailabilityRow } from './form.ts';
import { at, type Availability } from './targets.ts';

const listed: readonly (readonly [opcodes: string, ...ways: readonly Availability[]])[] = [
  ['multimem.cp', at('9.1', 90)],
];

/** By the opcode. */
export const opcodesOutside: ReadonlyMap<string, AvailabilityRow> = new Map(
  listed.flatMap(([opcodes, ...ways]) => opcodes.split(' ').map((subject) => [subject, { subject, ways }])),
);
