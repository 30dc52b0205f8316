/** Copies boxes of tensors. Each engine supplies the accesses to memory. */
import { startOfRank } from '../isa/spaces.ts';
import type { BoxKind } from '../isa/steps/memory.ts';
import { receiveBytes } from './mbarrier-word.ts';
import { boxBytes, fillOf, piecesOf, type TensorMap, tensorMapFor } from './tensor-map.ts';

/** The operands of an instruction that copies a box. */
export interface BoxCopy {
  readonly kind: BoxKind;
  /** The words of the tensor map. */
  readonly words: readonly bigint[];
  readonly coordinates: readonly number[];
  /** The address of the box in shared memory. */
  readonly address: number;
  /** The blocks to which `multicast-box` copies the box. The other kinds do not use it. */
  readonly mask: number;
  /** The mbarrier object at which the bytes arrive. `store-box` does not use it. */
  readonly object: number;
}

/** Accesses of at most 16 bytes. `shared` is an address in shared memory, `tensor` one in global memory. */
export interface BoxMemory {
  readonly load: (shared: number, tensor: bigint, bytes: number) => void;
  readonly store: (shared: number, tensor: bigint, bytes: number) => void;
  /** Repeats the low bits of `word`, or all of them, in shared memory. */
  readonly fill: (shared: number, bytes: number, word: bigint) => void;
  /** Changes 64 bits in shared memory. */
  readonly change: (shared: number, change: (word: bigint) => bigint) => void;
}

export function copyBox({ kind, words, coordinates, address, mask, object }: BoxCopy, memory: BoxMemory): void {
  const map = tensorMapFor(words, coordinates.length);
  const copy = (to: number, arrivesAt: number): void => {
    copyPieces(kind, { map, coordinates, address: to }, memory);
    memory.change(arrivesAt, (word) => receiveBytes(word, boxBytes(map)));
  };
  switch (kind) {
    case 'store-box':
      copyPieces(kind, { map, coordinates, address }, memory);
      return;
    case 'load-box':
      copy(address, object);
      return;
    case 'multicast-box':
      for (const start of blocksOf(mask)) copy(start + offsetOf(address), start + offsetOf(object));
  }
}

interface PlacedBox {
  readonly map: TensorMap;
  readonly coordinates: readonly number[];
  readonly address: number;
}

function copyPieces(kind: BoxKind, { map, coordinates, address }: PlacedBox, memory: BoxMemory): void {
  for (const { shared, global, bytes } of piecesOf(map, coordinates, address)) {
    if (kind === 'store-box') {
      if (global !== null) memory.store(shared, global, bytes);
    } else if (global === null) memory.fill(shared, bytes, fillOf(map));
    else memory.load(shared, global, bytes);
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
  return address % startOfRank(0);
}
