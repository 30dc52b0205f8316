/**
 * Guesses the stride of each register: by how much its value increases from one thread to the next thread in x. The
 * stride is 4 for the addresses of consecutive words, and 0 for a value that is the same in all threads. A wrong guess
 * leads to slower code, but not to wrong results. The analysis therefore ignores wraparound, and does not consider
 * which paths are taken.
 */
import type { Ref } from '../isa/steps/ref.ts';
import { inputsOf, isGroupStep, memoryUses } from '../isa/steps/effects.ts';
import type { Step } from '../isa/steps/step.ts';
import { constantAt } from './constant-at.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import { usesOf } from './uses.ts';

/**
 * The amount by which a value increases from one thread to the next. The stride is `data` if the value depends on the
 * contents of memory or on other threads, and null if there is no known pattern.
 */
export type Stride = number | 'data' | null;

/**
 * Maximum number of passes over the code. More passes would be needed only if a value were passed backward, from an
 * instruction to one that comes earlier in the text, several times in succession. This is unusual.
 */
const mostRounds = 4;

/** An instruction that writes registers whose values vary between threads. */
interface Source {
  readonly instruction: ProgramInstruction;
  readonly writes: readonly number[];
  /** Whether the results depend on the contents of memory or on other threads. */
  readonly isData: boolean;
}

/** Returns the strides of the registers that vary, by slot. */
export function stridesOf(program: FunctionProgram, varying: ReadonlySet<number>): ReadonlyMap<number, Stride> {
  const strides = new Map<number, Stride>();
  const sources = program.instructions.flatMap((instruction) => sourceOf(instruction, varying));
  const strideOf = (place: number): Stride | undefined => (varying.has(place) ? strides.get(place) : 0);
  for (let round = 0, changed = true; changed && round < mostRounds; round++) {
    changed = false;
    for (const { instruction, writes, isData } of sources) {
      const stride = isData ? 'data' : resultStride(program, instruction, strideOf);
      if (stride === undefined) continue;
      for (const place of writes) {
        const known = strides.get(place);
        const joined = known === undefined || known === stride ? stride : null;
        if (known === joined && strides.has(place)) continue;
        strides.set(place, joined);
        changed = true;
      }
    }
  }
  return strides;
}

function sourceOf(instruction: ProgramInstruction, varying: ReadonlySet<number>): readonly Source[] {
  const writes = usesOf(instruction).writes.filter((place) => varying.has(place));
  if (writes.length === 0) return [];
  const isData = instruction.steps.some((step) => isGroupStep(step) || memoryUses(step).length > 0);
  return [{ instruction, writes, isData }];
}

/** Returns the stride of a result; undefined if the stride of an operand has not been determined yet. */
function resultStride(
  program: FunctionProgram,
  { steps, places, reads, specials }: ProgramInstruction,
  strideOf: (place: number) => Stride | undefined,
): Stride | undefined {
  const [step, another] = steps;
  if (step === undefined || another !== undefined) return null;
  const placeOf = (ref: Ref): number => places.get(ref) ?? -1;
  const stride = (ref: Ref): Stride | undefined => {
    const place = placeOf(ref);
    const special = specials.find((one) => one.place === place);
    if (special !== undefined) return counts(special) ? 1 : 0;
    if (program.constants.has(place)) return 0;
    return strideOf(reads.find(({ operand }) => operand === place)?.register ?? place);
  };
  return stepStride(step, stride, (ref) => constantAt(program, placeOf(ref)));
}

function counts({ register: { value }, part }: ProgramInstruction['specials'][number]): boolean {
  return value === 'lane' || (value === 'threadIndex' && part === 0);
}

function stepStride(
  step: Step,
  stride: (ref: Ref) => Stride | undefined,
  constant: (ref: Ref) => number | null,
): Stride | undefined {
  const each = (refs: readonly Ref[], join: (...strides: readonly number[]) => Stride): Stride | undefined => {
    const found = refs.map(stride);
    if (found.includes('data')) return 'data';
    if (found.includes(undefined)) return undefined;
    const numbers = found.filter((one) => typeof one === 'number');
    return numbers.length === found.length ? join(...numbers) : null;
  };
  switch (step.kind) {
    case 'copy':
    case 'window':
    case 'convert':
      return stride(step.from);
    case 'select':
      return each(step.from, (a = 0, b = 0) => (a === b ? a : null));
    case 'integer':
      return integerStride(step, each, constant);
    case 'bits':
      return bitsStride(step, each, constant);
    default:
      return each(inputsOf(step), (...strides) => (strides.every((one) => one === 0) ? 0 : null));
  }
}

type Each = (refs: readonly Ref[], join: (...strides: readonly number[]) => Stride) => Stride | undefined;

function integerStride(
  { fn, from }: Extract<Step, { kind: 'integer' }>,
  each: Each,
  constant: (ref: Ref) => number | null,
): Stride | undefined {
  const times = (a: number, b: number): number | null => {
    const [first, second] = from.map(constant);
    if (a === 0 && b === 0) return 0;
    if (b === 0 && typeof second === 'number') return a * second;
    return a === 0 && typeof first === 'number' ? first * b : null;
  };
  switch (fn) {
    case 'add':
      return each(from, (a = 0, b = 0) => a + b);
    case 'sub':
      return each(from, (a = 0, b = 0) => a - b);
    case 'neg':
      return each(from, (a = 0) => -a);
    case 'mul.lo':
    case 'mul.wide':
      return each(from, (a = 0, b = 0) => times(a, b));
    case 'mad.lo':
    case 'mad.wide':
      return each(from, (a = 0, b = 0, c = 0) => {
        const product = times(a, b);
        return product === null ? null : product + c;
      });
    case 'min':
    case 'max':
      // If one operand is the same for all threads, it is probably a bound that affects only a few threads, for example
      // those at the edge of an image. The result then usually has the stride of the other operand.
      return each(from, (a = 0, b = 0) => (a === b || b === 0 ? a : a === 0 ? b : null));
    default:
      return each(from, (...strides) => (strides.every((one) => one === 0) ? 0 : null));
  }
}

function bitsStride(
  { fn, from }: Extract<Step, { kind: 'bits' }>,
  each: Each,
  constant: (ref: Ref) => number | null,
): Stride | undefined {
  return each(from, (a = 0, b = 0) => {
    const [, amount] = from.map(constant);
    if (fn === 'or') return a === 0 || b === 0 ? a + b : null;
    if (typeof amount !== 'number') return null;
    if (fn === 'shl') return a * 2 ** amount;
    // A bitwise AND with a mask that keeps the two lowest bits usually does not change the distances within a group of
    // four threads.
    return fn === 'and' && (amount & 3) === 3 ? a : null;
  });
}
