/** Multiplies matrices in tensor memory for compiled code. */
import type { EngineMemory } from '../../machine/engine-memory.ts';
import { machineFault } from '../../machine/fault.ts';
import { multiplyInTensor } from '../../machine/tensor-product.ts';
import type { EngineCall } from '../engine-call.ts';
import { type Areas, resolveAccess } from './faults.ts';

/** `operands` are those that compiled code passes after the fuel (see `tensorProduct` in helpers.ts). */
export function multiplyFor(
  call: EngineCall,
  operands: readonly (number | bigint)[],
  memory: EngineMemory,
  areas: Areas,
): void {
  if (call.kind !== 'tensor-product')
    throw new Error(`a call of kind '${call.kind}' is not a product in tensor memory`);
  const { product } = call;
  const [d = 0n, a = 0n, b = 0n] = operands.slice(0, 3).map((word) => BigInt.asUintN(64, BigInt(word)));
  const [instruction = 0, adds = 0, scale = 0, ...unchanged] = operands.slice(3).map(Number);
  const { tensor } = areas;
  if (tensor === null) throw machineFault('PTX6036', { what: 'the kernel has none' });
  const inTensor = (offset: number, size: number): Uint8Array => memory.bytesAt(tensor.address + offset, size);
  multiplyInTensor(
    { product, d, a, b, instruction, adds: adds !== 0, scale, unchanged },
    {
      chunk: (address) => {
        const access = { space: 'shared', access: 'load', size: 16 } as const;
        return memory.bytesAt(resolveAccess(access, BigInt(address), memory, areas), 16);
      },
      read: inTensor,
      write: inTensor,
    },
  );
}
