/**
 * A finding that has no positions in the text. Verdicts are cached by mnemonic and operand shapes, so their problems
 * refer only to parts of an instruction; a diagnostic with positions is created from them for each actual instruction.
 */
import { joinWords } from '../../base/join-words.ts';
import type { Code, Parameters } from '../../diagnostics/catalog.ts';
import type { HeaderChange } from '../../diagnostics/fix.ts';

/**
 * A place in an instruction: the whole mnemonic, one of the dot-separated parts of the mnemonic (part 0 is the opcode),
 * or an operand, which is identified by its path.
 */
export type InstructionPart =
  | { readonly kind: 'mnemonic' }
  | { readonly kind: 'part'; readonly index: number }
  | { readonly kind: 'operand'; readonly path: readonly number[] };

/** A string that explains how to fix a problem, or a function that returns such a string. */
export type Help = string | (() => string | null);

export interface Problem {
  readonly code: Code;
  readonly parameters: Readonly<Record<string, string>>;
  readonly place: InstructionPart;
  /** If this is a function, the search for a similar word is delayed until the problem is reported. */
  readonly help: Help | null;
  /** Returns the word that was most likely intended; null if no word is similar. */
  readonly meant: (() => string | null) | null;
  /** Given the text of the part as written, returns legal text with the same meaning; null if there is none. */
  readonly repair: ((written: string) => string | null) | null;
  /** The modifiers that the form accepts in place of a wrong one; empty if they are not known. */
  readonly choices: readonly string[];
  /** A complete mnemonic that would be legal instead; null if none is suggested. */
  readonly spelling: string | null;
  readonly section: string | null;
  /** As in `Diagnostic`. */
  readonly accepted: readonly HeaderChange[];
}

interface ProblemOptions {
  readonly help?: Help | null;
  readonly meant?: () => string | null;
  readonly repair?: ((written: string) => string | null) | null;
  readonly choices?: readonly string[];
  readonly spelling?: string | null;
  readonly section?: string | null;
  readonly accepted?: readonly HeaderChange[];
}

export function problem<C extends Code>(
  code: C,
  place: InstructionPart,
  parameters: Parameters<C>,
  options: ProblemOptions = {},
): Problem {
  const { help = null, meant = null, repair = null, choices = [] } = options;
  const { spelling = null, section = null, accepted = [] } = options;
  return { code, parameters, place, help, meant, repair, choices, spelling, section, accepted };
}

/** Help for a `0f` constant that is used as a 64-bit operand. */
export const wideConstant = 'write a decimal or 0d constant';

export const wholeMnemonic: InstructionPart = { kind: 'mnemonic' };

export function part(index: number): InstructionPart {
  return { kind: 'part', index };
}

export function operand(...path: readonly number[]): InstructionPart {
  return { kind: 'operand', path };
}

/** Returns a string that explains how to fix the problem. The default is to suggest the nearest legal spelling. */
export function helpOf({ help, meant, choices, parameters, spelling }: Problem): string | null {
  const word = meant?.() ?? null;
  if (word !== null) return `did you mean '${word}'?`;
  const own = typeof help === 'function' ? help() : help;
  if (own !== null) return own;
  if (choices.length > 0) return `${parameters['what'] ?? ''} takes ${joinWords(choices, 'or')}`;
  return spelling === null ? null : `nearest legal spelling: ${spelling}`;
}
