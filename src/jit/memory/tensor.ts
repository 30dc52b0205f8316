/**
 * Lowers accesses to tensor memory. The engine carries out products and copies, so compiled code only passes the
 * operands to it.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { tensorOperands } from '../helpers.ts';
import type { Lowering } from '../lowering.ts';
import { addStart } from './checks.ts';

export function lowerTensorProduct(step: StepOf<'tensor-product'>, lowering: Lowering): void {
  const { d, a, b, instruction, adds, scale, scales, metadata, zeroColumns, unchanged } = step;
  lowering.code.i32(lowering.recordCall({ kind: 'tensor-product', product: step.product }));
  callEngine(
    [d, a, b, ...(scales ?? [null, null]), metadata, zeroColumns],
    [instruction, adds, scale, ...(unchanged ?? [])],
    lowering,
  );
}

export function lowerTensorCopy(step: StepOf<'tensor-copy'>, lowering: Lowering): void {
  lowering.code.i32(lowering.recordCall({ kind: 'tensor-copy', copy: step.copy }));
  callEngine([step.to, step.source], [], lowering);
}

export function lowerTensorLoad(step: StepOf<'tensor-load'>, lowering: Lowering): void {
  const { offsets, to } = step;
  const { code, values, layout } = lowering;
  const at = locateWords(step, lowering);
  to.forEach((ref, i) => {
    code.get(at).memory('i32.load', layout.origin + elementAt(offsets, i));
    values.set(ref, 'i32');
  });
}

export function lowerTensorStore(step: StepOf<'tensor-store'>, lowering: Lowering): void {
  const { offsets, from } = step;
  const { code, values, layout } = lowering;
  const at = locateWords(step, lowering);
  from.forEach((ref, i) => {
    code.get(at);
    values.get(ref, 'i32');
    code.memory('i32.store', layout.origin + elementAt(offsets, i));
  });
}

/** Returns a local that holds an address in global memory. The offsets of the words are relative to this address. */
function locateWords({ address, space }: Pick<StepOf<'tensor-load'>, 'address' | 'space'>, lowering: Lowering): number {
  const { code, values } = lowering;
  const at = values.temporary('i32');
  values.get(address, 'i64');
  code.op('i32.wrap_i64');
  addStart(lowering, space);
  code.set(at);
  return at;
}

/** Passes the operands to the engine, with zeros for operands that the step does not have. */
function callEngine(
  wide: readonly (Ref | null)[],
  narrow: readonly (Ref | null)[],
  { code, values, helpers, locals }: Lowering,
): void {
  code.get(locals.thread).get(locals.fuel);
  for (const ref of wide) {
    if (ref === null) code.i64(0n);
    else values.get(ref, 'i64');
  }
  for (let i = wide.length; i < tensorOperands.wide; i++) code.i64(0n);
  for (const ref of narrow) {
    if (ref === null) code.i32(0);
    else values.get(ref, 'i32');
  }
  for (let i = narrow.length; i < tensorOperands.narrow; i++) code.i32(0);
  code.call(helpers.import('tensor'));
}
