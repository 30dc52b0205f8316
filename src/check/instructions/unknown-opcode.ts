/**
 * Explains what is wrong with an opcode for which there is no form: either a second word is missing, as in `mul`
 * without `.lo`, or the word is not a PTX opcode at all.
 */
import { nearestWord } from '../../base/nearest-word.ts';
import { once } from '../../base/once.ts';
import { opcodesOutside } from '../../isa/missing-forms.ts';
import type { OpcodeTable } from '../../isa/table.ts';
import { isTypeName } from '../../isa/types.ts';
import { statementDirectives } from '../../syntax/directives.ts';
import { listed } from './modifier-words.ts';
import { part, type Problem, problem, wholeMnemonic } from './problem.ts';

/** Instruction names from other assemblers and languages, with their PTX names. */
const foreign: ReadonlyMap<string, string> = new Map([
  ['load', 'ld'],
  ['ldg', 'ld.global'],
  ['lds', 'ld.shared'],
  ['store', 'st'],
  ['stg', 'st.global'],
  ['sts', 'st.shared'],
  ['move', 'mov'],
  ['jmp', 'bra'],
  ['jump', 'bra'],
  ['goto', 'bra'],
  ['branch', 'bra'],
  ['return', 'ret'],
  ['cmp', 'setp'],
  ['icmp', 'setp'],
  ['fcmp', 'setp'],
  ['isetp', 'setp'],
  ['fsetp', 'setp'],
  ['mod', 'rem'],
  ['imul', 'mul.lo'],
  ['imad', 'mad.lo'],
  ['ffma', 'fma.rn'],
  ['exp', 'ex2.approx'],
  ['exp2', 'ex2.approx'],
  ['log', 'lg2.approx'],
  ['log2', 'lg2.approx'],
  ['atomicadd', 'atom.add'],
  ['atomiccas', 'atom.cas'],
  ['syncthreads', 'bar.sync'],
  ['__syncthreads', 'bar.sync'],
]);

const outside: readonly string[] = [...opcodesOutside.keys()];

/** The problem to report for an opcode that is not in the table. */
export function unknownOpcode(table: OpcodeTable, opcode: string): Problem {
  return problem('PTX2001', part(0), { opcode }, { meant: once(() => likelyOpcode(table, opcode)) });
}

function likelyOpcode(table: OpcodeTable, opcode: string): string | null {
  if (statementDirectives.has(`.${opcode}`)) return `.${opcode}`;
  return foreign.get(opcode.toLowerCase()) ?? nearestWord(opcode, [...table.opcodes(), ...outside]);
}

/**
 * Returns the problem to report if the opcode and the part after it are the beginning of a longer opcode, as in
 * `wgmma.commit` and `barrier.cluster.sync`, or if they misspell one. Returns null otherwise, or if a form accepts the
 * part.
 */
export function unfinishedOpcode(table: OpcodeTable, opcode: string, first: string | undefined): Problem | null {
  const forms = table.forms(opcode);
  if (first === undefined || isTypeName(first)) return null;
  if (forms.some(({ axes }) => axes.some(({ values }) => values.includes(first)))) return null;
  const written = opcode + first;
  const rest = (other: string): string => other.slice(opcode.length);
  const begun = table.opcodes().filter((other) => other !== written && other.startsWith(written));
  const near = forms.length > 0 || begun.length > 0 ? null : nearestWord(first, table.longerOpcodes(opcode).map(rest));
  const found = near === null ? begun.map(rest) : [near];
  if (found.length === 0) return null;
  const parameters = { opcode, allowed: listed(found) };
  const help = found.length === 1 ? `did you mean '${opcode}${found[0]}'?` : null;
  return problem('PTX2003', part(0), parameters, { help });
}

/**
 * Returns the problem to report if a word is missing after the opcode, as in `mad.u32` instead of `mad.lo.u32`; null if
 * no word is missing. `fits` is called with an opcode to which the word has been added, and returns a legal mnemonic
 * with this opcode; null if there is none.
 */
export function missingWord(
  table: OpcodeTable,
  opcode: string,
  types: readonly string[],
  fits: (longer: string) => string | null,
): Problem | null {
  const longer = table.longerOpcodes(opcode);
  if (longer.length === 0) return null;
  const words = (found: readonly string[]): string => listed(found.map((other) => other.slice(opcode.length)));
  const fitting = longer.filter((other) => fits(other) !== null);
  const isOpcode = table.forms(opcode).length > 0;
  if (isOpcode && fitting.length === 0) return null;
  const natural = fitting.find((other) => other.endsWith('.lo')) ?? (fitting.length === 1 ? fitting[0] : undefined);
  const options = { spelling: natural === undefined ? null : fits(natural) };
  if (!isOpcode) return problem('PTX2003', part(0), { opcode, allowed: words(longer) }, options);
  const parameters = { what: opcode + types.join(''), allowed: words(fitting), opcode };
  return problem('PTX2021', wholeMnemonic, parameters, options);
}
