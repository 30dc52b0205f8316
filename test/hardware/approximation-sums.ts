/**
 * Sums of the results of approximate instructions for all 2^32 operands, in blocks of 2^20 operands. The sum of a block
 * adds up `result * (2 * i + 1)`, modulo 2^64, where `i` is the index of the operand in the block.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Device, type LaunchOptions } from '../../src/device.ts';

const file = new URL('../golden/hardware/approximations.json.gz', import.meta.url);

/** Number of blocks. */
export const blockCount = 4096;

/** The sums that were computed on an H200, by instruction. */
export function recordedSums(): ReadonlyMap<string, readonly bigint[]> {
  const { sums }: { sums: Readonly<Record<string, readonly string[]>> } = JSON.parse(
    gunzipSync(readFileSync(file)).toString(),
  );
  return new Map(Object.entries(sums).map(([inst, all]) => [inst, all.map((digits) => BigInt(`0x${digits}`))]));
}

/** A kernel in which each block of 256 threads adds up the results for 2^20 operands, starting at `start`. */
function moduleOf(inst: string): string {
  return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 sums, .param .u32 start) {
.reg .pred %p; .reg .b32 %block, %i, %operand, %result, %weight, %first; .reg .b64 %sums, %sum;
mov.u32 %block, %ctaid.x; mov.u32 %i, %tid.x; ld.param.u64 %sums, [sums]; ld.param.u32 %operand, [start];
shl.b32 %first, %block, 20; add.u32 %operand, %operand, %first; add.u32 %operand, %operand, %i; mov.u64 %sum, 0;
LOOP: ${inst} %result, %operand; mad.lo.u32 %weight, %i, 2, 1; mad.wide.u32 %sum, %result, %weight, %sum;
add.u32 %operand, %operand, 256; add.u32 %i, %i, 256; setp.lt.u32 %p, %i, 1048576; @%p bra LOOP;
mad.wide.u32 %sums, %block, 8, %sums; red.global.add.u64 [%sums], %sum; ret; }
`;
}

/** Computes the sums of `count` blocks, starting with the block `first`. */
export async function computedSums(
  inst: string,
  first: number,
  count: number,
  options: Pick<LaunchOptions, 'simd'>,
): Promise<readonly bigint[]> {
  const device = await Device.create({ memory: 2 ** 20 });
  const sums = device.alloc(8 * count);
  const args = [sums, first * 2 ** 20];
  const result = await device
    .load(moduleOf(inst))
    .kernel('k')
    .launch({ grid: count, block: 256, args, ...options });
  if (!result.ok) throw new Error(result.fault.message);
  return [...sums.read('u64')];
}
