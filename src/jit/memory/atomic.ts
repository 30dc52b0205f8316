/**
 * Lowers atomic steps. An atomic step reads elements from memory, runs the steps nested in it to compute new elements,
 * and writes these elements back.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Step, StepOf } from '../../isa/steps/step.ts';
import type { AtomicOpcode } from '../../wasm/opcodes.ts';
import { isContended, loads, locate, opcodeFor, stores } from './access.ts';
import { wholeOf } from '../upper-half.ts';
import { lockAddress } from '../layout.ts';
import type { Lowering } from '../lowering.ts';
import { holder } from '../regions/values.ts';

type LowerStep = (step: Step) => void;

/** The compare-and-exchange instruction for each element width. */
const exchanges: Readonly<Record<number, AtomicOpcode>> = {
  8: 'i32.atomic.rmw8.cmpxchg_u',
  16: 'i32.atomic.rmw16.cmpxchg_u',
  32: 'i32.atomic.rmw.cmpxchg',
  64: 'i64.atomic.rmw.cmpxchg',
};

export function lowerAtomic(step: StepOf<'atomic'>, lowering: Lowering, lowerStep: LowerStep): void {
  const { width, old, space } = step;
  const at = locate(lowering, { space, access: 'atomic', size: (width / 8) * old.length }, step.address);
  if (!isContended(space, lowering)) lowerAlone(step, lowering, lowerStep, at);
  else if (old.some((ref) => wholeOf(ref) !== null)) locked(lowering, () => lowerAlone(step, lowering, lowerStep, at));
  // Each element of a vector is updated atomically, independently of the others.
  else step.old.forEach((_, i) => exchange(step, lowering, lowerStep, at, i));
}

/**
 * Lowers an atomic step for a single host thread. The threads of a block run one after the other, so nothing happens
 * between the read and the write.
 */
function lowerAlone(step: StepOf<'atomic'>, lowering: Lowering, lowerStep: LowerStep, at: number): void {
  const { code, values } = lowering;
  const { width, old, next } = step;
  old.forEach((_, i) => loadOld(step, lowering, at, i));
  for (const inner of step.steps) lowerStep(inner);
  next.forEach((ref, i) => {
    code.get(at);
    values.get(ref, holder(width));
    code.memory(opcodeFor(stores, width), offsetOf(step, lowering, i));
  });
}

/**
 * Writes a loop that repeats the update until the compare-exchange succeeds, which means that the memory still contains
 * the value that was read before.
 */
function exchange(step: StepOf<'atomic'>, lowering: Lowering, lowerStep: LowerStep, at: number, i: number): void {
  const { code, values } = lowering;
  const type = holder(step.width);
  const opcode = exchanges[step.width];
  if (opcode === undefined) throw new Error(`there is no atomic instruction for ${step.width} bits`);
  // The steps refer to all elements of the vector, even to those that are updated later. The later elements are
  // therefore read here, and again just before they are updated.
  step.old.forEach((_, other) => {
    if (other > i) loadOld(step, lowering, at, other);
  });
  code.loop((again) => {
    loadOld(step, lowering, at, i);
    for (const inner of step.steps) lowerStep(inner);
    code.get(at);
    values.get(elementAt(step.old, i), type);
    values.get(elementAt(step.next, i), type);
    code.atomic(opcode, offsetOf(step, lowering, i));
    values.get(elementAt(step.old, i), type);
    code.op(`${type}.ne`).brIf(again);
  });
}

function loadOld(step: StepOf<'atomic'>, lowering: Lowering, at: number, i: number): void {
  const { code, values } = lowering;
  code.get(at).memory(opcodeFor(loads, step.width), offsetOf(step, lowering, i));
  values.set(elementAt(step.old, i), holder(step.width));
}

function offsetOf({ width }: StepOf<'atomic'>, { layout }: Lowering, i: number): number {
  return layout.origin + (i * width) / 8;
}

/**
 * Writes code that runs `body` while the thread holds the lock. A lock is needed because WebAssembly has no 128-bit
 * atomic instructions.
 */
function locked({ code, layout }: Lowering, body: () => void): void {
  const lock = layout.origin + lockAddress;
  code.loop((again) => {
    code.i32(0).i32(0).i32(1).atomic('i32.atomic.rmw.cmpxchg', lock).brIf(again);
  });
  body();
  code.i32(0).i32(0).atomic('i32.atomic.store', lock);
}
