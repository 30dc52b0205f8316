/** Turns steps that copy, combine or clear ranges of memory into functions that operate on a frame. */
import type { AccessSpace } from '../isa/spaces.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { StepOf } from '../isa/steps/step.ts';
import { type AccessContext, openMemory, placeIn } from './memory-access.ts';
import { copyPiece, fillPiece, type Location } from './memory-pieces.ts';
import { prepareAtomic, prepareLoad } from './memory-steps.ts';
import { arrivingAt, noteAccess, plainAccess } from './race-watch.ts';
import type { Remainder } from './thread.ts';
import { type Action, bigintIn, type Frame, type PlaceOf } from './value-steps.ts';

/**
 * Prepares a copy of `size` bytes, of which only the first `count` are read; the remaining bytes become zero. Bytes
 * that are not read may lie outside the source's memory. The source must nevertheless be aligned as if all bytes were
 * read.
 */
export function prepareTransfer(step: StepOf<'transfer'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, sourceSpace } = step;
  const [address, source] = [placeOf(step.address), placeOf(step.source)];
  const [sizeAt, countAt] = [placeOf(step.size), placeOf(step.count)];
  const { cpu } = context;
  const [reads, writes] = [plainAccess('load', null, context), plainAccess('store', null, context)];
  return (frame: Frame) => {
    const size = Number(frame[sizeAt]);
    const count = Math.min(Number(frame[countAt]), size);
    const target = bigintIn(frame, address);
    const to = placeIn(space, target);
    const written = openMemory(to, target, 'store', size, context);
    noteAccess(cpu, writes, to, size);
    for (let i = 0; i < size; i++) written.store(to.offset + i, 8, 0);
    const effective = bigintIn(frame, source);
    const from = placeIn(sourceSpace, effective);
    const whole = count === size || from.offset % size !== 0;
    if (whole) openMemory(from, effective, 'load', size, context);
    if (count > 0) noteAccess(cpu, reads, from, count);
    for (let i = 0; i < count; i++) {
      const memory = openMemory({ ...from, offset: from.offset + i }, effective, 'load', 1, context);
      written.store(to.offset + i, 8, memory.load(from.offset + i, 8));
    }
  };
}

/** Bulk copies and reductions handle this many bytes at a time. */
const piece = 16;

export function prepareBulk(step: StepOf<'bulk'>, placeOf: PlaceOf, context: AccessContext): Action {
  const [address, source, sizeAt] = [placeOf(step.address), placeOf(step.source), placeOf(step.size)];
  const optional = (ref: Ref | null): number | null => (ref === null ? null : placeOf(ref));
  const mask = optional(step.mask);
  const [left, right] = [optional(step.left), optional(step.right)];
  const object = optional(step.object);
  return (frame: Frame) => {
    const [target, origin] = [bigintIn(frame, address), bigintIn(frame, source)];
    const size = Number(frame[sizeAt]);
    const copy = object === null ? context : arrivingAt(bigintIn(frame, object), context);
    for (let at = 0; at + piece <= size; at += piece) {
      const to = { space: step.space, address: target + BigInt(at) };
      const from = { space: step.sourceSpace, address: origin + BigInt(at) };
      const skipped = skippedBytes(countIn(frame, left) - at, countIn(frame, right) - (size - piece - at));
      if (mask !== null) copyBytes(to, from, Number(frame[mask]), copy);
      else if (skipped === 0) copyPiece(to, from, piece, copy);
      else copyOthers(to, from, skipped, copy);
    }
  };
}

/** A mask that selects the first `left` bytes and the last `right` bytes of a piece. */
function skippedBytes(left: number, right: number): number {
  const all = 2 ** piece - 1;
  const inPiece = (count: number): number => Math.max(0, Math.min(piece, count));
  return (all >>> (piece - inPiece(left))) | (all & ~(all >>> inPiece(right)));
}

/** Reads a number of bytes from a slot of the frame; 0 if `place` is null. */
function countIn(frame: Frame, place: number | null): number {
  return place === null ? 0 : Number(frame[place]);
}

/** Copies byte i of a piece if bit i of the mask is 1. */
function copyBytes(to: Location, from: Location, mask: number, context: AccessContext): void {
  openMemory(placeIn(from.space, from.address), from.address, 'load', piece, context);
  copyOthers(to, from, ~mask, context);
}

/** Copies byte i of a piece if bit i of the mask is 0. Source bytes that are not copied may be out of bounds. */
function copyOthers(to: Location, from: Location, mask: number, context: AccessContext): void {
  openMemory(placeIn(to.space, to.address), to.address, 'store', piece, context);
  for (let i = 0; i < piece; i++) {
    const next = ({ space, address }: Location): Location => ({ space, address: address + BigInt(i) });
    if (((mask >>> i) & 1) === 0) copyPiece(next(to), next(from), 1, context);
  }
}

/** The number of bytes that are cleared at a time. */
const clearedAtOnce = 8;

export function prepareClear(step: StepOf<'clear'>, placeOf: PlaceOf, context: AccessContext): Action {
  const [address, sizeAt] = [placeOf(step.address), placeOf(step.size)];
  return (frame: Frame) => {
    const [start, size] = [bigintIn(frame, address), Number(frame[sizeAt])];
    for (let at = 0; at + clearedAtOnce <= size; at += clearedAtOnce)
      fillPiece({ space: step.space, address: start + BigInt(at) }, clearedAtOnce, 0n, context);
  };
}

/**
 * Prepares updates of consecutive elements: `load` loads an element, and `update` combines it with the element at the
 * target.
 */
export function prepareBulkAtomic(
  step: StepOf<'bulk-atomic'>,
  placeOf: PlaceOf,
  combine: Remainder,
  context: AccessContext,
): Action {
  const { space, sourceSpace, width, from, to, value, old, next, steps, order } = step;
  const unseen = { proxy: 'generic', order: null, unused: false } as const;
  const load = prepareLoad(
    { kind: 'load', space: sourceSpace, width, to: [value], address: from, ...unseen },
    placeOf,
    context,
  );
  const element = { kind: 'atomic', space, width, address: to, old: [old], next: [next], steps, order } as const;
  const update = prepareAtomic(element, placeOf, combine, context);
  const [address, source, sizeAt] = [placeOf(step.address), placeOf(step.source), placeOf(step.size)];
  const [fromAt, toAt] = [placeOf(from), placeOf(to)];
  const open = (inSpace: AccessSpace, start: bigint): void => {
    openMemory(placeIn(inSpace, start), start, 'load', piece, context);
  };
  return (frame: Frame) => {
    const [target, origin] = [bigintIn(frame, address), bigintIn(frame, source)];
    const size = Number(frame[sizeAt]) & -piece;
    for (let at = 0; at < size; at += width / 8) {
      frame[fromAt] = origin + BigInt(at);
      frame[toAt] = target + BigInt(at);
      if (at % piece === 0) {
        open(sourceSpace, origin + BigInt(at));
        open(space, target + BigInt(at));
      }
      load(frame);
      update(frame);
    }
  };
}
