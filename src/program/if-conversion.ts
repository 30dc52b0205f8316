/**
 * Turns short branches into guarded instructions. Threads that run together then stay together even if the branch
 * condition differs between them: every thread computes the results, and keeps only those that it needs.
 */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';
import type { Step, StepOf } from '../isa/steps/step.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import { usesOf } from './uses.ts';

type Guard = NonNullable<ProgramInstruction['guard']>;

/**
 * Maximum number of instructions on each side of a branch. With more instructions, skipping them may be faster than
 * keeping the threads together.
 */
const longest = 8;

/**
 * Maximum number of memory accesses on both sides of a branch. The limit is low because the code for an access is
 * generated twice: for all four threads together, and for each thread separately.
 */
const mostAccesses = 4;

const cheapFloats: ReadonlySet<StepOf<'float'>['fn']> = new Set([
  'add',
  'sub',
  'mul',
  'fma',
  'min',
  'max',
  'neg',
  'abs',
]);
const costlyIntegers: ReadonlySet<StepOf<'integer'>['fn']> = new Set(['div', 'rem']);

/**
 * Whether four threads can execute an instruction together even if its guard differs between them. A cheap instruction
 * is executed by all of them. Memory is accessed by each thread separately.
 */
export function canBeMasked(instruction: ProgramInstruction): boolean {
  return isCheap(instruction) || isPlainAccess(instruction);
}

/**
 * Whether an instruction only loads or stores, and its accesses need not be visible to other threads in a particular
 * order.
 */
function isPlainAccess({ steps, specials, call }: ProgramInstruction): boolean {
  if (call !== null || specials.length > 0) return false;
  return steps.some(isAccess) && steps.every((step) => (isAccess(step) ? step.order === null : isCheapStep(step)));
}

function isAccess(step: Step): step is StepOf<'load' | 'store'> {
  return step.kind === 'load' || step.kind === 'store';
}

/** Whether an instruction only computes values of registers, takes little time, and cannot fail. */
export function isCheap({ steps, specials, call }: ProgramInstruction): boolean {
  return call === null && specials.length === 0 && steps.every(isCheapStep);
}

function isCheapStep(step: Step): boolean {
  switch (step.kind) {
    case 'float':
      return cheapFloats.has(step.fn) && step.mode.rounding === 'rn';
    case 'integer':
      return !costlyIntegers.has(step.fn);
    case 'bits':
    case 'compare':
    case 'select':
    case 'copy':
    case 'constant':
    case 'unpack':
    case 'extract':
    case 'pack':
    case 'join':
      return true;
    default:
      return false;
  }
}

/**
 * Returns a program in which some branches, with or without an else side, are replaced with guards. A branch is
 * replaced if it skips only a few cheap instructions and memory accesses, and if its condition is one of the registers
 * in `varying`. Every instruction keeps its position and is counted as before.
 */
export function convertBranches(program: FunctionProgram, varying: ReadonlySet<number>): FunctionProgram {
  const { instructions } = program;
  const jumps = new Jumps(instructions);
  const converted = [...instructions];
  let changed = false;
  for (let at = 0; at < instructions.length; at++) {
    const branch = elementAt(instructions, at);
    if (branch.guard === null || !varying.has(branch.guard.register) || !jumpsOnly(branch)) continue;
    const sides = sidesOf(instructions, at, jumps);
    if (sides === null) continue;
    changed = true;
    const { guard } = branch;
    converted[at] = withGuard(branch, guard);
    for (let i = at + 1; i < sides.middle; i++)
      converted[i] = withGuard(elementAt(instructions, i), { ...guard, negated: !guard.negated });
    for (let i = sides.middle; i < sides.end; i++) converted[i] = withGuard(elementAt(instructions, i), guard);
    at = sides.end - 1;
  }
  return changed ? { ...program, instructions: converted } : program;
}

/**
 * Adds a guard to an instruction. A jump becomes an instruction without steps, because control simply continues with
 * the next instruction.
 */
function withGuard(instruction: ProgramInstruction, guard: Guard): ProgramInstruction {
  return jumpsOnly(instruction) ? { ...instruction, guard, steps: [], target: -1 } : { ...instruction, guard };
}

function jumpsOnly({ steps }: ProgramInstruction): boolean {
  return steps.length === 1 && steps[0]?.kind === 'branch';
}

/**
 * The two sides of a branch. The instructions that the branch skips end before `middle`. If there is an else side, its
 * instructions follow and end before `end`.
 */
interface Sides {
  readonly middle: number;
  readonly end: number;
}

/** Returns null if the branch cannot be replaced. */
function sidesOf(instructions: readonly ProgramInstruction[], at: number, jumps: Jumps): Sides | null {
  const { guard, target: middle } = elementAt(instructions, at);
  if (guard === null || middle <= at + 1 || middle - at - 1 > longest) return null;
  const last = elementAt(instructions, middle - 1);
  const end = last.guard === null && jumpsOnly(last) ? last.target : middle;
  if (end < middle || end - middle > longest) return null;
  let accesses = 0;
  for (let i = at + 1; i < end; i++) {
    const instruction = elementAt(instructions, i);
    const goesOn = jumpsOnly(instruction) ? instruction.target === i + 1 || i === middle - 1 : canBeMasked(instruction);
    if (instruction.guard !== null || !goesOn) return null;
    if (instruction.steps.some(isAccess) && ++accesses > mostAccesses) return null;
    if (usesOf(instruction).writes.includes(guard.register)) return null;
  }
  return jumps.leadsOnlyFromWithin(at, end) ? { middle, end } : null;
}

/** The positions to which instructions jump. */
class Jumps {
  private readonly sources = new Map<number, number[]>();

  constructor(instructions: readonly ProgramInstruction[]) {
    instructions.forEach(({ target, targets }, i) => {
      for (const to of [target, ...targets]) append(this.sources, to, i);
    });
  }

  /**
   * Whether all jumps to the instructions after `start` and before `end` come from `start` or from these instructions.
   */
  leadsOnlyFromWithin(start: number, end: number): boolean {
    for (let to = start + 1; to < end; to++) {
      if (this.sources.get(to)?.some((source) => source < start || source >= end) === true) return false;
    }
    return true;
  }
}
