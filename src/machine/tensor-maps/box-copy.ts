/** Copies boxes of tensors. Each engine supplies the accesses to memory. */
import { rankShift, startOfRank } from '../../isa/spaces.ts';
import type { BoxKind, BoxMode, BoxReduction } from '../../isa/steps/memory.ts';
import { type CombineElements, combineElements } from './box-reduction.ts';
import { receiveBytes } from '../mbarrier-word.ts';
import { boxBytes, fillOf, type Piece, piecesOf, type TensorMap, tensorMapFor } from './tensor-map.ts';

/** The operands of an instruction that copies a box. */
export interface BoxCopy {
  readonly kind: BoxKind;
  readonly mode: BoxMode;
  /** What `reduce-box` does; null for the other kinds. */
  readonly op: BoxReduction | null;
  /** The words of the tensor map. */
  readonly words: readonly bigint[];
  readonly coordinates: readonly number[];
  /** The address of the box in shared memory. */
  readonly address: number;
  /** The blocks to which `multicast-box` copies the box. The other kinds do not use it. */
  readonly mask: number;
  /** The mbarrier object at which the bytes arrive, for copies to shared memory. */
  readonly object: number;
}

/** Accesses of at most 16 bytes. `shared` is an address in shared memory, `tensor` one in global memory. */
export interface BoxMemory {
  readonly load: (shared: number, tensor: bigint, bytes: number) => void;
  readonly store: (shared: number, tensor: bigint, bytes: number) => void;
  /** Repeats the low bits of `word`, or all of them, in shared memory. */
  readonly fill: (shared: number, bytes: number, word: bigint) => void;
  /** Changes an element of a tensor atomically. `combine` gets it and the element of the same size in shared memory. */
  readonly reduce: (shared: number, tensor: bigint, bytes: number, combine: CombineElements) => void;
  /** Changes 64 bits in shared memory. */
  readonly change: (shared: number, change: (word: bigint) => bigint) => void;
}

export function copyBox(copy: BoxCopy, memory: BoxMemory): void {
  const { kind, mode, op, words, coordinates, address, mask, object } = copy;
  const map = tensorMapFor(words, coordinates.length, mode);
  const pieces = (at: number): Iterable<Piece> => piecesOf(map, coordinates, at, mode);
  const load = (to: number, arrivesAt: number): void => {
    for (const piece of pieces(to)) loadPiece(piece, map, memory);
    memory.change(arrivesAt, (word) => receiveBytes(word, boxBytes(map, mode)));
  };
  switch (kind) {
    case 'store-box':
      for (const { shared, global, bytes } of pieces(address)) if (global !== null) memory.store(shared, global, bytes);
      return;
    case 'reduce-box':
      if (op === null) throw new Error('a reduction has an operation');
      reducePieces(pieces(address), map, combineElements(op, map.element), memory);
      return;
    case 'load-box':
      load(address, object);
      return;
    case 'multicast-box':
      for (const start of blocksOf(mask)) load(start + offsetOf(address), start + offsetOf(object));
  }
}

function loadPiece({ shared, global, bytes }: Piece, map: TensorMap, memory: BoxMemory): void {
  if (global === null) memory.fill(shared, bytes, fillOf(map));
  else memory.load(shared, global, bytes);
}

function reducePieces(
  pieces: Iterable<Piece>,
  { element }: TensorMap,
  combine: CombineElements,
  memory: BoxMemory,
): void {
  for (const { shared, global, bytes } of pieces) {
    if (global === null) continue;
    for (let at = 0; at < bytes; at += element.bytes)
      memory.reduce(shared + at, global + BigInt(at), element.bytes, combine);
  }
}

/** The start of the shared memory of each block whose rank in the cluster is a bit of `mask`. */
function* blocksOf(mask: number): Generator<number> {
  for (let rank = 0; mask >>> rank !== 0; rank++) {
    if (((mask >>> rank) & 1) === 1) yield startOfRank(rank);
  }
}

/** The offset of an address in the shared memory of its block. All blocks of a cluster have the same offsets. */
function offsetOf(address: number): number {
  return address % 2 ** rankShift;
}
