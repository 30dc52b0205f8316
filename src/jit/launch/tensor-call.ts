/** Multiplies matrices in tensor memory and copies matrices to tensor memory on behalf of compiled code. */
import { startOfRank } from '../../isa/spaces.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import { misuse, ranksOf, type TensorAccess } from '../../machine/tensor-memory/access.ts';
import { copyToTensor } from '../../machine/tensor-memory/copy.ts';
import { multiplyInTensor } from '../../machine/tensor-memory/product.ts';
import type { EngineCall } from '../engine-call.ts';
import { tensorOperands } from '../helpers.ts';
import { tileRows } from '../matrix/tile-rows.ts';
import { type Areas, resolveAccess } from './faults.ts';

/** `words` are the operands that compiled code passes after the fuel (see `tensor` in helpers.ts). */
export function callForTensor(
  call: EngineCall,
  words: readonly (number | bigint)[],
  memory: EngineMemory,
  areas: Areas,
): void {
  const wide = words.slice(0, tensorOperands.wide).map((word) => BigInt.asUintN(64, BigInt(word)));
  const [d = 0n, a = 0n, b = 0n, scaleA = 0n, scaleB = 0n, metadata = 0n, zeroColumns = 0n] = wide;
  const memories = (blocks: 1 | 2): readonly TensorAccess[] =>
    ranksOf(blocks, areas.rank, areas.blocksPerCluster).map((rank) => accessOf(rank, memory, areas));
  if (call.kind === 'tensor-copy') {
    copyToTensor(call.copy, d, a, memories(call.copy.blocks));
    return;
  }
  if (call.kind !== 'tensor-product') throw new Error(`a call of kind '${call.kind}' does not use tensor memory`);
  const [instruction = 0, adds = 0, scale = 0, ...unchanged] = words.slice(tensorOperands.wide).map(Number);
  const { product } = call;
  const operands = { d, a, b, scales: [scaleA, scaleB], metadata, zeroColumns };
  const operation = { product, ...operands, instruction, adds: adds !== 0, scale, unchanged };
  multiplyInTensor(operation, memories(product.blocks), tileRows);
}

function accessOf(rank: number, memory: EngineMemory, areas: Areas): TensorAccess {
  if (areas.tensor === null) throw misuse('the kernel has no tensor memory');
  const { tensor } = areas.blockOf(rank);
  const inTensor = (offset: number, size: number): Uint8Array => memory.bytesAt(tensor + offset, size);
  const start = rank === areas.rank ? 0 : startOfRank(rank);
  return {
    chunk: (address) => {
      const access = { space: 'shared', access: 'load', size: 16 } as const;
      return memory.bytesAt(resolveAccess(access, BigInt(start + address), memory, areas), 16);
    },
    read: inTensor,
    write: inTensor,
  };
}
