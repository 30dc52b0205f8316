/**
 * Lowers texture reads and surface accesses. The engine carries them out, except for texture reads that compiled code
 * can do by itself.
 */
import type { Ref } from '../../isa/steps/ref.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import { operandStarts } from '../../isa/texture-read.ts';
import type { RecordEngineCall } from '../engine-call.ts';
import { context } from '../layout.ts';
import type { Lowering } from '../lowering.ts';
import { loadResults } from '../engine-results.ts';
import { texelFunction } from './texel-code.ts';
import { wayOf } from './texture-table.ts';

/** The operands, and later the results, are stored in the context of the block. */
export function lowerTextureRead(step: StepOf<'texture-read'>, lowering: Lowering): void {
  const { code, helpers, values, locals, layout } = lowering;
  for (const field of ['coordinates', 'level', 'offset'] as const)
    storeOperands(step[field], operandStarts[field], lowering);
  const callEngine = (): void => {
    pushCall({ kind: 'texture-read', read: step.read }, lowering);
    for (const handle of [step.texture, step.sampler]) pushHandle(handle, lowering);
    code.call(helpers.import('texture'));
  };
  const way = wayOf(step.read);
  if (way === null) callEngine();
  else {
    code.get(locals.context);
    for (const handle of [step.texture, step.sampler]) values.get(handle, 'i64');
    code
      .call(texelFunction(helpers, layout, step.read, way))
      .op('i32.eqz')
      .unlikely()
      .if(callEngine);
  }
  loadResults(step.to, lowering);
}

export function lowerSurfaceAddress(step: StepOf<'surface-address'>, lowering: Lowering): void {
  const { code, values, helpers } = lowering;
  storeOperands(step.coordinates, operandStarts.coordinates, lowering);
  pushCall({ kind: 'surface-address', place: step.place }, lowering);
  pushHandle(step.surface, lowering);
  code.call(helpers.import('surface')).op('i64.extend_i32_u');
  values.set(step.to, 'i64');
}

/** The values to be stored come after the space for coordinates. */
export function lowerSurfaceStore(step: StepOf<'surface-store'>, lowering: Lowering): void {
  const { code, helpers } = lowering;
  storeOperands(step.coordinates, operandStarts.coordinates, lowering);
  storeOperands(step.from, operandStarts.values, lowering);
  const { place } = step;
  pushCall({ kind: 'surface-store', place, values: step.from.length }, lowering);
  pushHandle(step.surface, lowering);
  code.call(helpers.import('surface')).op('drop');
}

function storeOperands(refs: readonly Ref[], start: number, { code, values, locals, layout }: Lowering): void {
  refs.forEach((ref, i) => {
    code.get(locals.context);
    values.get(ref, 'i32');
    code.memory('i32.store', layout.origin + context.textureOperands + 4 * (start + i));
  });
}

function pushCall(call: Parameters<RecordEngineCall>[0], { code, locals, recordCall }: Lowering): void {
  code.i32(recordCall(call)).get(locals.thread).get(locals.fuel);
}

/** Handles are passed to the engine as f64 numbers, because it would have to allocate objects for 64-bit integers. */
function pushHandle(handle: Ref, { code, values }: Lowering): void {
  values.get(handle, 'i64');
  code.op('f64.convert_i64_u');
}
