/** Copies boxes of tensors. Each engine provides the functions that access memory. */
import { rankShift, startOfRank } from '../../isa/spaces.ts';
import type { BoxKind, BoxMode, BoxReduction } from '../../isa/steps/memory.ts';
import { machineFault } from '../fault.ts';
import { formatAddress } from '../memory/address-space.ts';
import { receiveBytes } from '../mbarrier-word.ts';
import type { SwizzlePattern } from '../swizzle.ts';
import { type CombineElements, combineElements } from './box-reduction.ts';
import { partBytes } from './box-rows.ts';
import { conversionOf, type ConvertElement } from './element-conversion.ts';
import {
  type BoxRow,
  boxRows,
  changedGroupsInRow,
  fillOf,
  groupsInRow,
  type Piece,
  piecesOf,
  wholeRow,
} from './pieces.ts';
import { type TensorMap, tensorMapFor } from './tensor-map.ts';

/** The operands of an instruction that copies a box. */
export interface BoxCopy {
  readonly kind: BoxKind;
  readonly mode: BoxMode;
  /** The operation of `reduce-box`; null for the other kinds. */
  readonly op: BoxReduction | null;
  /** The words of the tensor map. */
  readonly words: readonly bigint[];
  readonly coordinates: readonly number[];
  /** The offsets for im2col. */
  readonly offsets: readonly number[];
  /** The address of the box in shared memory. */
  readonly address: number;
  /** The blocks to which `multicast-box` copies the box. The other kinds do not use this field. */
  readonly mask: number;
  /** The mbarrier object at which the bytes arrive, for copies to shared memory. */
  readonly object: number;
}

/** A row that lies completely inside the tensor. */
export interface MovedRow {
  readonly to: 'shared' | 'tensor';
  readonly shared: number;
  readonly tensor: bigint;
  /** The number of bytes to move, a multiple of 16. */
  readonly bytes: number;
  readonly swizzle: SwizzlePattern;
}

/**
 * The functions that access memory. Except for `moveRow`, they access at most 16 bytes. `shared` is an address in
 * shared memory, and `tensor` is an address in global memory.
 */
export interface BoxMemory {
  /** Copies a whole row at once. If the row must be copied in pieces, does nothing and returns false. */
  readonly moveRow: (row: MovedRow) => boolean;
  /** Copies bytes to shared memory. If `convert` is given, it is applied to each 4-byte element. */
  readonly load: (shared: number, tensor: bigint, bytes: number, convert: ConvertElement | null) => void;
  readonly store: (shared: number, tensor: bigint, bytes: number) => void;
  /** Packs 16 bytes of shared memory into 12 bytes of a tensor (`packSixBits`). */
  readonly pack: (shared: number, tensor: bigint) => void;
  /**
   * Fills bytes in shared memory with the low bits of `word`; if there are more bytes than `word` has, `word` is
   * repeated.
   */
  readonly fill: (shared: number, bytes: number, word: bigint) => void;
  /**
   * Updates an element of a tensor atomically. `combine` computes its new value from its old value and from the element
   * of the same size in shared memory.
   */
  readonly reduce: (shared: number, tensor: bigint, bytes: number, combine: CombineElements) => void;
  /** Updates a 64-bit word in shared memory. */
  readonly change: (shared: number, change: (word: bigint) => bigint) => void;
}

export function copyBox(copy: BoxCopy, memory: BoxMemory): void {
  const { kind, mode, op, words, coordinates, address, mask, object } = copy;
  const map = tensorMapFor(words, coordinates, mode);
  requireAligned(address);
  const changesTensor = kind === 'store-box' || kind === 'reduce-box';
  if (changesTensor) requireInside(map, copy);
  const groups = changesTensor ? changedGroupsInRow(map) : groupsInRow(map);
  const rows = (at: number): Iterable<BoxRow> => boxRows(map, copy, at, groups);
  const load = (to: number, arrivesAt: number): void => {
    loadRows(rows(to), map, memory);
    memory.change(arrivesAt, (word) => receiveBytes(word, partBytes(map, mode)));
  };
  switch (kind) {
    case 'store-box':
      storeRows(rows(address), map, memory);
      return;
    case 'reduce-box':
      if (op === null) throw new Error('a reduction without an operation');
      reduceRows(rows(address), map, combineElements(op, map.element), memory);
      return;
    case 'load-box':
      load(address, object);
      return;
    case 'multicast-box':
      for (const start of blocksOf(mask)) load(start + offsetOf(address), start + offsetOf(object));
  }
}

