/** Lowers copies of tensor boxes. The engine performs the copy, so compiled code only passes the operands. */
import { type BoxKind, mostDimensions, mostOffsets } from '../../isa/steps/memory.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Lowering } from '../lowering.ts';

export function lowerBox(step: StepOf<BoxKind>, { code, values, helpers, locals, recordCall }: Lowering): void {
  const { kind, mode, space, tensorSpace, coordinates, address, tensor, map } = step;
  const offsets = 'offsets' in step ? step.offsets : [];
  const op = step.kind === 'reduce-box' ? step.op : null;
  code.i32(recordCall({ kind, mode, op, space, tensorSpace, rank: coordinates.length }));
  code.get(locals.thread).get(locals.fuel);
  for (const ref of coordinates) values.get(ref, 'i32');
  // The engine function has a parameter for the coordinate of each dimension that a tensor may have.
  for (let i = coordinates.length; i < mostDimensions; i++) code.i32(0);
  for (const ref of offsets) values.get(ref, 'i32');
  for (let i = offsets.length; i < mostOffsets; i++) code.i32(0);
  if (step.kind === 'multicast-box') values.get(step.mask, 'i32');
  else code.i32(0);
  if ('object' in step) values.get(step.object, 'i64');
  else code.i64(0n);
  for (const ref of [address, tensor, ...map]) values.get(ref, 'i64');
  code.call(helpers.import('box'));
}
