/**
 * Expresses the value of a register in terms of parameters, special registers and constants, such as
 * `param_1 + 4·(ctaid.x·ntid.x + tid.x)`.
 */
import type { Operand } from '../syntax/tree.ts';
import { opcodeIn } from '../isa/notation.ts';
import { registerUse } from '../check/binding/bind.ts';
import type { FunctionBody } from './function-body.ts';
import type { BodyInstruction } from './occurrences.ts';
import type { Reaching } from './reaching.ts';

/** Levels of precedence, lowest first. The level of an expression is the precedence of its outermost operator. */
const Binds = { loosely: 0, sum: 1, product: 2, tightly: 3 } as const;

interface Expression {
  readonly text: string;
  readonly binds: number;
}

/**
 * Limits on the length of an expression in characters, and on the number of instructions through which a value is
 * traced back. If a limit is reached, the remaining registers are shown by name.
 */
const longest = 160;
const mostSteps = 12;

const bitOperators: Readonly<Record<string, string>> = { and: '&', or: '|', xor: '^', shr: '>>', rem: '%', div: '/' };
/** Instructions whose result has the same value as their source, although its width or its state space may differ. */
const passing: ReadonlySet<string> = new Set(['mov', 'cvta', 'cvta.to', 'cvt']);

export class Values {
  private readonly body: FunctionBody;
  private readonly reaching: Reaching;
  private readonly placeAt: (offset: number) => number | null;
  /**
   * The results that are already known for the current query, keyed by the instruction and the number of remaining
   * steps.
   */
  private readonly known = new Map<number, Expression | null>();

  /** `placeAt` returns the slot of the register that is named at the given offset in the function. */
  constructor(body: FunctionBody, reaching: Reaching, placeAt: (offset: number) => number | null) {
    this.body = body;
    this.reaching = reaching;
    this.placeAt = placeAt;
  }

  /**
   * The value that a register has before an instruction is executed; null if it can only be expressed by the register's
   * name.
   */
  before(instruction: number, place: number, name: string): string | null {
    this.known.clear();
    const { text } = this.register(instruction, place, name, mostSteps);
    return text === name ? null : text;
  }

  /** The value that an instruction writes to its first operand; null if it cannot be written as an expression. */
  writtenBy(instruction: number): string | null {
    this.known.clear();
    return this.result(instruction, mostSteps)?.text ?? null;
  }

  private register(instruction: number, place: number, name: string, steps: number): Expression {
    const leaf = { text: name, binds: Binds.tightly };
    const { writers, fromStart } = this.reaching.before(instruction, place);
    const [writer] = writers;
    if (steps === 0 || fromStart || writer === undefined || writers.length > 1) return leaf;
    const found = this.result(writer, steps - 1);
    return found === null || found.text.length > longest ? leaf : found;
  }

  private result(index: number, steps: number): Expression | null {
    const key = index * (mostSteps + 1) + steps;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const made = this.expression(index, steps);
    this.known.set(key, made);
    return made;
  }

  private expression(index: number, steps: number): Expression | null {
    const instruction = this.body.instructions[index];
    if (instruction === undefined || instruction.variant === null || instruction.node.guard !== null) return null;
    const opcode = opcodeIn(instruction.variant.mnemonic);
    const of = (operand: number): Expression => this.operand(instruction, index, operand, steps);
    if (instruction.node.operands[0]?.kind !== 'name') return null;
    if (passing.has(opcode)) return isExact(instruction, opcode) ? of(1) : null;
    switch (opcode) {
      case 'ld':
        return this.loaded(instruction);
      case 'add':
        return sum(of(1), of(2));
      case 'sub':
        return infix(of(1), '-', of(2), Binds.sum);
      case 'mul.lo':
      case 'mul.wide':
        return isInteger(instruction) ? product(of(1), of(2)) : null;
      case 'mad.lo':
      case 'mad.wide':
        return sum(product(of(1), of(2)), of(3));
      case 'shl':
        return shifted(of(1), of(2));
      default: {
        const operator = bitOperators[opcode];
        return operator === undefined ? null : infix(of(1), operator, of(2), Binds.loosely);
      }
    }
  }

  private operand({ node, scope }: BodyInstruction, index: number, number: number, steps: number): Expression {
    const operand = node.operands[number];
    if (operand === undefined) return { text: '?', binds: Binds.tightly };
    if (operand.kind === 'name' && registerUse(operand, scope) !== null) {
      const place = this.placeAt(operand.start);
      if (place !== null) return this.register(index, place, operand.name, steps);
    }
    return { text: this.plain(operand), binds: Binds.tightly };
  }

  private plain(operand: Operand): string {
    if (operand.kind === 'integer') return String(operand.value);
    const written = this.body.source.slice(operand.start, operand.end);
    return this.shortName(operand.kind === 'member' ? written.replace(/^%/, '') : written);
  }

  /** The value that a load reads. It is known only if the load reads a parameter. */
  private loaded({ node, variant }: BodyInstruction): Expression | null {
    const [, address] = node.operands;
    if (variant?.modifiers['space']?.startsWith('.param') !== true) return null;
    if (address?.kind !== 'address' || address.base?.kind !== 'name') return null;
    const name = this.shortName(address.base.name);
    return { text: address.offset === 0n ? name : `${name}[${address.offset}]`, binds: Binds.tightly };
  }

  /** In nvcc's output, the names of parameters start with the name of the kernel. */
  private shortName(name: string): string {
    const prefix = `${this.body.checked.item.name}_`;
    return name.startsWith(prefix) ? name.slice(prefix.length) : name;
  }
}

function isInteger({ variant }: BodyInstruction): boolean {
  return variant?.types.every((type) => type.class === 'signed' || type.class === 'unsigned') === true;
}

/**
 * Whether an instruction preserves its source value; this is false for a conversion unless both types are integers. A
 * conversion between integer types is treated as exact, because it preserves every value that fits in both types.
 */
function isExact(instruction: BodyInstruction, opcode: string): boolean {
  return opcode !== 'cvt' || isInteger(instruction);
}

function parenthesised({ text, binds }: Expression, least: number): string {
  return binds >= least ? text : `(${text})`;
}

function infix(a: Expression, operator: string, b: Expression, binds: number): Expression {
  const right = binds === Binds.loosely ? Binds.tightly : binds + 1;
  const left = binds === Binds.loosely ? Binds.tightly : binds;
  return { text: `${parenthesised(a, left)} ${operator} ${parenthesised(b, right)}`, binds };
}

function sum(a: Expression, b: Expression): Expression {
  if (/^-\d+$/.test(b.text)) return infix(a, '-', { ...b, text: b.text.slice(1) }, Binds.sum);
  return { text: `${parenthesised(a, Binds.sum)} + ${parenthesised(b, Binds.sum)}`, binds: Binds.sum };
}

/** Constants come first. */
function product(a: Expression, b: Expression): Expression {
  const [first, second] = /^-?\d+$/.test(b.text) ? [b, a] : [a, b];
  return {
    text: `${parenthesised(first, Binds.product)}·${parenthesised(second, Binds.product)}`,
    binds: Binds.product,
  };
}

function shifted(a: Expression, b: Expression): Expression {
  const amount = /^\d{1,2}$/.test(b.text) ? Number(b.text) : 64;
  if (amount > 30) return infix(a, '<<', b, Binds.loosely);
  return product(a, { text: String(2 ** amount), binds: Binds.tightly });
}
