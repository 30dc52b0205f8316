/**
 * Finds groups of accesses in a basic block whose addresses differ only by constants, such as accesses to elements in
 * an unrolled loop, rows of a tile or fields of a structure. A single check is enough for all accesses of such a group.
 */
import type { Ref } from '../isa/steps/ref.ts';
import type { AccessSpace } from '../isa/spaces.ts';
import type { StepOf } from '../isa/steps/step.ts';
import type { NamedRegister } from './frame.ts';
import type { AddressSource, FunctionProgram, ProgramInstruction } from './function-program.ts';
import { registersByPlace } from './registers-by-place.ts';
import { usesOf } from './uses.ts';

/**
 * A range of memory that several accesses share. These accesses have the same size and the same state space, and each
 * of them is executed whenever their basic block is executed.
 */
export interface AccessSpan {
  readonly space: AccessSpace;
  /** Number of bytes per access, a power of two. */
  readonly size: number;
  /** Number of bytes from the start of the lowest access to the end of the highest access. */
  readonly bytes: number;
}

/** The position of an access, as an offset in bytes from the start of its span. */
export interface AccessPlace {
  readonly span: AccessSpan;
  readonly offset: number;
}

/**
 * Maximum length of spans in bytes. In global memory, a span is shorter than the gap between two allocations, so it is
 * enough to check its first and last byte.
 */
const longest = { global: 192, other: 2 ** 20 } as const;

const largestAccess = 16;

/**
 * Describes the value of a register as the sum of an unknown value, which is identified by `origin`, and a constant.
 */
interface Sum {
  readonly origin: number;
  readonly constant: bigint;
}

interface Access {
  readonly instruction: ProgramInstruction;
  readonly at: bigint;
}

interface Cluster {
  readonly space: AccessSpace;
  readonly size: number;
  low: bigint;
  high: bigint;
  readonly accesses: Access[];
}

/**
 * Returns the positions of all accesses in a basic block that share a span with other accesses. The block consists of
 * the instructions from `start` up to, but not including, `end`.
 *
 * @param kindOf returns the kind of a register; accesses through registers of different kinds never share a span
 */
export function accessPlaces(
  program: FunctionProgram,
  block: { readonly start: number; readonly end: number },
  kindOf: (register: number, size: number) => string,
): ReadonlyMap<ProgramInstruction, AccessPlace> {
  const sums = new Sums(program);
  const clusters: Cluster[] = [];
  // Accesses are added only to the newest cluster with the same key. Otherwise, the running time could grow
  // quadratically with the length of the block.
  const latest = new Map<string, Cluster>();
  for (const instruction of program.instructions.slice(block.start, block.end)) {
    const found = accessOf(instruction);
    if (found !== null) {
      const { address, register, width, size, space } = found;
      const { origin, constant } = sums.of(register);
      const at = BigInt.asIntN(width, constant + address.offset);
      const key = `${space} ${size} ${width} ${origin} ${kindOf(register, size)}`;
      let cluster = latest.get(key);
      if (cluster === undefined || !fits(cluster, at)) {
        cluster = { space, size, low: at, high: at, accesses: [] };
        clusters.push(cluster);
        latest.set(key, cluster);
      }
      add(cluster, { instruction, at });
    }
    sums.after(instruction);
    // A call may free memory, so an access before the call and an access after it cannot share a check.
    if (instruction.call !== null) latest.clear();
  }
  const places = new Map<ProgramInstruction, AccessPlace>();
  for (const { space, size, low, high, accesses } of clusters) {
    if (accesses.length < 2) continue;
    const span = { space, size, bytes: Number(high - low) + size };
    for (const { instruction, at } of accesses) places.set(instruction, { span, offset: Number(at - low) });
  }
  return places;
}

function fits({ space, size, low, high }: Cluster, at: bigint): boolean {
  const most = BigInt((space === 'global' || space === 'generic' ? longest.global : longest.other) - size);
  return (at > high ? at : high) - (at < low ? at : low) <= most && (at - low) % BigInt(size) === 0n;
}

function add(cluster: Cluster, access: Access): void {
  const { at } = access;
  cluster.accesses.push(access);
  if (at < cluster.low) cluster.low = at;
  if (at > cluster.high) cluster.high = at;
}

