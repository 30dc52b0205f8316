/**
 * The call stack of a thread. Every open call has an entry: the registers that the caller needs after the call, and
 * then a header.
 */
import type { Bits } from '../../base/bits.ts';
import { elementAt } from '../../base/element-at.ts';
import { calleesIn, longestChain } from '../../program/call-chain.ts';
import type { KernelProgram } from '../../program/link.ts';
import type { Liveness } from '../../program/liveness.ts';
import type { FunctionShape } from '../regions/function-shape.ts';

/** Size of a header in bytes. */
const headerBytes = 16;

/**
 * Offsets of the fields of a header, counted backward from its end. `region` is the region to return to, `base` is the
 * base of the caller's activation, and `size` is the size of the whole entry in bytes.
 */
export const header = { region: -16, base: -12, size: -8 } as const;

interface Memory {
  load(address: number, width: number): Bits;
}

/** Returns the size in bytes of the entry that ends at the address `end`. */
export function callSize(memory: Memory, end: number): number {
  return Number(memory.load(end + header.size, 32));
}

/** Returns the region to which a call returns; `end` is the address at which the entry of the call ends. */
export function returnRegion(memory: Memory, end: number): number {
  return Number(memory.load(end + header.region, 32));
}

/** Returns the size in bytes of the entry of a call that returns to block `resume`. */
export function callEntry(live: Liveness, resume: number): number {
  return 8 * live.at(resume).length + headerBytes;
}

/** Returns the number of bytes that the longest chain of calls needs. */
export function callStackBytes(kernel: KernelProgram, functions: readonly (FunctionShape | null)[]): number {
  const entries = functions.map((fn) => (fn === null ? 0 : largestEntry(fn)));
  const need = longestChain((index) => {
    const fn = functions[index] ?? null;
    return { last: 0, caller: elementAt(entries, index), callees: fn === null ? [] : calleesIn(fn.program) };
  });
  // If functions are recursive, the size of local memory limits the number of activations.
  return need ?? Math.ceil(kernel.stackBytes / kernel.entry.calleeBase) * entries.reduce((a, b) => Math.max(a, b), 0);
}

function largestEntry({ blocks, live }: FunctionShape): number {
  return blocks.reduce(
    (most, { exit }) => (exit.kind === 'call' ? Math.max(most, callEntry(live, exit.resume)) : most),
    0,
  );
}
