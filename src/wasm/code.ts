/**
 * The body of one function: locals, and instructions that are encoded as they are added. A method that creates a
 * WebAssembly block takes a function as its argument, and everything that this function adds becomes the contents of
 * the block.
 */
import { elementAt } from '../base/element-at.ts';
import { Bytes } from './bytes.ts';
import {
  type AtomicOpcode,
  atomicOpcodes,
  type MemoryOpcode,
  memoryOpcodes,
  type PlainOpcode,
  plainOpcodes,
  type SaturatingOpcode,
  saturatingOpcodes,
  type ValueType,
  valueTypes,
} from './opcodes.ts';
import {
  type LaneMemoryOpcode,
  laneMemoryOpcodes,
  type LaneOpcode,
  laneOpcodes,
  type VectorMemoryOpcode,
  vectorMemoryOpcodes,
  type VectorOpcode,
  vectorOpcodes,
} from './simd-opcodes.ts';
import { VectorConstants, type Words, writeWords } from './vector-constants.ts';

/** A branch target: the end of a block, or the start of a loop. */
export interface Label {
  readonly depth: number;
}

/** The body of a function, encoded as in the code section but without the size that precedes the body. */
export interface FunctionBody {
  readonly bytes: Uint8Array;
  /** The hints, sorted by offset. */
  readonly hints: readonly BranchHint[];
}

/** A branch hint, which specifies whether the condition of a branch is usually true or usually false. */
export interface BranchHint {
  /** Offset of the branch in bytes, from the start of the body. */
  readonly offset: number;
  readonly isLikely: boolean;
}

const emptyType = 0x40;
const atomicPrefix = 0xfe;
const vectorPrefix = 0xfd;

const opcodes = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
} as const;

export class Code {
  private readonly bytes = new Bytes();
  private readonly parameterCount: number;
  private readonly locals: ValueType[] = [];
  private readonly kept: VectorConstants | null;
  private readonly keptLocals: number[] = [];
  /** The hints added so far. The offsets in these hints are positions in `bytes`. */
  private readonly hints: BranchHint[] = [];
  private depth = 0;

  /**
   * @param keepsConstants whether to load constant vectors once, at the start of the function, and keep them in locals.
   *   Useful in functions with loops, where V8 would otherwise use three instructions to recreate a constant in every
   *   iteration
   */
  constructor(parameters: readonly ValueType[], keepsConstants = false) {
    this.parameterCount = parameters.length;
    this.kept = keepsConstants ? new VectorConstants() : null;
  }

  /** Returns the index of a new local. The local is zero at the start of the function. */
  local(type: ValueType): number {
    this.locals.push(type);
    return this.parameterCount + this.locals.length - 1;
  }

  /** Adds instructions without immediates, in order. */
  op(...names: readonly PlainOpcode[]): this {
    for (const name of names) this.bytes.byte(plainOpcodes[name]);
    return this;
  }

  /** Adds vector instructions without immediates, in order. */
  vector(...names: readonly VectorOpcode[]): this {
    for (const name of names) this.prefixed(vectorOpcodes[name]);
    return this;
  }

  /** Adds an instruction that extracts or replaces a lane of a vector. */
  lane(name: LaneOpcode, lane: number): this {
    this.prefixed(laneOpcodes[name]);
    this.bytes.byte(lane);
    return this;
  }

  /**
   * Builds a vector from bytes of two vectors. The indices 0 to 15 select bytes of the first vector, and 16 to 31
   * select bytes of the second.
   */
  shuffle(bytes: readonly number[]): this {
    this.prefixed(13);
    for (const byte of bytes) this.bytes.byte(byte);
    return this;
  }

  /** Pushes a constant vector, given as four words, the lowest first. */
  words(...words: Words): this {
    // A zero vector is not kept in a local, because V8 can create it without a load, and generates better code for some
    // instructions if an operand is a known zero.
    if (this.kept !== null && words.some((word) => word !== 0)) return this.get(this.keptLocal(this.kept, words));
    writeWords(this.bytes, words);
    return this;
  }

