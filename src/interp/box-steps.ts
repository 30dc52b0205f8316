/** Copies boxes of tensors. */
import type { StepOf } from '../isa/steps/step.ts';
import { badTensorMap, decodeTensorMap, fillBits, piecesOf } from '../machine/tensor-map.ts';
import { type AccessContext, copyPiece, fillPiece } from './memory-steps.ts';
import { type Action, bigintIn, type Frame, type PlaceOf } from './value-steps.ts';

export function prepareBox(step: StepOf<'load-box' | 'store-box'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { kind, space, tensorSpace } = step;
  const words = [step.tensor, ...step.map].map(placeOf);
  const coordinates = step.coordinates.map(placeOf);
  const address = placeOf(step.address);
  return (frame: Frame) => {
    const map = decodeTensorMap(words.map((place) => bigintIn(frame, place)));
    if (map === null || map.dimensions.length !== coordinates.length) throw badTensorMap(map, coordinates.length);
    const start = Number(bigintIn(frame, address));
    for (const piece of piecesOf(
      map,
      coordinates.map((place) => Number(frame[place]) | 0),
      start,
    )) {
      const inShared = { space, address: BigInt(piece.shared) };
      if (piece.global === null) {
        if (kind === 'load-box') fillPiece(inShared, piece.bytes, fillBits[map.fill], context);
        continue;
      }
      const inTensor = { space: tensorSpace, address: piece.global };
      if (kind === 'load-box') copyPiece(inShared, inTensor, piece.bytes, context);
      else copyPiece(inTensor, inShared, piece.bytes, context);
    }
  };
}
