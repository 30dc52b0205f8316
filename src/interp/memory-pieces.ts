/**
 * Copies, packs, combines and fills pieces of memory, each of a few bytes. Steps that work on larger ranges, such as
 * bulk copies and copies of tensor boxes, divide the ranges into pieces.
 */
import type { Bits } from '../base/bits.ts';
import type { AccessSpace } from '../isa/spaces.ts';
import { mbarrierFields } from '../isa/mbarrier-fields.ts';
import { completed, relaxedOnGpu } from '../isa/steps/order.ts';
import {
  type ConvertElement,
  packedBytes,
  packSixBits,
  spreadBytes,
} from '../machine/tensor-maps/element-conversion.ts';
import {
  type AccessContext,
  openMemory,
  placeIn,
  requireWritten,
  storeUndefined,
  undefinedIn,
} from './memory-access.ts';
import { atomicAccess, isOtherPhase, noteAccess, noteArrival, plainAccess } from './race-watch.ts';

/** A memory location, as an instruction specifies it. */
export interface Location {
  readonly space: AccessSpace;
  readonly address: bigint;
}

/**
 * Copies `bytes` bytes, in words of at most 8 bytes, or converts 4-byte words. Undefined bytes stay undefined in shared
 * memory; copying them to global memory is a fault.
 */
export function copyPiece(
  to: Location,
  from: Location,
  bytes: number,
  context: AccessContext,
  convert: ConvertElement | null = null,
): void {
  const wordBytes = convert === null ? Math.min(bytes, 8) : 4;
  const [source, target] = [placeIn(from.space, from.address), placeIn(to.space, to.address)];
  const read = openMemory(source, from.address, 'load', bytes, context);
  const undefinedParts = undefinedIn(read, source.offset, wordBytes, bytes / wordBytes, context.line);
  const written = openMemory(target, to.address, 'store', bytes, context);
  if (context.cpu.races !== null) {
    noteAccess(context.cpu, plainAccess('load', null, context), source, bytes);
    // A GPU performs such a copy once per warp, but ptxlab performs it once per lane.
    noteAccess(context.cpu, { ...plainAccess('store', null, context), isSilent: isCopied() }, target, bytes);
  }
  for (let at = 0; at < bytes; at += wordBytes) written.store(target.offset + at, 8 * wordBytes, valueAt(at));
  if (undefinedParts !== null) storeUndefined(written, target.offset, wordBytes, undefinedParts);

  function valueAt(at: number): Bits {
    const value = read.load(source.offset + at, 8 * wordBytes);
    return convert === null ? value : convert(Number(value));
  }

  function isCopied(): boolean {
    for (let at = 0; at < bytes; at += wordBytes)
      if (written.load(target.offset + at, 8 * wordBytes) !== valueAt(at)) return false;
    return true;
  }
}

/** Packs 16 six-bit elements, each of which takes up one byte at `from`. */
export function packPiece(to: Location, from: Location, context: AccessContext): void {
  const [source, target] = [placeIn(from.space, from.address), placeIn(to.space, to.address)];
  const read = openMemory(source, from.address, 'load', spreadBytes, context);
  const written = openMemory(target, to.address, 'store', 4, context);
  openMemory({ ...target, offset: target.offset + packedBytes - 4 }, to.address, 'store', 4, context);
  const undefinedParts = undefinedIn(read, source.offset, 1, spreadBytes, context.line) ?? [];
  for (const part of undefinedParts) storeUndefined(written, target.offset, 1, [part]);
  if (context.cpu.races !== null) {
    noteAccess(context.cpu, plainAccess('load', null, context), source, spreadBytes);
    noteAccess(context.cpu, plainAccess('store', null, context), target, packedBytes);
  }
  const spread = Uint8Array.from({ length: spreadBytes }, (_, i) => Number(read.load(source.offset + i, 8)));
  packSixBits(spread).forEach((byte, i) => written.store(target.offset + i, 8, byte));
}

/** Combines an element at `to` with one of the same size at `from`. */
export function combinePiece(
  to: Location,
  from: Location,
  bytes: number,
  combine: (old: Bits, value: Bits) => Bits,
  context: AccessContext,
): void {
  const [source, target] = [placeIn(from.space, from.address), placeIn(to.space, to.address)];
  const read = openMemory(source, from.address, 'load', bytes, context);
  requireWritten(read, source.offset, bytes, context.line);
  const isWatched = context.cpu.races !== null;
  if (isWatched) noteAccess(context.cpu, plainAccess('load', null, context), source, bytes);
  const written = openMemory(target, to.address, 'store', bytes, context);
  if (isWatched) noteAccess(context.cpu, atomicAccess(relaxedOnGpu, context), target, bytes);
  const old = written.load(target.offset, 8 * bytes);
  written.store(target.offset, 8 * bytes, combine(old, read.load(source.offset, 8 * bytes)));
}

/** Changes an mbarrier object at the end of a bulk copy. */
export function changeWord(
  { space, address }: Location,
  change: (word: bigint) => bigint,
  context: AccessContext,
): void {
  const place = placeIn(space, address);
  const memory = openMemory(place, address, 'store', 8, context);
  const order = { ...completed.bulk, phases: mbarrierFields.phase };
  noteAccess(context.cpu, atomicAccess(order, { line: context.line, starts: null, object: null }), place, 8);
  const old = BigInt(memory.load(place.offset, 64));
  const next = change(old);
  memory.store(place.offset, 64, next);
  noteArrival(context.cpu, order, place, isOtherPhase(order.phases, old, next));
}

/** Stores the low bits of `pattern` in each word of a piece. */
export function fillPiece(to: Location, bytes: number, pattern: bigint, context: AccessContext): void {
  const wordBytes = Math.min(bytes, 8);
  const target = placeIn(to.space, to.address);
  const written = openMemory(target, to.address, 'store', bytes, context);
  if (context.cpu.races !== null) noteAccess(context.cpu, plainAccess('store', null, context), target, bytes);
  const value = wordBytes === 8 ? pattern : Number(BigInt.asUintN(8 * wordBytes, pattern));
  for (let at = 0; at < bytes; at += wordBytes) written.store(target.offset + at, 8 * wordBytes, value);
}
