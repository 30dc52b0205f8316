/** Explains a diagnostic code with the text of the catalog. */
import { type Code, catalog, isCode } from '../diagnostics/catalog.ts';
import type { CatalogEntry } from '../diagnostics/codes/entry.ts';
import type { Severity } from '../diagnostics/severity.ts';
import type { Style } from '../diagnostics/renderers/style.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { exampleOf } from './code-examples.ts';
import { table } from './table.ts';

export interface CodeExplanation {
  readonly kind: 'code';
  readonly code: Code;
  readonly severity: Severity;
  readonly title: string;
  readonly explain: string;
  /** The message templates, with their parameters in braces. */
  readonly message: string;
  readonly ptxas: string;
  readonly section: string | null;
  /**
   * A short piece of PTX that triggers the diagnostic, and the resulting message; null if no short piece of PTX does
   * so.
   */
  readonly example: { readonly text: string; readonly message: string } | null;
}

/** Explains a code such as `PTX2030`, in upper or lower case; null for an unknown code. */
export function explainCode(text: string): CodeExplanation | null {
  const code = text.toUpperCase();
  if (!isCode(code)) return null;
  const entry: CatalogEntry = catalog[code];
  const { severity, title, explain, message, ptxas, section } = entry;
  const found = exampleOf(code);
  const example = found === null ? null : { text: found.text, message: found.finding.message };
  return { kind: 'code', code, severity, title, explain, message, ptxas, section, example };
}

/**
 * True if a template consists of a single parameter and has no words of its own. Such a template is not worth showing.
 */
function isParameter(template: string): boolean {
  return /^\{\w+\}$/.test(template);
}

/** The explanation as lines. */
export function codeText(explained: CodeExplanation, width: number, style: Style): readonly string[] {
  const { code, severity, title, explain, message, ptxas, section, example } = explained;
  const rows = [
    ...(example === null ? [] : [['example', example.text.replaceAll('\n', ' ')]]),
    ...(isParameter(example?.message ?? message) ? [] : [['reads', example?.message ?? message]]),
    ...(isParameter(ptxas) ? [] : [['ptxas', ptxas]]),
    ...(section === null ? [] : [['see', `PTX ISA 9.1, section ${section}`]]),
  ];
  return [
    `${style[severity](`${severity}[${code}]`)} ${style.strong(title)}`,
    ...wrap(explain, width),
    '',
    ...table(rows, width),
  ];
}
