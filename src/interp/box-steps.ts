/** Copies boxes of tensors. */
import type { StepOf } from '../isa/steps/step.ts';
import { receiveBytes } from '../machine/mbarrier-word.ts';
import {
  badTensorMap,
  boxBytes,
  decodeTensorMap,
  fillBits,
  inBlocks,
  piecesOf,
  type TensorMap,
} from '../machine/tensor-map.ts';
import { type AccessContext, changeWord, copyPiece, fillPiece } from './memory-steps.ts';
import { type Action, bigintIn, type Frame, type PlaceOf } from './value-steps.ts';

type BoxStep = StepOf<'load-box' | 'store-box' | 'multicast-box'>;

export function prepareBox(step: BoxStep, placeOf: PlaceOf, context: AccessContext): Action {
  const words = [step.tensor, ...step.map].map(placeOf);
  const coordinates = step.coordinates.map(placeOf);
  const address = placeOf(step.address);
  const [mask, object] = step.kind === 'multicast-box' ? [placeOf(step.mask), placeOf(step.object)] : [-1, -1];
  return (frame: Frame) => {
    const map = decodeTensorMap(words.map((place) => bigintIn(frame, place)));
    if (map === null || map.dimensions.length !== coordinates.length) throw badTensorMap(map, coordinates.length);
    const at = coordinates.map((place) => Number(frame[place]) | 0);
    const place = Number(bigintIn(frame, address));
    if (step.kind !== 'multicast-box') {
      copyTo(place, step, map, at, context);
      return;
    }
    for (const [own, arrival] of inBlocks(Number(frame[mask]), place, Number(bigintIn(frame, object)))) {
      copyTo(own, step, map, at, context);
      const location = { space: step.space, address: BigInt(arrival) };
      changeWord(location, (word) => receiveBytes(word, boxBytes(map)), context);
    }
  };
}

/** `place` is the address of the box in shared memory. */
function copyTo(
  place: number,
  { kind, space, tensorSpace }: BoxStep,
  map: TensorMap,
  coordinates: readonly number[],
  context: AccessContext,
): void {
  for (const piece of piecesOf(map, coordinates, place)) {
    const inShared = { space, address: BigInt(piece.shared) };
    if (piece.global === null) {
      if (kind !== 'store-box') fillPiece(inShared, piece.bytes, fillBits[map.fill], context);
      continue;
    }
    const inTensor = { space: tensorSpace, address: piece.global };
    if (kind === 'store-box') copyPiece(inTensor, inShared, piece.bytes, context);
    else copyPiece(inShared, inTensor, piece.bytes, context);
  }
}