  /** Adds an instruction that loads or stores a vector or part of a vector. */
  vectorMemory(name: VectorMemoryOpcode, offset: number): this {
    const [opcode, alignment] = vectorMemoryOpcodes[name];
    this.prefixed(opcode);
    this.bytes.unsigned(alignment);
    this.bytes.unsigned(offset);
    return this;
  }

  /**
   * Adds an instruction that loads a value from memory into a lane of the vector on the stack, or stores one of the
   * vector's lanes. By default, it uses the lowest lane.
   */
  laneMemory(name: LaneMemoryOpcode, offset: number, lane = 0): this {
    const [opcode, alignment] = laneMemoryOpcodes[name];
    this.prefixed(opcode);
    this.bytes.unsigned(alignment);
    this.bytes.unsigned(offset);
    this.bytes.byte(lane);
    return this;
  }

  get(local: number): this {
    return this.indexed(opcodes.localGet, local);
  }

  set(local: number): this {
    return this.indexed(opcodes.localSet, local);
  }

  tee(local: number): this {
    return this.indexed(opcodes.localTee, local);
  }

  call(functionIndex: number): this {
    return this.indexed(0x10, functionIndex);
  }

  /** Pushes a constant, given as a signed or unsigned 32-bit number. */
  i32(value: number): this {
    this.bytes.byte(0x41);
    this.bytes.signed(value | 0);
    return this;
  }

  /** Pushes a constant, given as a signed or unsigned 64-bit number. */
  i64(value: bigint): this {
    this.bytes.byte(0x42);
    this.bytes.signedWide(BigInt.asIntN(64, value));
    return this;
  }

  /**
   * Pushes an f64 constant. The constant is given by its bits, because a JavaScript number might not preserve the
   * payload of a NaN.
   */
  f64(bits: bigint): this {
    return this.i64(bits).op('f64.reinterpret_i64');
  }

  /** Adds a load or store at the address on the stack plus `offset`; the sum does not wrap. */
  memory(name: MemoryOpcode, offset: number): this {
    const [opcode, alignment] = memoryOpcodes[name];
    this.bytes.byte(opcode);
    this.bytes.unsigned(alignment);
    this.bytes.unsigned(offset);
    return this;
  }

  /** Adds an atomic access at the address on the stack plus `offset`; an unaligned access traps. */
  atomic(name: AtomicOpcode, offset: number): this {
    const [opcode, alignment] = atomicOpcodes[name];
    this.bytes.byte(atomicPrefix);
    this.bytes.byte(opcode);
    this.bytes.unsigned(alignment);
    this.bytes.unsigned(offset);
    return this;
  }

  /** Adds a fence: to other threads, all accesses before the fence appear to happen before all accesses after it. */
  fence(): this {
    for (const byte of [atomicPrefix, 0x03, 0x00]) this.bytes.byte(byte);
    return this;
  }

  /** Adds an instruction that converts a float to an integer, clamped to the range of the integer. */
  truncate(name: SaturatingOpcode): this {
    this.bytes.byte(0xfc);
    this.bytes.byte(saturatingOpcodes[name]);
    return this;
  }

  /** Fills memory; takes an address, a byte and a size from the stack. */
  fill(): this {
    for (const byte of [0xfc, 0x0b, 0x00]) this.bytes.byte(byte);
    return this;
  }

  /** Copies memory; takes a destination address, a source address and a size from the stack. */
  copy(): this {
    for (const byte of [0xfc, 0x0a, 0x00, 0x00]) this.bytes.byte(byte);
    return this;
  }

  /** Adds a block that leaves nothing on the stack; a branch to its label continues after the end of the block. */
  block(body: (label: Label) => void): this {
    return this.nest(opcodes.block, body);
  }

