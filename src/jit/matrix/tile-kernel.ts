/** A WebAssembly module that multiplies rows for tcgen05.mma (tile-rows.ts). */
import { chunksOf, type DotArithmetic, type FactorFormat } from '../../numerics/dot-arithmetic.ts';
import type { Code } from '../../wasm/code.ts';
import { rowModule, rowParameters } from './row-module.ts';
import { advance } from './vector-factors.ts';
import { hasNormalProducts, VectorChunks } from './vector-chunks.ts';
import { type Eight, VectorEntries } from './vector-entries.ts';
import { decodeHalves, pushHalves } from './vector-halves.ts';
import { across, type VectorRooms } from './vector-layout.ts';
import { checkAccumulators, staysInRange } from './vector-sums.ts';

/** Maximum numbers: rows of A in a block, columns of B, and elements in a row or column. */
const most = { rows: 128, columns: 256, length: 64 } as const;

/**
 * The addresses of the sums and the factors in the memory of the module. The sums are in the order of their columns. A
 * block of B also stores its columns in order: the first four columns are stored where other products store the even
 * columns, and the last four columns are stored where other products store the odd columns.
 */
export const tileRooms: VectorRooms & { readonly sums: number } = (() => {
  const a = 4 * most.columns;
  const b = a + 4 * most.rows * most.length;
  const exponentsA = b + 4 * most.columns * most.length;
  const exponentsB = exponentsA + 2 * most.rows * most.length;
  const size = exponentsB + 2 * most.columns * most.length;
  return { entries: most.length, sums: 0, a, b, exponentsA, exponentsB, size };
})();

export interface TileKernel {
  /** The number of elements in a row of A. */
  readonly length: number;
  readonly arithmetic: DotArithmetic;
  readonly formats: readonly [a: FactorFormat, b: FactorFormat] | null;
}

/** Returns a module whose function `multiply` handles eight columns at a time. */
export function tileKernel(kernel: TileKernel): Uint8Array<ArrayBuffer> {
  return rowModule((code) => writeRow(code, kernel));
}

function writeRow(code: Code, { length, arithmetic, formats }: TileKernel): void {
  const { row, first, count } = rowParameters;
  const rooms = { ...tileRooms, entries: length };
  const local = (): number => code.local('i32');
  const bases = { valuesOfA: local(), exponentsOfA: local(), valuesOfB: local(), exponentsOfB: local() };
  const times = (factor: number, bytes: number, to: number): Code => code.get(factor).i32(bytes).op('i32.mul').set(to);
  times(row, 4 * length, bases.valuesOfA);
  times(row, 2 * length, bases.exponentsOfA);
  times(first, 4 * across * length, bases.valuesOfB);
  times(first, 2 * across * length, bases.exponentsOfB);
  const [sums, bad] = [local(), code.local('v128')];
  const eight: Eight = { row: 0, column: 0, sums: [code.local('v128'), code.local('v128')] };
  const inRange = formats !== null && staysInRange(...formats, arithmetic);
  const range = { arithmetic, inRange, normal: formats !== null && hasNormalProducts(...formats) };
  const chunks = new VectorChunks(code, new VectorEntries(code, 0, rooms, bases), range, bad);
  const entries = Array.from({ length }, (_, at) => at);
  const isHalf = arithmetic.end === 'f16';
  code.loop((again) => {
    eight.sums.forEach((sum, half) => {
      code.get(sums).vectorMemory('v128.load', tileRooms.sums + 16 * half);
      if (isHalf) decodeHalves(code, false);
      code.set(sum);
      if (inRange) checkAccumulators(code, arithmetic, sum, bad);
    });
    for (const chunk of chunksOf(entries, arithmetic)) chunks.add(eight, chunk);
    eight.sums.forEach((sum, half) => {
      code.get(sums);
      if (isHalf) pushHalves(code, sum);
      else code.get(sum);
      code.vectorMemory('v128.store', tileRooms.sums + 16 * half);
    });
    advance(code, sums, 4 * across);
    advance(code, bases.valuesOfB, 4 * across * length);
    advance(code, bases.exponentsOfB, 2 * across * length);
    code.get(count).i32(1).op('i32.sub').tee(count).brIf(again);
  });
  code.get(bad).vector('v128.any_true');
}
