/** Runs built-in functions on behalf of compiled code. */
import { type BuiltinServices, runBuiltin } from '../../machine/builtins.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import type { CompiledBuiltin } from '../compiled-kernel.ts';
import { type Areas, resolveAccess } from './faults.ts';

/** @param base the offset in local memory at which the parameters of the function begin */
export function callBuiltin(
  { name, parameters, result }: CompiledBuiltin,
  base: number,
  memory: EngineMemory,
  areas: Areas,
  services: Omit<BuiltinServices, 'load'>,
): void {
  if (areas.local === null) throw new Error('a built-in function has parameters in local memory');
  const start = areas.local.address + base;
  const args = parameters.map(({ offset, bytes }) => BigInt(memory.load(start + offset, bytes * 8)));
  const load = (address: bigint, bytes: 1 | 4 | 8): bigint => {
    const call = { space: 'generic', access: 'load', size: bytes } as const;
    return BigInt(memory.load(resolveAccess(call, address, memory, areas), bytes * 8));
  };
  const value = runBuiltin(name, args, { ...services, load });
  if (value === null || result === null) return;
  memory.store(start + result.offset, result.bytes * 8, result.bytes === 8 ? value : Number(value));
}
