/** Writes guarded instructions in code for four threads. */
import { isCounted, type ProgramInstruction } from '../../program/function-program.ts';
import { isCheap } from '../../program/if-conversion.ts';
import { usesOf } from '../../program/uses.ts';
import type { Code } from '../../wasm/code.ts';
import { isMasked } from '../regions/partings.ts';
import type { Values } from '../regions/values.ts';
import type { FourLowerings } from './four-lowerings.ts';
import { lowerEachLane } from './vector-instruction.ts';
import { allLanes, type Vectors } from './vectors.ts';

interface GuardedCode {
  readonly code: Code;
  readonly values: Values;
  readonly vectors: Vectors;
  readonly lowerings: FourLowerings;
  /** Local for the fuel, which is reduced by 1 for each instruction that a thread executes. */
  readonly fuel: number;
  readonly varying: ReadonlySet<number>;
  /** Counts instructions that all four threads execute. */
  readonly spend: (count: number) => void;
}

type Guard = NonNullable<ProgramInstruction['guard']>;

export class FourGuards {
  private readonly parts: GuardedCode;
  /** Local that contains one bit for each of the four threads; the bit is 1 if the thread's guard is true. */
  private readonly members: number;

  constructor(parts: GuardedCode) {
    this.parts = parts;
    this.members = parts.code.local('i32');
  }

  /** Writes an instruction. `body` writes the code that runs if all four threads execute it. */
  write(instruction: ProgramInstruction, body: () => void): void {
    const { guard } = instruction;
    if (guard === null) body();
    else if (!isMasked(instruction, this.parts.varying)) this.skippedByAll(instruction, guard, body);
    else if (isCheap(instruction)) this.masked(instruction, guard, body);
    else this.maskedAccess(instruction, guard, body);
  }

  /** Writes an instruction whose guard is the same for all four threads. */
  private skippedByAll(instruction: ProgramInstruction, { register, negated }: Guard, body: () => void): void {
    const { code, vectors, values, spend } = this.parts;
    if (vectors.isVarying(register)) code.get(vectors.home(register).locals[0]).vector('v128.any_true');
    else values.getPlace(register, 'i32');
    if (negated) code.op('i32.eqz');
    code.if(() => {
      if (isCounted(instruction)) spend(1);
      body();
    });
  }

  /** Writes an instruction that all threads execute. Only threads whose guard is true keep the results. */
  private masked(instruction: ProgramInstruction, guard: Guard, body: () => void): void {
    const { code, vectors, fuel } = this.parts;
    if (isCounted(instruction)) {
      code.get(fuel);
      this.pushMask(guard).vector('i32x4.bitmask').op('i32.popcnt', 'i32.sub').set(fuel);
    }
    vectors.keepOnly(usesOf(instruction), () => this.pushMask(guard), body);
  }

  /** Writes a memory access, which is performed only by the threads whose guard is true. */
  private maskedAccess(instruction: ProgramInstruction, guard: Guard, body: () => void): void {
    const { code, fuel, lowerings } = this.parts;
    const { members } = this;
    this.pushMask(guard).vector('i32x4.bitmask').set(members);
    if (isCounted(instruction)) code.get(fuel).get(members).op('i32.popcnt', 'i32.sub').set(fuel);
    code.get(members).i32(allLanes).op('i32.eq');
    code.if(body, () =>
      lowerEachLane(instruction, lowerings.of(instruction), (lane, writeLane) => {
        code
          .get(members)
          .i32(1 << lane)
          .op('i32.and')
          .if(writeLane);
      }),
    );
  }

  /** Pushes a mask of the lanes in which the guard is true. */
  private pushMask({ register, negated }: Guard): Code {
    const { code, vectors } = this.parts;
    return code
      .get(vectors.home(register).locals[0])
      .words(0, 0, 0, 0)
      .vector(negated ? 'i32x4.eq' : 'i32x4.ne');
  }
}
