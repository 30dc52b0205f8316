/**
 * Determines which findings ptxas reports for a module with a syntax error. ptxas stops at the first syntax error, so
 * it does not report all of the checker's findings.
 */
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isSyntaxError } from '../../diagnostics/renderers/ptxas.ts';

/** Findings that ptxas can report only after it has read the whole module. */
const atEnd: ReadonlySet<string> = new Set(['PTX4013', 'PTX5025', 'PTX5030']);

/**
 * The first syntax error and the findings that ptxas reports before it. ptxas checks the suffix of a register or
 * variable (such as `.z`) while it reads the operand. In the statement that contains the error, it therefore reports
 * only unknown suffixes. If a function has not ended before the error, ptxas reports nothing about its labels.
 */
export function untilSyntaxError(found: readonly Diagnostic[], text: string): readonly Diagnostic[] {
  const index = found.findIndex(isSyntaxError);
  const error = found[index];
  if (error === undefined) return found;
  const at = error.span.start;
  const statement = statementStart(text, at);
  const isSaid = (one: Diagnostic): boolean => {
    const { start } = one.span;
    if (isUnknownPart(one, text)) return true;
    if (start >= statement || atEnd.has(one.code)) return false;
    return one.code !== 'PTX3001' || !isBranch(text, start) || closesFunction(text, start, at);
  };
  return [...found.slice(0, index).filter(isSaid), error];
}

/**
 * Whether a finding is about an unknown suffix that ptxas reports while it is still reading the operand. Suffixes that
 * video instructions allow, such as `.b0` or `.h1`, are reported only after the whole statement has been read, except
 * in a branch.
 */
function isUnknownPart({ ptxas, span }: Diagnostic, text: string): boolean {
  const part = /^Unknown symbol '[^'.]*(\.[^']*)'$/.exec(ptxas)?.[1];
  if (part === undefined) return false;
  return isBranch(text, span.start) || !/^\.(b[0-3]{1,4}|h[01]{1,2})$/.test(part);
}

/**
 * Returns the offset at which a statement begins, given an offset inside the statement. Braces around a list of
 * operands do not end a statement.
 */
function statementStart(text: string, offset: number): number {
  for (let at = offset - 1; at >= 0; at--) {
    if (text[at] === ';') return at + 1;
    if (text[at] === '{' && opensBlock(text, at)) return at + 1;
    if (text[at] !== '}') continue;
    const open = text.lastIndexOf('{', at);
    if (open < 0 || opensBlock(text, open) || text.slice(open, at).includes(';')) return at + 1;
    at = open;
  }
  return 0;
}

/** Whether a `{` begins the body of a function or a block, as opposed to a list of operands. */
function opensBlock(text: string, brace: number): boolean {
  const before = text.slice(0, brace).trimEnd();
  if (before === '' || /[;{}:)]$/.test(before)) return true;
  const statement = before.slice(Math.max(before.lastIndexOf(';'), before.lastIndexOf('}')) + 1);
  return /\.(entry|func)\b/.test(statement);
}

/** Whether the function that contains the offset `from` ends before the offset `to`. */
function closesFunction(text: string, from: number, to: number): boolean {
  let depth = 0;
  for (let at = 0; at < to; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0 && at > from) return true;
  }
  return false;
}

/** Whether the operand at this offset belongs to a branch instruction. */
function isBranch(text: string, offset: number): boolean {
  return /\bbra(\.uni)?\s+$/.test(text.slice(Math.max(0, offset - 20), offset));
}
