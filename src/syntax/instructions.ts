import type { Span } from '../base/span.ts';
import { parseCallOperands, parseOperands } from './operands.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { Guard, Instruction, Operand } from './tree.ts';

const noOperands: readonly Operand[] = [];

/** Parses `@p opcode.parts operands;`, where the guard or the opcode is the current token; null after an error. */
export function parseInstruction(r: Reader): Instruction | null {
  const start = r.start;
  let guard: Guard | null = null;
  if (r.kind === Token.At) {
    guard = parseGuard(r);
    if (guard === null) return null;
    if (r.kind !== Token.Name) return r.unexpected('an instruction');
  }
  const mnemonicStart = r.start;
  const mnemonic = r.mnemonic();
  const mnemonicEnd = r.mnemonicEnd;
  if ((r.kind === Token.LeftParen || r.kind === Token.LeftBrace) && controlWords.has(mnemonic)) {
    return refuseControlStatement(r, { start: mnemonicStart, end: mnemonicEnd });
  }
  if (r.kind === Token.Equals) return r.unexpected('an operand', r.helpForAssignment());
  let operands: readonly Operand[] | null = noOperands;
  const isOver = r.kind === Token.Semicolon || r.kind === Token.RightBrace || r.kind === Token.End;
  if (!isOver && !r.atNextStatement()) operands = isCall(mnemonic) ? parseCallOperands(r) : parseOperands(r);
  if (operands === null) return null;
  const end = r.expectSemicolon("','");
  if (end < 0) return null;
  return { kind: 'instruction', start, end, guard, mnemonic, mnemonicStart, mnemonicEnd, operands };
}

const controlWords: ReadonlySet<string> = new Set(['if', 'else', 'for', 'while', 'do', 'switch']);

/**
 * Reports a control statement of C, such as `if` or `while`. Only the condition in parentheses is skipped, so that the
 * statements that follow are still parsed.
 */
function refuseControlStatement(r: Reader, span: Span): null {
  const near = r.source.slice(span.start, span.end);
  const help = 'PTX has only branches: setp sets a predicate, and @%p bra LABEL jumps if it is true';
  r.report('PTX1001', span, { near, found: `'${near}'`, expected: 'an instruction' }, { help });
  r.failed = true;
  if (r.kind === Token.LeftParen) r.skipParentheses();
  return null;
}

function isCall(mnemonic: string): boolean {
  return mnemonic === 'call' || mnemonic.startsWith('call.');
}

function parseGuard(r: Reader): Guard | null {
  const start = r.start;
  r.next();
  const negated = r.accept(Token.Exclamation);
  if (r.kind !== Token.Name) return r.unexpected('a predicate');
  const end = r.end;
  const predicate = { kind: 'name' as const, start: r.start, end, name: r.text() };
  r.next();
  return { start, end, negated, predicate };
}
