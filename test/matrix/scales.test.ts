/**
 * Tests block-scaled mma, which takes each scale from the lane and byte that a selector chooses (PTX ISA 9.1,
 * 9.7.14.5.14).
 */
import { describe, expect, test } from 'vitest';
import { elementTypes, type ElementName } from './element-codes.ts';
import { placeOfA, placeOfB, placeOfC } from './isa-fragments.ts';
import { floats, pick } from './pick.ts';
import { engines, lanesOf, runWarp } from './warp.ts';

interface Case {
  readonly words: string;
  readonly k: number;
  readonly type: ElementName;
  readonly scale: 'ue8m0' | 'ue4m3';
  /** Scales of a row. */
  readonly count: 1 | 2 | 4;
}

const cases: readonly Case[] = [
  { words: 'kind::mxf8f6f4.block_scale.scale_vec::1X', k: 32, type: 'e4m3', scale: 'ue8m0', count: 1 },
  { words: 'kind::mxf8f6f4.block_scale.scale_vec::1X', k: 32, type: 'e2m1 in bytes', scale: 'ue8m0', count: 1 },
  { words: 'kind::mxf4.block_scale.scale_vec::2X', k: 64, type: 'e2m1', scale: 'ue8m0', count: 2 },
  { words: 'kind::mxf4nvf4.block_scale.scale_vec::2X', k: 64, type: 'e2m1', scale: 'ue8m0', count: 2 },
  { words: 'kind::mxf4nvf4.block_scale.scale_vec::4X', k: 64, type: 'e2m1', scale: 'ue4m3', count: 4 },
  { words: 'kind::mxf4nvf4.block_scale.scale_vec::4X', k: 64, type: 'e2m1', scale: 'ue8m0', count: 4 },
];

const selections = [
  { byteA: 0, threadA: 0, byteB: 0, threadB: 0 },
  { byteA: 0, threadA: 1, byteB: 0, threadB: 3 },
  { byteA: 2, threadA: 1, byteB: 0, threadB: 1 },
  { byteA: 0, threadA: 0, byteB: 2, threadB: 2 },
] as const;

const scaleValues = { ue8m0: [1, 2, 0.5, 4], ue4m3: [1, 2, 0.5, 1.5] } as const;

function scaleCode(format: 'ue8m0' | 'ue4m3', value: number): bigint {
  return format === 'ue4m3' ? elementTypes.e4m3.code(value) : BigInt(127 + Math.log2(value));
}

const all = cases.flatMap((one) =>
  selections
    .filter(({ byteA, byteB }) => byteA % one.count === 0 && byteB % one.count === 0)
    .map((selected) => ({ ...one, ...selected })),
);

describe.each(engines)('on %s', (engine) => {
  test.each(all)('$words of $type: {$byteA, $threadA}, {$byteB, $threadB}', async (one) => {
    const { words, k, type, scale, count, byteA, threadA, byteB, threadB } = one;
    const { bits, code } = elementTypes[type];
    const word = type.split(' ')[0];
    const p = 32 / bits;
    const [placeA, placeB] = [placeOfA(16, p), placeOfB(p)];
    const scaleOf = (which: 4 | 5, line: number, block: number): number => pick(scaleValues[scale], which, line, block);
    const a = (row: number, column: number): number => pick(floats, 0, row, column);
    const b = (row: number, column: number): number => pick(floats, 1, row, column);
    const c = (row: number, column: number): number => pick([0, 1, -2, 5], 2, row, column);
    /**
     * Returns a word whose scales begin at byte `first`. If the instruction used one of the other bytes as a scale, its
     * result would be wrong.
     */
    const scaleWord = (which: 4 | 5, line: number, first: number): bigint => {
      const codes = Array.from({ length: count }, (_, i) => scaleCode(scale, scaleOf(which, line, i)));
      const other = Array.from({ length: 4 }, () => 0x33n);
      codes.forEach((own, i) => {
        other[first + i] = own;
      });
      return other.reduce((sum, byte, i) => sum | (byte << BigInt(8 * i)), 0n);
    };
    const scales = Array.from({ length: 32 }, (_, lane): readonly bigint[] => {
      const [group, inGroup] = [lane >> 2, lane & 3];
      const ofA = inGroup >> 1 === threadA ? scaleWord(4, group + 8 * (inGroup & 1), byteA) : 0x2b2b_2b2bn;
      return [ofA, inGroup === threadB ? scaleWord(5, group, byteB) : 0x2b2b_2b2bn];
    });
    const found = await runWarp({
      engine,
      target: 'sm_120a',
      width: 32,
      mnemonic: `mma.sync.aligned.m16n8k${k}.row.col.${words}.f32.${word}.${word}.f32.${scale}`,
      results: 4,
      a: lanesOf(k / 2, (lane, i) => code(a(placeA(lane, i).row, placeA(lane, i).column)), bits, 32),
      b: lanesOf(k / 4, (lane, i) => code(b(placeB(lane, i).row, placeB(lane, i).column)), bits, 32),
      c: lanesOf(4, (lane, i) => elementTypes.f32.code(c(placeOfC(lane, i).row, placeOfC(lane, i).column)), 32, 32),
      more: scales,
      after: `, %e0, {${byteA}, ${threadA}}, %e1, {${byteB}, ${threadB}}`,
    });
    const element = (row: number, column: number): number => {
      let sum = c(row, column);
      for (let i = 0; i < k; i++) {
        const block = Math.floor((i * count) / k);
        sum += a(row, i) * scaleOf(4, row, block) * b(i, column) * scaleOf(5, column, block);
      }
      return sum;
    };
    const wanted = lanesOf(
      4,
      (lane, i) => elementTypes.f32.code(element(placeOfC(lane, i).row, placeOfC(lane, i).column)),
      32,
      32,
    );
    expect(found).toEqual(wanted);
  });
});
