/** Copies tensor boxes on behalf of compiled code. */
import { type BoxKind, mostDimensions, mostOffsets } from '../../isa/steps/memory.ts';
import { MachineFault } from '../../machine/fault.ts';
import { type BoxCopy, type BoxMemory, copyBox, type MovedRow } from '../../machine/tensor-maps/box-copy.ts';
import { chunkBytes, lineBytes, swizzled } from '../../machine/swizzle.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import { type ConvertElement, packSixBits, spreadBytes } from '../../machine/tensor-maps/element-conversion.ts';
import type { EngineCall } from '../engine-call.ts';
import { updateAtomically } from './atomic-update.ts';
import { type Areas, resolveAccess } from './faults.ts';

type BoxCall = Extract<EngineCall, { readonly kind: BoxKind }>;

function isBoxCall(call: EngineCall): call is EngineCall & BoxCall {
  return 'rank' in call;
}

/** `operands` are the operands that compiled code passes after the fuel (see `box` in helpers.ts). */
export function copyBoxFor(
  call: EngineCall,
  operands: readonly (number | bigint)[],
  memory: EngineMemory,
  areas: Areas,
): void {
  if (!isBoxCall(call)) throw new Error(`a call of kind '${call.kind}' is not a copy of a box`);
  const { kind, mode, op, rank } = call;
  const [mask = 0n, object = 0n, address = 0n, ...words] = operands
    .slice(mostDimensions + mostOffsets)
    .map((word) => BigInt.asUintN(64, BigInt(word)));
  const box: BoxCopy = {
    kind,
    mode,
    op,
    words,
    coordinates: operands.slice(0, rank).map(Number),
    offsets: operands.slice(mostDimensions, mostDimensions + mostOffsets).map((offset) => Number(offset) & 0xffff),
    address: Number(address),
    mask: Number(mask & 0xffffn),
    object: Number(object),
  };
  copyBox(box, memoryOf(call, memory, areas));
}

function memoryOf({ space, tensorSpace }: BoxCall, memory: EngineMemory, areas: Areas): BoxMemory {
  const open = (inSpace: BoxCall['space'], address: number | bigint, access: 'load' | 'store', size: number) =>
    memory.bytesAt(resolveAccess({ space: inSpace, access, size }, BigInt(address), memory, areas), size);
  return {
    moveRow: (row) => moveRow(row, space, memory, areas),
    load: (shared, tensor, bytes, convert) => {
      const source = open(tensorSpace, tensor, 'load', bytes);
      const target = open(space, shared, 'store', bytes);
      target.set(source);
      if (convert !== null) convertWords(target, convert);
    },
    store: (shared, tensor, bytes) => {
      const source = open(space, shared, 'load', bytes);
      open(tensorSpace, tensor, 'store', bytes).set(source);
    },
    pack: (shared, tensor) => {
      const packed = packSixBits(open(space, shared, 'load', spreadBytes));
      for (let at = 0; at < packed.length; at += 4)
        open(tensorSpace, tensor + BigInt(at), 'store', 4).set(packed.subarray(at, at + 4));
    },
    reduce: (shared, tensor, bytes, combine) => {
      const access = { space, access: 'load', size: bytes } as const;
      const value = memory.load(resolveAccess(access, BigInt(shared), memory, areas), 8 * bytes);
      updateAtomically(open(tensorSpace, tensor, 'store', bytes), (old) => combine(old, value));
    },
    fill: (shared, bytes, word) => {
      const filling = new Uint8Array(BigUint64Array.of(word, word).buffer, 0, bytes);
      open(space, shared, 'store', bytes).set(filling);
    },
    change: (shared, change) => {
      const bytes = open(space, shared, 'store', 8);
      const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
      view.setBigUint64(0, change(view.getBigUint64(0, true)), true);
    },
  };
}

/**
 * Copies a row if all of its accesses are valid. Otherwise returns false; the row is then copied in pieces, which
 * detects the invalid access.
 */
function moveRow(row: MovedRow, space: BoxCall['space'], memory: EngineMemory, areas: Areas): boolean {
  const { start, size } = reachOf(row);
  const global = Number(row.tensor);
  const toShared = row.to === 'shared';
  const access = { space, access: toShared ? 'store' : 'load', size: chunkBytes } as const;
  let base: number;
  try {
    base = resolveAccess(access, BigInt(start), memory, areas);
    resolveAccess(access, BigInt(start + size - chunkBytes), memory, areas);
    for (let at = 0; at < row.bytes; at += chunkBytes)
      memory.check(toShared ? 'load' : 'store', global + at, chunkBytes);
  } catch (error) {
    if (error instanceof MachineFault) return false;
    throw error;
  }
  const [inShared, inTensor] = [memory.bytesAt(base, size), memory.bytesAt(global, row.bytes)];
  if (row.swizzle.lines > 1) moveChunks(row, wordsOf(inShared), wordsOf(inTensor));
  else if (toShared) inShared.set(inTensor);
  else inTensor.set(inShared);
  return true;
}

/**
 * The range of shared memory that a row can occupy. If the swizzle moves chunks, this range consists of whole lines.
 */
function reachOf({ shared, bytes, swizzle }: MovedRow): { readonly start: number; readonly size: number } {
  if (swizzle.lines === 1) return { start: shared, size: bytes };
  const start = shared - (shared % lineBytes);
  return { start, size: Math.ceil((shared + bytes) / lineBytes) * lineBytes - start };
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

const wordsInChunk = chunkBytes / 4;

/** Copies a row with a swizzle that moves chunks within their lines. `inShared` begins with the first line. */
function moveChunks({ to, shared, bytes, swizzle }: MovedRow, inShared: Uint32Array, inTensor: Uint32Array): void {
  const [from, target] = to === 'shared' ? [inTensor, inShared] : [inShared, inTensor];
  const first = shared - (shared % lineBytes);
  for (let at = 0; at < bytes; at += chunkBytes) {
    const [there, here] = [(swizzled(shared + at, swizzle) - first) / 4, at / 4];
    const [source, result] = to === 'shared' ? [here, there] : [there, here];
    for (let i = 0; i < wordsInChunk; i++) target[result + i] = from[source + i] ?? 0;
  }
}

function convertWords(bytes: Uint8Array, convert: ConvertElement): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 4) view.setUint32(at, convert(view.getUint32(at, true)), true);
}
