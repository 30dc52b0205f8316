/** Turns an asm statement into a module that can be checked: a kernel whose registers are the operands. */
import type { Span } from '../base/span.ts';
import type { TargetName, VersionName } from '../isa/targets.ts';
import type { AsmOperand, AsmStatement, EnclosingLanguage } from './asm-statement.ts';
import { constraintRow, textConstraint } from './constraints.ts';
import { MappedText } from './literal-text.ts';

/** A reference to an operand that does not exist. */
export interface WrongReference {
  /** The span of the reference in the file. */
  readonly span: Span;
  /** The text as written: `%7`. */
  readonly written: string;
}

export interface AsmModule {
  readonly text: string;
  /** The offset in `text` at which the PTX of the statement begins. */
  readonly start: number;
  readonly body: MappedText;
  /** Spans of `body` that contain constants whose values are not known. */
  readonly guessed: readonly Span[];
  readonly wrong: readonly WrongReference[];
  /**
   * Names such as `%p1`, which compilers read as operand 1 with the modifier `p`. In the module, these names are
   * registers, as the author intended.
   */
  readonly misread: readonly WrongReference[];
  /** For each operand, the span in `text` that declares its register, and the span of the operand in the file. */
  readonly operands: readonly { readonly declared: Span; readonly source: Span }[];
}

/** The span in the file that corresponds to a span in the module. */
export function sourceSpan({ start, body, operands }: AsmModule, span: Span): Span {
  const operand = operands.find(({ declared }) => declared.start <= span.start && span.end <= declared.end);
  if (operand !== undefined) return operand.source;
  return body.source({ start: span.start - start, end: span.end - start });
}

/** The result of turning a statement into a module: the module, or the reason why the statement cannot be checked. */
export type AsmModuleResult =
  | { readonly kind: 'module'; readonly module: AsmModule }
  | { readonly kind: 'unknown'; readonly reason: string };

export function asmModule(statement: AsmStatement, version: VersionName, target: TargetName): AsmModuleResult {
  const reason = statement.unknown ?? unknownOperand(statement);
  if (reason !== null) return { kind: 'unknown', reason };
  const { body, guessed, wrong, misread } = substituted(statement);
  const other = unknownText(body.text);
  if (other !== null) return { kind: 'unknown', reason: other };
  const sign = references[statement.language].sign;
  const declared: AsmModule['operands'][number][] = [];
  let head = `.version ${version}\n.target ${target}\n.address_size 64\n.entry asm() {\n`;
  for (const [i, { constraint, span }] of statement.operands.entries()) {
    const type = constraintRow(constraint, statement.language)?.type ?? null;
    if (type === null) continue;
    const start = head.length;
    head += `.reg ${type} ${sign}${i};\n`;
    declared.push({ declared: { start, end: head.length }, source: span });
  }
  const text = `${head}${body.text}\n}\n`;
  return { kind: 'module', module: { text, start: head.length, body, guessed, wrong, misread, operands: declared } };
}

interface References {
  /**
   * The first character of every operand name. Operands have the same names in the module as in the asm statement,
   * because PTX allows names such as `%0` and `$0`.
   */
  readonly sign: string;
  /** A reference to an operand, or a doubled `%` or `$`. */
  readonly pattern: RegExp;
}

const references: Readonly<Record<EnclosingLanguage, References>> = {
  cuda: { sign: '%', pattern: /%(?:(%)|(\d+)|\[(\w+)\]|=|([A-Za-z]\d\w*))/g },
  triton: { sign: '$', pattern: /\$(?:(\$)|(\d+)|\{(\d+)(?::\w+)?\})/g },
};

function unknownOperand({ operands, language }: AsmStatement): string | null {
  if (operands.some(({ constraint }) => constraint === textConstraint)) return 'an operand inserts text';
  const other = operands.find(({ constraint }) => constraintRow(constraint, language) === null);
  return other === undefined ? null : `'${other.constraint}' is not a PTX constraint`;
}

/** PTX in which each comment is replaced by a space. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\/[^\n]*|\/\*[^]*?\*\//g, ' ');
}

/** The reason why the text of a statement cannot be checked on its own; null if it can be. */
function unknownText(text: string): string | null {
  const code = withoutComments(text);
  let depth = 0;
  for (const mark of code.match(/[{}]/g) ?? []) {
    depth += mark === '{' ? 1 : -1;
    if (depth < 0) break;
  }
  if (depth !== 0) return 'its braces are not balanced, so it needs another statement to be complete';
  if (/^\s*\.(?:visible|extern|weak|func|entry|global|const|file|section)\b/.test(code))
    return 'it declares something at module scope';
  return null;
}

interface Substituted {
  readonly body: MappedText;
  readonly guessed: readonly Span[];
  readonly wrong: readonly WrongReference[];
  readonly misread: readonly WrongReference[];
}

/**
 * The text as the compiler emits it: operands that are constants are replaced by their values, and `%%` (in Triton,
 * `$$`) becomes a single character.
 */
function substituted({ template, operands, language }: AsmStatement): Substituted {
  const body = new MappedText();
  const guessed: Span[] = [];
  const wrong: WrongReference[] = [];
  const misread: WrongReference[] = [];
  // If a statement has no operands, nvcc leaves its text unchanged, so even `%%` is not replaced by `%`.
  if (language === 'cuda' && operands.length === 0) {
    body.addPart(template, 0, template.text.length);
    return { body, guessed, wrong, misread };
  }
  const { sign, pattern } = references[language];
  let at = 0;
  for (const found of template.text.matchAll(pattern)) {
    const [written, doubled, number, inner, modified] = found;
    const end = found.index + written.length;
    body.addPart(template, at, found.index);
    at = end;
    const place = template.source({ start: found.index, end });
    if (doubled !== undefined || written === '%=') {
      body.add(doubled === undefined ? '0' : sign, place.start, place.end);
      continue;
    }
    if (modified !== undefined) {
      body.add(written, place.start, place.end);
      misread.push({ span: place, written });
      continue;
    }
    const index =
      number ?? (language === 'cuda' ? String(operands.findIndex(({ name }) => name === inner)) : (inner ?? ''));
    const operand = operands[Number(index)];
    if (operand === undefined) wrong.push({ span: place, written });
    const spelled = spelling(operand, index, sign);
    const start = body.text.length;
    body.add(spelled.text, place.start, place.end);
    if (spelled.isGuess) guessed.push({ start, end: body.text.length });
  }
  body.addPart(template, at, template.text.length);
  return { body, guessed, wrong, misread };
}

interface Spelling {
  readonly text: string;
  /** True if the value of the operand is not known. In that case, `text` is only a guess. */
  readonly isGuess: boolean;
}

function spelling(operand: AsmOperand | undefined, index: string, sign: string): Spelling {
  if (operand === undefined) return { text: '1', isGuess: true };
  if (operand.constraint !== 'n') return { text: `${sign}${Number(index)}`, isGuess: false };
  return { text: operand.value ?? '1', isGuess: operand.value === null };
}