interface FoundAccess extends Pick<AccessSpan, 'size' | 'space'> {
  readonly address: AddressSource;
  readonly register: number;
  readonly width: number;
}

/**
 * Returns an instruction's access if its address is a register plus a constant and the access is executed whenever the
 * instruction is reached; otherwise null.
 */
function accessOf({ guard, steps, addresses, places }: ProgramInstruction): FoundAccess | null {
  if (guard !== null) return null;
  const [step, another] = steps.filter(isAccess);
  const [address] = addresses;
  if (step === undefined || another !== undefined || address === undefined || addresses.length > 1) return null;
  if (address.base.kind !== 'register' || places.get(step.address) !== address.place) return null;
  const { register, width } = address.base;
  // Narrower registers are ignored, because 8-bit and 16-bit sums wrap around before they are extended to an address.
  if (width < 32) return null;
  const size = (step.width / 8) * elementsOf(step).length;
  if (size > largestAccess || (size & (size - 1)) !== 0) return null;
  const { space } = step;
  if (step.kind !== 'load' && (space === 'param' || space === 'const')) return null;
  return { address, register, width: width <= 32 ? 32 : 64, size, space };
}

type AccessStep = StepOf<'load'> | StepOf<'store'> | StepOf<'atomic'>;

function isAccess(step: ProgramInstruction['steps'][number]): step is AccessStep {
  return step.kind === 'load' || step.kind === 'store' || step.kind === 'atomic';
}

function elementsOf(step: AccessStep): readonly Ref[] {
  if (step.kind === 'load') return step.to;
  return step.kind === 'store' ? step.from : step.old;
}

/**
 * Visits the instructions of a block in order, and keeps track of the registers whose values are known to be the sum of
 * an unknown value and a constant.
 */
class Sums {
  private readonly program: FunctionProgram;
  private readonly registers: ReadonlyMap<number, NamedRegister>;
  private readonly known = new Map<number, Sum>();
  private origins = 0;

  constructor(program: FunctionProgram) {
    this.program = program;
    this.registers = registersByPlace(program);
  }

  of(register: number): Sum {
    const known = this.known.get(register);
    if (known !== undefined) return known;
    const made = { origin: this.origins++, constant: 0n };
    this.known.set(register, made);
    return made;
  }

  after(instruction: ProgramInstruction): void {
    const result = this.resultOf(instruction);
    for (const place of usesOf(instruction).writes) this.known.delete(place);
    if (result !== null) this.known.set(result.register, result.sum);
  }

  /**
   * If the instruction is a move or adds a constant, returns its result as a sum; otherwise returns null. `reads` and
   * `writes` must be empty, so that no operand is truncated or extended.
   */
  private resultOf({ guard, steps, places, reads, writes }: ProgramInstruction): {
    readonly register: number;
    readonly sum: Sum;
  } | null {
    const [step] = steps;
    if (guard !== null || steps.length !== 1 || reads.length + writes.length > 0 || step === undefined) return null;
    if (step.kind !== 'copy' && !isAddition(step)) return null;
    const placeOf = (ref: Ref): number => places.get(ref) ?? -1;
    const register = placeOf(step.to);
    const width = this.widthOf(register);
    if (step.kind === 'copy') {
      const from = placeOf(step.from);
      if (width === undefined || this.widthOf(from) !== width) return null;
      return { register, sum: this.of(from) };
    }
    const [a = -1, b = -1] = step.from.map(placeOf);
    if (width === undefined || this.widthOf(a) !== width || !this.program.constants.has(b)) return null;
    const { origin, constant } = this.of(a);
    const amount = BigInt(this.program.initialFrame[b] ?? 0);
    return { register, sum: { origin, constant: step.fn === 'add' ? constant + amount : constant - amount } };
  }

  private widthOf(register: number): number | undefined {
    return this.registers.get(register)?.type.width;
  }
}

function isAddition(step: ProgramInstruction['steps'][number]): step is StepOf<'integer'> {
  return step.kind === 'integer' && (step.fn === 'add' || step.fn === 'sub') && !step.sat;
}
