/** Decides whether an asm statement contains PTX. Files with device code can also contain assembly for the host. */
import { opcodeIn } from '../isa/notation.ts';
import { isOpcode, ptxForms } from '../isa/table.ts';
import type { AsmStatement } from './asm-statement.ts';
import { textConstraint } from './constraints.ts';

/** Constraints that nvcc does not know, but compilers for host processors do. */
const ofHosts = /[abcmgiSDpQt]/;

const dottedWord = /(?<!\w)[A-Za-z]\w*(?:\.[\w:]+)+/g;

/** Words that occur in PTX only. */
const onlyInPtx = /::|\.sync\b|\.aligned\b/;

const directive = /(?:^|[;{}\s])\.(?:reg|shared|global|const|local|visible|extern|func|entry)\s+[.%]/;

/** Instructions without operands. */
const alone = /(?:^|[;{}\s])(?:trap|exit|brkpt|ret)\s*;/;

/** The first words of all opcodes, such as `cp` for `cp.async.commit_group`. */
const firstWords: ReadonlySet<string> = new Set(ptxForms.opcodes().map((opcode) => opcode.replace(/\..*/, '')));

/** @param source the text of the file that contains the statement */
export function isPtx({ template, operands, unknown, language, start }: AsmStatement, source: string): boolean {
  if (language === 'triton') return true;
  if (operands.some(({ constraint }) => ofHosts.test(constraint))) return false;
  if (unknown !== null || operands.some(({ constraint }) => constraint === textConstraint)) return true;
  const { text } = template;
  if (directive.test(text) || alone.test(text) || onlyInPtx.test(text)) return true;
  const words = text.match(dottedWord) ?? [];
  if (words.some((word) => isOpcode(opcodeIn(word)) || firstWords.has(word.replace(/\..*/, '')))) return true;
  return beginsWithOpcode(text) && isInDeviceFunction(source, start);
}

/** Whether the first word of the text, after a guard, is the first word of an opcode. */
function beginsWithOpcode(text: string): boolean {
  const [, word = ''] = /^[\s{]*(?:@!?\S+\s+)?(\w+)/.exec(text) ?? [];
  return firstWords.has(word);
}

/** Maximum distance from a statement to the start of its function, in characters. */
const longestFunction = 20_000;

/** Whether the function that contains an offset is declared with `__global__` or `__device__`, but not `__host__`. */
function isInDeviceFunction(source: string, offset: number): boolean {
  const first = Math.max(0, offset - longestFunction);
  let depth = 0;
  let head = '';
  for (let at = offset - 1; at >= first; at--) {
    const character = source[at];
    if (character === '}') depth++;
    else if (character === '{' && --depth < 0) {
      depth = 0;
      const text = source.slice(Math.max(source.lastIndexOf(';', at), source.lastIndexOf('}', at - 1)) + 1, at);
      head = /__(?:global|device|host)__/.test(text) ? text : head;
      if (head !== '') break;
    }
  }
  return /__(?:global|device)__/.test(head) && !head.includes('__host__');
}
