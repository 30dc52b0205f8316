/** Copies boxes of tensors for compiled code. */
import type { EngineMemory } from '../../machine/engine-memory.ts';
import { badTensorMap, decodeTensorMap, fillBits, piecesOf } from '../../machine/tensor-map.ts';
import type { EngineCall } from '../engine-call.ts';
import { type Areas, resolveAccess } from './faults.ts';

type BoxCall = Extract<EngineCall, { readonly kind: 'load-box' | 'store-box' }>;

/** The operands of a copy. `address` is the address of the box in shared memory. */
export interface BoxOperands {
  readonly coordinates: readonly number[];
  readonly address: number;
  readonly words: readonly bigint[];
}

/** Number of coordinates that compiled code passes; those after the last dimension are zero. */
const coordinateCount = 5;

/** Takes apart the operands that compiled code passes after the fuel (see `box` in helpers.ts). */
export function boxOperands(operands: readonly (number | bigint)[]): BoxOperands {
  const [address = 0n, ...words] = operands.slice(coordinateCount).map((word) => BigInt.asUintN(64, BigInt(word)));
  return { coordinates: operands.slice(0, coordinateCount).map(Number), address: Number(address), words };
}

export function copyBox(
  { kind, space, tensorSpace, rank }: BoxCall,
  { coordinates, address, words }: BoxOperands,
  memory: EngineMemory,
  areas: Areas,
): void {
  const map = decodeTensorMap(words);
  if (map === null || map.dimensions.length !== rank) throw badTensorMap(map, rank);
  const isLoad = kind === 'load-box';
  const at = (inSpace: BoxCall['space'], place: bigint, access: 'load' | 'store', size: number): Uint8Array =>
    memory.bytesAt(resolveAccess({ space: inSpace, access, size }, place, memory, areas), size);
  const filling = new Uint8Array(BigUint64Array.of(fillBits[map.fill], fillBits[map.fill]).buffer);
  for (const { shared, global, bytes } of piecesOf(map, coordinates.slice(0, rank), address)) {
    if (global === null && !isLoad) continue;
    const source =
      global === null ? filling.subarray(0, bytes) : isLoad ? at(tensorSpace, global, 'load', bytes) : null;
    const inShared = at(space, BigInt(shared), isLoad ? 'store' : 'load', bytes);
    if (source !== null) inShared.set(source);
    else if (global !== null) at(tensorSpace, global, 'store', bytes).set(inShared);
  }
}
