/**
 * Lowers one instruction for four threads. If the instruction has the same effect for all four threads, its code is
 * written only once. Otherwise, the code uses vector instructions if the instruction has a vector form; if it has none,
 * the code is written four times.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Step } from '../../isa/steps/step.ts';
import type { AddressSource, ProgramInstruction, Transfer } from '../../program/function-program.ts';
import { usesOf } from '../../program/uses.ts';
import { differs } from '../../program/varying.ts';
import { lowerAddress, lowerInstruction, lowerStep, lowerSymbols } from '../lower.ts';
import type { Lowering } from '../lowering.ts';
import { extendWords, maskWords, type VectorLowering, type Writer } from './vector-lowering.ts';
import { fourReader } from './vector-specials.ts';
import { vectorStep } from './vector-steps.ts';
import { splat } from './vector-words.ts';
import { laneCount, type Vector, type Vectors } from './vectors.ts';
import { holder } from '../regions/values.ts';

export interface FourLowering {
  readonly vectors: Vectors;
  /** The context for the first of the four threads. `ofLane` is the context for the thread that `enterLane` selects. */
  readonly scalar: Lowering;
  readonly ofLane: Lowering;
  /**
   * Writes code that prepares `ofLane` for the thread in a lane: it sets the locals that hold the thread index and
   * `%tid`.
   */
  readonly enterLane: (lane: number) => void;
  readonly constantOf: VectorLowering['constantOf'];
  readonly kindOf: VectorLowering['kindOf'];
  readonly hidesNan: boolean;
  readonly hasLocal: boolean;
}

export function lowerForFour(instruction: ProgramInstruction, four: FourLowering): void {
  const { vectors, scalar, constantOf, kindOf, hidesNan, hasLocal } = four;
  vectors.begin(instruction);
  const varies = usesOf(instruction).reads.some((place) => vectors.isVarying(place));
  if (!varies && !differs(instruction, hasLocal)) {
    lowerInstruction(scalar);
    vectors.splatWrites(instruction);
    return;
  }
  const { code } = scalar;
  const write = onVectors(instruction, { code, vectors, scalar, constantOf, kindOf, hidesNan });
  if (write !== null) {
    write();
    vectors.keepUniform(instruction);
    return;
  }
  lowerEachLane(instruction, four, (_, writeLane) => writeLane());
}

/**
 * Writes the code of an instruction four times, once for the thread in each lane.
 *
 * @param place called for each lane with a function that writes the code for that lane; it must call this function
 */
export function lowerEachLane(
  instruction: ProgramInstruction,
  four: FourLowering,
  place: (lane: number, writeLane: () => void) => void,
): void {
  const { vectors } = four;
  for (let lane = 0; lane < laneCount; lane++) {
    place(lane, () => {
      four.enterLane(lane);
      vectors.begin(instruction);
      vectors.extractReads(instruction, lane);
      lowerInstruction(four.ofLane);
      vectors.insertWrites(instruction, lane);
    });
  }
}

/** Returns a function that writes the vector form of an instruction; null if the instruction has no vector form. */
function onVectors(instruction: ProgramInstruction, lowering: VectorLowering): Writer | null {
  const { steps, specials } = instruction;
  if (specials.some((special) => fourReader(special) === null)) return null;
  const writers = steps.map((step) => vectorStep(step, lowering));
  if (writers.includes(null)) return null;
  return () => {
    writeOperands(instruction, lowering);
    steps.forEach((step, i) => {
      if (!runsOnce(step, lowering)) writers[i]?.();
    });
    writeResults(instruction, lowering);
  };
}

/**
 * Writes scalar code for a step on integers if its operands are the same for all four threads. Returns whether code was
 * written. Many instructions start with such steps, for example to limit a shift amount.
 */
function runsOnce(step: Step, { vectors, scalar }: VectorLowering): boolean {
  if (step.kind !== 'integer' && step.kind !== 'bits') return false;
  const { from, to } = step;
  if (vectors.isVarying(vectors.placeOf(to)) || !from.every((ref) => vectors.isSame(ref))) return false;
  lowerStep(step, scalar);
  vectors.discard(to);
  return true;
}

// --- operands -------------------------------------------------------------------------------------------------------

/** Reads the operands that an instruction's steps use. */
export function writeOperands({ specials, addresses, reads }: ProgramInstruction, lowering: VectorLowering): void {
  const { code, vectors, scalar } = lowering;
  lowerSymbols(scalar);
  for (const special of specials) {
    const read = fourReader(special);
    if (read === null) throw new Error(`${special.register.name} must be read lane by lane`);
    const value = vectors.made('i32', () => {
      read(code, scalar.locals);
      maskWords(code, special.width);
    });
    vectors.write(special.place, value);
  }
  for (const source of addresses) writeAddress(source, lowering);
  for (const transfer of reads) writeRead(transfer, lowering);
}

function writeAddress(source: AddressSource, { code, vectors, scalar }: VectorLowering): void {
  const { place, base, offset } = source;
  if (base.kind !== 'register' || !vectors.isVarying(base.register)) {
    lowerAddress(source, scalar);
    return;
  }
  if (base.width <= 32) {
    const narrow = vectors.read(base.register, 'i32');
    const moved = vectors.made('i32', () => {
      code.get(narrow.locals[0]);
      if (base.signed) extendWords(code, base.width);
      if (offset !== 0n) splat(code, Number(BigInt.asIntN(32, offset))).vector('i32x4.add');
    });
    vectors.write(place, moved);
    return;
  }
  const wide = vectors.read(base.register, 'i64').locals;
  const moved = vectors.made('i64', (half) => {
    code.get(elementAt(wide, half));
    if (offset !== 0n) code.i64(offset).vector('i64x2.splat', 'i64x2.add');
  });
  vectors.write(place, moved);
}

function writeRead(transfer: Transfer, { code, vectors }: VectorLowering): void {
  const { operand, register, registerWidth, type, negated } = transfer;
  const target = holder(type.width);
  const source = vectors.read(register, target);
  const chopped = vectors.made(target, (half) => {
    code.get(elementAt(source.locals, half));
    if (negated) splat(code, 1).vector('v128.xor');
    else if (target === 'i32' && type.width < registerWidth) maskWords(code, type.width);
  });
  vectors.write(operand, chopped);
}

/** Writes an instruction's results to registers whose width differs from the width of the result. */
export function writeResults({ writes }: ProgramInstruction, { code, vectors }: VectorLowering): void {
  for (const { operand, register, registerWidth, type } of writes) {
    const signed = type.class === 'signed' && registerWidth > type.width;
    const narrow = vectors.read(operand, holder(type.width));
    const extended: Vector =
      signed && narrow.type === 'i32'
        ? vectors.made('i32', () => {
            code.get(narrow.locals[0]);
            extendWords(code, type.width);
          })
        : narrow;
    if (holder(registerWidth) === 'i64') {
      const wide =
        signed && extended.type === 'i32'
          ? vectors.made('i64', (half) =>
              code
                .get(extended.locals[0])
                .vector(half === 0 ? 'i64x2.extend_low_i32x4_s' : 'i64x2.extend_high_i32x4_s'),
            )
          : extended;
      vectors.write(register, wide);
      continue;
    }
    vectors.write(
      register,
      vectors.made('i32', () => {
        code.get((extended.type === 'i32' ? extended : vectors.read(operand, 'i32')).locals[0]);
        maskWords(code, registerWidth);
      }),
    );
  }
}
