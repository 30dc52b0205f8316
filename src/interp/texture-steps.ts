/** Reads textures, finds the addresses of texels in surfaces, and stores texels. */
import type { StepOf } from '../isa/steps/step.ts';
import { operandStarts } from '../isa/texture-read.ts';
import { operandRoom } from '../machine/textures/sampling.ts';
import type { AccessContext } from './memory-access.ts';
import type { Action, Frame, PlaceOf } from './value-steps.ts';

export function prepareTextureRead(step: StepOf<'texture-read'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { textures } = context.memories;
  const { read } = step;
  const [texture, sampler] = [placeOf(step.texture), placeOf(step.sampler)];
  const from = (['coordinates', 'level', 'offset'] as const).flatMap((field) =>
    step[field].map((ref, i) => ({ place: placeOf(ref), to: operandStarts[field] + i })),
  );
  const to = step.to.map(placeOf);
  const operands = operandRoom();
  const results = new Uint32Array(to.length);
  return (frame: Frame) => {
    for (const one of from) operands.integers[one.to] = Number(frame[one.place]);
    textures.read(read, Number(frame[texture]), Number(frame[sampler]), operands, results);
    to.forEach((place, i) => {
      frame[place] = results[i] ?? 0;
    });
  };
}

export function prepareSurfaceAddress(
  step: StepOf<'surface-address'>,
  placeOf: PlaceOf,
  context: AccessContext,
): Action {
  const { textures } = context.memories;
  const { place } = step;
  const surface = placeOf(step.surface);
  const from = step.coordinates.map(placeOf);
  const coordinates = new Int32Array(from.length);
  const to = placeOf(step.to);
  return (frame: Frame) => {
    from.forEach((one, i) => {
      coordinates[i] = Number(frame[one]);
    });
    frame[to] = BigInt(textures.addressOf(place, Number(frame[surface]), coordinates));
  };
}

export function prepareSurfaceStore(step: StepOf<'surface-store'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { textures } = context.memories;
  const { place } = step;
  const surface = placeOf(step.surface);
  const [coordinates, values] = [step.coordinates.map(placeOf), step.from.map(placeOf)];
  const { integers } = operandRoom();
  return (frame: Frame) => {
    coordinates.forEach((one, i) => {
      integers[operandStarts.coordinates + i] = Number(frame[one]);
    });
    values.forEach((one, i) => {
      integers[operandStarts.values + i] = Number(frame[one]);
    });
    textures.store(place, Number(frame[surface]), integers, values.length);
  };
}