  /** Adds a loop that leaves nothing on the stack; a branch to its label repeats it. */
  loop(body: (label: Label) => void): this {
    return this.nest(opcodes.loop, body);
  }

  /** Opens a block that ends at the matching `close`. This allows nesting that is too deep for recursive calls. */
  openBlock(): Label {
    return this.open(opcodes.block);
  }

  /** Opens a loop that ends at the matching `close`. */
  openLoop(): Label {
    return this.open(opcodes.loop);
  }

  close(): this {
    this.depth--;
    this.bytes.byte(opcodes.end);
    return this;
  }

  /** Adds a conditional; takes the condition from the stack. */
  if(then: () => void, otherwise?: () => void): this {
    return this.nest(opcodes.if, () => {
      then();
      if (otherwise === undefined) return;
      this.bytes.byte(opcodes.else);
      otherwise();
    });
  }

  br(label: Label): this {
    return this.indexed(opcodes.br, this.depth - label.depth);
  }

  brIf(label: Label): this {
    return this.indexed(opcodes.brIf, this.depth - label.depth);
  }

  /**
   * Adds the hint that the condition of the next `brIf` or `if` is rarely true. A WebAssembly engine that uses branch
   * hints can then keep values in registers on the usual path even if the rare path contains calls. The engine can also
   * move the code of the rare path out of the way.
   */
  unlikely(): this {
    this.hints.push({ offset: this.bytes.length, isLikely: false });
    return this;
  }

  /** Adds the hint that the condition of the next `brIf` or `if` is nearly always true. */
  likely(): this {
    this.hints.push({ offset: this.bytes.length, isLikely: true });
    return this;
  }

  /** Adds a branch table; takes an index from the stack. Indices past the last label branch to `otherwise`. */
  brTable(labels: readonly Label[], otherwise: Label): this {
    this.bytes.byte(opcodes.brTable);
    this.bytes.unsigned(labels.length);
    for (const label of labels) this.bytes.unsigned(this.depth - label.depth);
    this.bytes.unsigned(this.depth - otherwise.depth);
    return this;
  }

  /**
   * Encodes the function body. Nothing can be added afterwards.
   *
   * @param globalOf a function that takes a constant and returns the index of the global variable that holds it
   */
  encode(globalOf: (words: Words) => number): FunctionBody {
    const head = new Bytes();
    head.unsigned(this.locals.length);
    for (const type of this.locals) {
      head.unsigned(1);
      head.byte(valueTypes[type]);
    }
    this.kept?.values.forEach((words, i) => {
      head.byte(opcodes.globalGet);
      head.unsigned(globalOf(words));
      head.byte(opcodes.localSet);
      head.unsigned(elementAt(this.keptLocals, i));
    });
    const start = head.length;
    const bytes = new Uint8Array(start + this.bytes.length + 1);
    bytes.set(head.written());
    bytes.set(this.bytes.written(), start);
    bytes[bytes.length - 1] = opcodes.end;
    head.release();
    this.bytes.release();
    const hints = this.hints.map(({ offset, isLikely }) => ({ offset: start + offset, isLikely }));
    return { bytes, hints };
  }

  private keptLocal(kept: VectorConstants, words: Words): number {
    const index = kept.indexOf(words);
    this.keptLocals[index] ??= this.local('v128');
    return this.keptLocals[index];
  }

  private prefixed(opcode: number): void {
    this.bytes.byte(vectorPrefix);
    this.bytes.unsigned(opcode);
  }

  private indexed(opcode: number, index: number): this {
    this.bytes.byte(opcode);
    this.bytes.unsigned(index);
    return this;
  }

  private nest(opcode: number, body: (label: Label) => void): this {
    body(this.open(opcode));
    return this.close();
  }

  private open(opcode: number): Label {
    this.bytes.byte(opcode);
    this.bytes.byte(emptyType);
    this.depth++;
    return { depth: this.depth };
  }
}
