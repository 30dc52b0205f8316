/**
 * Compares the arguments and results of a call with those of the function or prototype (PTX ISA 9.1, sections 7.1 and
 * 9.7.12.5).
 */
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { isInteger, type PtxType } from '../../isa/types.ts';
import type { Instruction, NameOperand, Operand } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import { describeOperand } from './describe-shape.ts';
import {
  type Formal,
  isUnpassable,
  type Passable,
  passable,
  passableRegister,
  type Signature,
} from '../declarations/signature.ts';
import type { FunctionSymbol, Scope } from '../symbols.ts';
import { elementAt } from '../../base/element-at.ts';

/** The parts of a call; some may be absent. */
export interface CallParts {
  readonly callee: NameOperand;
  readonly results: readonly Operand[];
  readonly parameters: readonly Operand[];
  readonly table: NameOperand | null;
}

export function callParts({ operands }: Instruction): CallParts {
  const rest = [...operands];
  const results = rest[0]?.kind === 'list' ? rest.shift() : undefined;
  const callee = rest.shift();
  const parameters = rest[0]?.kind === 'list' ? rest.shift() : undefined;
  const table = rest.shift();
  if (callee?.kind !== 'name') throw new Error('a call without a callee passed the parser');
  return {
    callee,
    results: results?.kind === 'list' ? results.elements : [],
    parameters: parameters?.kind === 'list' ? parameters.elements : [],
    table: table?.kind === 'name' ? table : null,
  };
}

/** A function that a call may reach, or a prototype that represents all such functions. */
export interface Callable {
  readonly name: string;
  readonly signature: Signature;
}

/**
 * Returns the functions or the prototype that a call may refer to. There is one entry for each function in a list of
 * targets, and a single entry if the call specifies a function or a prototype.
 */
export function callables({ callee, table }: CallParts, scope: Scope): readonly Callable[] {
  const symbol = scope.lookup((table ?? callee).name);
  switch (symbol?.kind) {
    case 'function':
    case 'prototype':
      return [symbol];
    case 'targets':
      return symbol.names
        .map((name) => symbol.scope.lookup(name))
        .filter((target): target is FunctionSymbol => target?.kind === 'function');
    default:
      return [];
  }
}

export function checkCall(node: Instruction, scope: Scope, report: Report): void {
  const parts = callParts(node);
  const candidates = callables(parts, scope);
  for (const callable of candidates) {
    const { name, signature } = callable;
    if (
      countIsWrong(node, name, 'takes', [argumentsTaken(signature, parts), parts.parameters.length], report) ||
      countIsWrong(node, name, 'returns', [signature.results.length, parts.results.length], report)
    ) {
      return;
    }
    signature.results.forEach((formal, i) => {
      checkPassed(formal, elementAt(parts.results, i), { name, isResult: true, scope, report });
    });
    parts.parameters.forEach((operand, i) => {
      checkPassed(elementAt(signature.parameters, i), operand, { name, isResult: false, scope, report });
    });
  }
  const [callable] = candidates;
  if (callable !== undefined) warnOfUnpassable(callable, parts.callee, report);
}

/** If a function has several return values, ptxas does not use the ABI and can pass values of all types. */
function warnOfUnpassable({ name, signature: { parameters, results } }: Callable, at: Span, report: Report): void {
  if (results.length > 1) return;
  const formal = [...parameters, ...results].find(isUnpassable);
  if (formal === undefined) return;
  const [verb, ptxas] = results.includes(formal)
    ? ['returns', 'returning predicate, 8-bit and 16-bit values from']
    : ['takes', 'passing predicate, 8-bit and 16-bit parameters to'];
  const help =
    formal.type.class === 'predicate'
      ? 'pass a .b32 instead'
      : `declare it as .b${formal.type.width}, which has the same size`;
  report(diagnose('PTX3032', at, { name, verb, formal: formal.name, type: formal.type.name, ptxas }, { help }));
}

/** The number of arguments of a call. If the last parameter is an array without a size, its argument can be omitted. */
function argumentsTaken({ parameters }: Signature, call: CallParts): number {
  const { length } = parameters;
  return parameters.at(-1)?.open === true && call.parameters.length === length - 1 ? length - 1 : length;
}

function countIsWrong(
  node: Instruction,
  name: string,
  verb: 'takes' | 'returns',
  [expected, found]: readonly [expected: number, found: number],
  report: Report,
): boolean {
  if (expected === found) return false;
  const noun = verb === 'takes' ? 'argument' : 'value';
  const what = `${verb} ${expected} ${noun}${expected === 1 ? '' : 's'}`;
  report(diagnose('PTX3020', node, { name, what, found: String(found) }));
  return true;
}

/** A call whose operands are being checked one by one. */
interface CheckedCall {
  /** The function called. */
  readonly name: string;
  readonly isResult: boolean;
  readonly scope: Scope;
  readonly report: Report;
}

function checkPassed(formal: Formal, operand: Operand, { name, isResult, scope, report }: CheckedCall): void {
  if (operand.kind === 'sink' && isResult) return;
  const parameters = { name, formal: formal.name };
  if (operand.kind === 'integer' || operand.kind === 'float') {
    // ptxas accepts a constant in place of a result; the result is then not stored anywhere.
    if (isResult) return;
    if (takesConstant(formal, operand.kind)) return;
    const found = describeOperand(operand, scope);
    report(diagnose('PTX3021', operand, { ...parameters, found, expected: describeFormal(formal) }));
    return;
  }
  const passed = passedBy(operand, scope);
  if (passed === null) {
    report(diagnose('PTX3025', operand, { ...parameters, found: describeOperand(operand, scope) }));
  } else if (!goesWith(formal, passed)) {
    report(diagnose('PTX3021', operand, { ...parameters, found: describe(passed), expected: describeFormal(formal) }));
  } else if (formal.align !== passed.align) {
    const [found, expected] = [String(passed.align), String(formal.align)];
    report(diagnose('PTX3022', operand, { ...parameters, found, expected }));
  }
}

/**
 * The value that an operand passes to the called function; null unless the operand is a register or a `.param` variable
 * declared in the body.
 */
function passedBy(operand: Operand, scope: Scope): Passable | null {
  const symbol = operand.kind === 'name' ? scope.lookup(operand.name) : undefined;
  if (symbol?.kind === 'register') return passableRegister(symbol.type, symbol.lanes);
  if (symbol?.kind === 'variable' && symbol.space === 'local parameter') return passable(symbol.variable);
  return null;
}

function goesWith(formal: Formal, passed: Passable): boolean {
  if (formal.array !== passed.array || (formal.bytes !== passed.bytes && !formal.open)) return false;
  return formal.array || typesGo(formal.type, passed.type);
}

function typesGo(one: PtxType, other: PtxType): boolean {
  if (one.class === 'predicate' || other.class === 'predicate') return one.class === other.class;
  if (isBits(one) || isBits(other)) return true;
  return isInteger(one) ? isInteger(other) : one.name === other.name;
}

function isBits(type: PtxType): boolean {
  return type.class === 'bits' || type.name === '.f16x2';
}

function takesConstant({ type, array }: Formal, kind: 'integer' | 'float'): boolean {
  if (array) return false;
  if (type.class === 'bits') return true;
  return kind === 'integer' ? isInteger(type) : type.class === 'float';
}

function describeFormal(formal: Formal): string {
  return formal.open ? 'an array' : describe(formal);
}

function describe({ type, bytes, array }: Passable): string {
  return array ? `an array of ${bytes} bytes` : type.name;
}
