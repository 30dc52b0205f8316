/** PTX that is embedded in a source file of another language. */
import type { Span } from '../base/span.ts';
import type { MappedText } from './literal-text.ts';

/** An operand of an asm statement. The PTX text refers to an operand by its position in the list of operands. */
export interface AsmOperand {
  /** The constraint without its modifiers: `r` for `"=r"`, `"+r"` and `"r"`. */
  readonly constraint: string;
  /** The symbolic name, such as `out` in `[out] "=r"(x)`; null if the operand has none. */
  readonly name: string | null;
  /** The text of an integer literal; null if the value is not known. */
  readonly value: string | null;
  /** The span of the operand's constraint. */
  readonly span: Span;
}

/** The language of a file in which PTX is embedded: CUDA C++, or Python with Triton kernels. */
export type EnclosingLanguage = 'cuda' | 'triton';

/** `asm("…" : …)` in CUDA C++, or a call to `inline_asm_elementwise` in Python. */
export interface AsmStatement extends Span {
  readonly language: EnclosingLanguage;
  /** The reason why ptxlab cannot determine the PTX that the compiler sees; null if it can. */
  readonly unknown: string | null;
  readonly template: MappedText;
  readonly operands: readonly AsmOperand[];
  /**
   * Whether the statement may be subject to preprocessor conditions that limit the targets for which it is compiled.
   */
  readonly isConditional: boolean;
}

/** The text of an integer literal without its C++ suffix; null for any other expression. */
export function integerLiteral(text: string): string | null {
  const found =
    /^\s*\(?\s*(-?\s*(?:0[xX][\da-fA-F']+|0[bB][01']+|\d[\d']*))(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])\s*\)?\s*$/.exec(text);
  return found?.[1] === undefined ? null : found[1].replaceAll(/[\s']/g, '');
}
