/**
 * The instructions of PTX ISA 9.1 for which the table has no forms. Each key consists of the words that identify the
 * instruction: for example, `st.async` is a different instruction from `st`. For these instructions, ptxlab knows only
 * the version that introduced them and their targets (measured with ptxas 13.0).
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