/** The alignment of boxes in shared memory. */
const boxAlignment = 128;

function requireAligned(address: number): void {
  if (address % boxAlignment === 0) return;
  const [shown, size] = [formatAddress(BigInt(address)), String(boxAlignment)];
  const parameters = { access: 'copy in units', size, address: shown, space: 'shared' };
  throw machineFault('PTX6002', parameters, { space: 'shared', address: shown });
}

/**
 * Throws a fault if an instruction that changes a tensor could begin before the start of the tensor or reach pixels
 * outside it.
 */
function requireInside({ part }: TensorMap, { coordinates, mode }: BoxCopy): void {
  const refuse = (what: string): never => {
    throw machineFault('PTX6035', { what: `is used to change a tensor, so ${what}` });
  };
  const negative = mode === 'rows' ? -1 : coordinates.findIndex((at) => at < 0);
  if (negative >= 0)
    refuse(`no coordinate can be negative, but that of dimension ${negative} is ${coordinates[negative]}`);
  if (part.kind === 'box') return;
  const low = part.lowerCorner.find((at) => at < 0);
  if (low !== undefined) refuse(`the lower corner cannot be ${low}, which is before the first pixel`);
  const high = part.upperCorner.find((at) => at > 0);
  if (high !== undefined) refuse(`the upper corner cannot be ${high}, which is after the last pixel`);
}

/** The largest access size for which all accesses to a 12-byte group are aligned. */
const packedWord = 4;

function loadRows(rows: Iterable<BoxRow>, map: TensorMap, memory: BoxMemory): void {
  const [fill, convert] = [fillOf(map), conversionOf(map.element)];
  const load = ({ shared, global, bytes }: Piece): void => {
    const size = bytes === 12 ? packedWord : bytes;
    for (let at = 0; at < bytes; at += size) {
      if (global === null) memory.fill(shared + at, size, fill);
      else memory.load(shared + at, global + BigInt(at), size, convert);
    }
  };
  for (const row of rows) {
    if (convert === null && movesWhole(row, 'shared', map, memory)) continue;
    for (const piece of piecesOf(map, row)) load(piece);
  }
}

function storeRows(rows: Iterable<BoxRow>, map: TensorMap, memory: BoxMemory): void {
  const { element, swizzle } = map;
  if (element.type === 'b4x16_p64' || swizzle.flips) {
    const what = swizzle.flips
      ? 'exchanges the 8-byte halves of every 16 bytes'
      : `has elements of type ${element.type}`;
    throw machineFault('PTX6035', { what: `${what}, so it can only be used for copies to shared memory` });
  }
  const store = ({ shared, global, bytes }: Piece): void => {
    if (global === null) return;
    if (element.type === 'b6x16_p32') memory.pack(shared, global);
    else memory.store(shared, global, bytes);
  };
  for (const row of rows) {
    if (movesWhole(row, 'tensor', map, memory)) continue;
    for (const piece of piecesOf(map, row)) store(piece);
  }
}

/** Copies a whole row at once if possible. Returns whether it was copied. */
function movesWhole(row: BoxRow, to: MovedRow['to'], map: TensorMap, memory: BoxMemory): boolean {
  const tensor = wholeRow(map, row);
  if (tensor === null) return false;
  return memory.moveRow({ to, shared: row.shared, tensor, bytes: row.bytes, swizzle: map.swizzle });
}

function reduceRows(rows: Iterable<BoxRow>, map: TensorMap, combine: CombineElements, memory: BoxMemory): void {
  const size = map.element.bytes;
  for (const row of rows) {
    for (const { shared, global, bytes } of piecesOf(map, row)) {
      if (global === null) continue;
      for (let at = 0; at < bytes; at += size) memory.reduce(shared + at, global + BigInt(at), size, combine);
    }
  }
}

/** For each block whose bit in `mask` is set, yields the start of its shared memory. */
function* blocksOf(mask: number): Generator<number> {
  for (let rank = 0; mask >>> rank !== 0; rank++) {
    if (((mask >>> rank) & 1) === 1) yield startOfRank(rank);
  }
}

/** The offset of an address in the shared memory of its block. This offset is the same in all blocks of a cluster. */
function offsetOf(address: number): number {
  return address % 2 ** rankShift;
}
