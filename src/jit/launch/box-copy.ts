/** Copies boxes of tensors for compiled code. */
import type { EngineMemory } from '../../machine/engine-memory.ts';
import { receiveBytes } from '../../machine/mbarrier-word.ts';
import {
  badTensorMap,
  boxBytes,
  decodeTensorMap,
  fillBits,
  inBlocks,
  piecesOf,
  type TensorMap,
} from '../../machine/tensor-map.ts';
import type { EngineCall } from '../engine-call.ts';
import { type Areas, resolveAccess } from './faults.ts';

type BoxCall = Extract<EngineCall, { readonly kind: 'load-box' | 'store-box' | 'multicast-box' }>;

/** The operands of a copy. `address` is the address of the box in shared memory. */
interface BoxOperands {
  readonly coordinates: readonly number[];
  /** The blocks to which the box is copied, and the mbarrier object there; only for copies to several blocks. */
  readonly mask: number;
  readonly object: number;
  readonly address: number;
  readonly words: readonly bigint[];
}

export function isBoxCall(call: EngineCall): call is EngineCall & BoxCall {
  return call.kind === 'load-box' || call.kind === 'store-box' || call.kind === 'multicast-box';
}

/** Number of coordinates that compiled code passes; those after the last dimension are zero. */
const coordinateCount = 5;

/** Takes apart the operands that compiled code passes after the fuel (see `box` in helpers.ts). */
export function boxOperands(operands: readonly (number | bigint)[]): BoxOperands {
  const [mask = 0n, object = 0n, address = 0n, ...words] = operands
    .slice(coordinateCount)
    .map((word) => BigInt.asUintN(64, BigInt(word)));
  const coordinates = operands.slice(0, coordinateCount).map(Number);
  return { coordinates, mask: Number(mask & 0xffffn), object: Number(object), address: Number(address), words };
}

type Open = (space: BoxCall['space'], place: number | bigint, access: 'load' | 'store', size: number) => Uint8Array;

export function copyBox(call: BoxCall, operands: BoxOperands, memory: EngineMemory, areas: Areas): void {
  const { kind, space, rank } = call;
  const { address, mask, object, words } = operands;
  const map = decodeTensorMap(words);
  if (map === null || map.dimensions.length !== rank) throw badTensorMap(map, rank);
  const open: Open = (inSpace, place, access, size) =>
    memory.bytesAt(resolveAccess({ space: inSpace, access, size }, BigInt(place), memory, areas), size);
  if (kind !== 'multicast-box') {
    copyTo(address, call, map, operands, open);
    return;
  }
  for (const [place, own] of inBlocks(mask, address, object)) {
    copyTo(place, call, map, operands, open);
    const bytes = open(space, own, 'store', 8);
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
    view.setBigUint64(0, receiveBytes(view.getBigUint64(0, true), boxBytes(map)), true);
  }
}

/** `place` is the address of the box in shared memory. */
function copyTo(
  place: number,
  { kind, space, tensorSpace, rank }: BoxCall,
  map: TensorMap,
  { coordinates }: BoxOperands,
  open: Open,
): void {
  const isLoad = kind !== 'store-box';
  const filling = new Uint8Array(BigUint64Array.of(fillBits[map.fill], fillBits[map.fill]).buffer);
  for (const { shared, global, bytes } of piecesOf(map, coordinates.slice(0, rank), place)) {
    if (global === null && !isLoad) continue;
    const source =
      global === null ? filling.subarray(0, bytes) : isLoad ? open(tensorSpace, global, 'load', bytes) : null;
    const inShared = open(space, shared, isLoad ? 'store' : 'load', bytes);
    if (source !== null) inShared.set(source);
    else if (global !== null) open(tensorSpace, global, 'store', bytes).set(inShared);
  }
}
