/** Copies boxes of tensors. */
import type { BoxKind } from '../isa/steps/memory.ts';
import type { StepOf } from '../isa/steps/step.ts';
import { type BoxMemory, copyBox } from '../machine/tensor-maps/box-copy.ts';
import { changeWord, combinePiece, copyPiece, fillPiece, packPiece } from './memory-pieces.ts';
import type { AccessContext } from './memory-access.ts';
import { arrivingAt } from './race-watch.ts';
import { type Action, bigintIn, type Frame, type PlaceOf } from './value-steps.ts';

type BoxStep = StepOf<BoxKind>;

export function prepareBox(step: BoxStep, placeOf: PlaceOf, context: AccessContext): Action {
  const { kind, mode } = step;
  const op = step.kind === 'reduce-box' ? step.op : null;
  const wordPlaces = [step.tensor, ...step.map].map(placeOf);
  const coordinatePlaces = step.coordinates.map(placeOf);
  const offsetPlaces = 'offsets' in step ? step.offsets.map(placeOf) : [];
  const addressPlace = placeOf(step.address);
  const maskPlace = step.kind === 'multicast-box' ? placeOf(step.mask) : null;
  const objectPlace = 'object' in step ? placeOf(step.object) : null;
  return (frame: Frame) => {
    const words = wordPlaces.map((place) => bigintIn(frame, place));
    const coordinates = coordinatePlaces.map((place) => Number(frame[place]) | 0);
    const offsets = offsetPlaces.map((place) => Number(frame[place]) & 0xffff);
    const address = Number(bigintIn(frame, addressPlace));
    const mask = maskPlace === null ? 0 : Number(frame[maskPlace]);
    const object = objectPlace === null ? 0 : Number(bigintIn(frame, objectPlace));
    const memory = memoryOf(step, objectPlace === null ? context : arrivingAt(BigInt(object), context));
    copyBox({ kind, mode, op, words, coordinates, offsets, address, mask, object }, memory);
  };
}

function memoryOf({ space, tensorSpace }: BoxStep, context: AccessContext): BoxMemory {
  const inShared = (address: number) => ({ space, address: BigInt(address) });
  const inTensor = (address: bigint) => ({ space: tensorSpace, address });
  return {
    // Undefined bytes and races are tracked for each piece.
    moveRow: () => false,
    load: (shared, tensor, bytes, convert) => copyPiece(inShared(shared), inTensor(tensor), bytes, context, convert),
    store: (shared, tensor, bytes) => copyPiece(inTensor(tensor), inShared(shared), bytes, context),
    pack: (shared, tensor) => packPiece(inTensor(tensor), inShared(shared), context),
    reduce: (shared, tensor, bytes, combine) =>
      combinePiece(inTensor(tensor), inShared(shared), bytes, combine, context),
    fill: (shared, bytes, word) => fillPiece(inShared(shared), bytes, word, context),
    change: (shared, change) => changeWord(inShared(shared), change, context),
  };
}
