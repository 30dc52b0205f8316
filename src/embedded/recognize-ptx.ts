/** Decides whether an asm statement contains PTX. Files with device code can also contain assembly for the host. */
import { beginsLongOpcode, opcodeIn } from '../isa/notation.ts';
import { isOpcode } from '../isa/table.ts';
import type { AsmStatement } from './asm-statement.ts';
import { textConstraint } from './constraints.ts';

/** Constraints that compilers for host processors know, but nvcc does not. */
const ofHosts = /[abcmgiSDpQt]/;

const dottedWord = /(?<!\w)[A-Za-z]\w*(?:\.[\w:]+)+/g;

/** Words that occur in PTX only. */
const onlyInPtx = /::|\.sync\b|\.aligned\b/;

const directive = /(?:^|[;{}\s])\.(?:reg|shared|global|const|local|visible|extern|func|entry)\s+[.%]/;

/** Instructions without operands. */
const alone = /(?:^|[;{}\s])(?:trap|exit|brkpt|ret)\s*;/;

/** @param source the text of the file that contains the statement */
export function isPtx({ template, operands, unknown, language, start }: AsmStatement, source: string): boolean {
  if (language === 'triton') return true;
  if (operands.some(({ constraint }) => ofHosts.test(constraint))) return false;
  if (unknown !== null || operands.some(({ constraint }) => constraint === textConstraint)) return true;
  const { text } = template;
  if (directive.test(text) || alone.test(text) || onlyInPtx.test(text)) return true;
  const words = text.match(dottedWord) ?? [];
  if (words.some(beginsWithOpcode)) return true;
  const [, first = ''] = /^[\s{]*(?:@!?\S+\s+)?(\w+)/.exec(text) ?? [];
  return beginsWithOpcode(first) && isInDeviceFunction(source, start);
}

/** Whether dot-separated words begin with an opcode, or with the first word of an opcode that has several words. */
function beginsWithOpcode(words: string): boolean {
  return isOpcode(opcodeIn(words)) || beginsLongOpcode(words.replace(/\..*/, ''));
}

/** Maximum distance from a statement to the start of its function, in characters. */
const longestFunction = 20_000;

/** Whether the function that contains an offset is declared with `__global__` or `__device__`, but not `__host__`. */
function isInDeviceFunction(source: string, offset: number): boolean {
  const first = Math.max(0, offset - longestFunction);
  let depth = 0;
  for (let at = offset - 1; at >= first; at--) {
    const character = source[at];
    if (character === '}') depth++;
    else if (character === '{' && --depth < 0) {
      depth = 0;
      const head = source.slice(Math.max(source.lastIndexOf(';', at), source.lastIndexOf('}', at - 1)) + 1, at);
      if (/__(?:global|device|host)__/.test(head)) return !head.includes('__host__');
    }
  }
  return false;
}
