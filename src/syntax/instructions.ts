import { parseCallOperands, parseOperands } from './operands.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { Guard, Instruction, Operand } from './tree.ts';

const noOperands: readonly Operand[] = [];

/** `@p opcode.parts operands;` with the guard or the opcode as the current token; null after a complaint. */
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
  let operands: readonly Operand[] | null = noOperands;
  const isOver = r.kind === Token.Semicolon || r.kind === Token.RightBrace || r.kind === Token.End;
  if (!isOver) operands = isCall(mnemonic) ? parseCallOperands(r) : parseOperands(r);
  if (operands === null) return null;
  const end = r.expectSemicolon("','");
  if (end < 0) return null;
  return { kind: 'instruction', start, end, guard, mnemonic, mnemonicStart, mnemonicEnd, operands };
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
