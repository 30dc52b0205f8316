/**
 * Tests tensor memory: how columns are allocated, which lane and column each register of a thread corresponds to, and
 * what warps are not allowed to do. For each shape, `shapes` contains the positions of a thread's registers,
 * transcribed from the figures of the ISA (9.7.16.2.3.1).
 */
import { describe, expect, test } from 'vitest';
import { output, outcome, ways } from './run.ts';

const allocate = (columns: number): string =>
  `setp.lt.u32 %p1, %r1, 32;
@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], ${columns};
bar.sync 0;
ld.shared.b32 %r2, [base];
shr.u32 %r3, %r1, 5; shl.b32 %r3, %r3, 21; add.u32 %r3, %r3, %r2;`;

const free = (columns: number): string =>
  `bar.sync 0;
@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, ${columns};`;

/**
 * %r1 contains the index of the thread, %r2 the start of the allocated columns, and %r3 the start of the warp's lanes.
 */
const source = (body: string, columns = 32) => ({
  module: '.shared .b32 base;',
  body: `mov.u32 %r1, %tid.x;\n${allocate(columns)}\n${body}\n${free(columns)}`,
});

const list = (count: number, from: number): string =>
  Array.from({ length: count }, (_, i) => `%r${from + i}`).join(', ');

/** Stores `100 * lane + column` in the first 8 columns of each lane. */
const fill = `mul.lo.u32 %r4, %r1, 100;
${[1, 2, 3, 4, 5, 6, 7].map((i) => `add.u32 %r${4 + i}, %r4, ${i};`).join(' ')}
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r3], {${list(8, 4)}};
tcgen05.wait::st.sync.aligned;`;

type Place = readonly [lane: number, column: number];

const shapes: readonly (readonly [shape: string, registers: number, placeOf: (lane: number, i: number) => Place])[] = [
  ['32x32b.x4', 4, (lane, i) => [lane, i]],
  ['16x64b.x4', 4, (lane, i) => [(lane >> 2) + 8 * (lane & 1), 2 * i + ((lane >> 1) & 1)]],
  ['16x128b.x2', 4, (lane, i) => [(lane >> 2) + 8 * (i & 1), 4 * (i >> 1) + (lane & 3)]],
  ['16x256b.x1', 4, (lane, i) => [(lane >> 2) + 8 * (i >> 1), 2 * (lane & 3) + (i & 1)]],
];

const store = (count: number): string =>
  `ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, ${4 * count}, %rd1;
${Array.from({ length: count }, (_, i) => `st.global.b32 [%rd1+${4 * i}], %r${4 + i};`).join(' ')}`;

const value = ([lane, column]: Place): number => 100 * lane + column;

describe.each(Object.entries(ways))('%s', (_way, way) => {
  const run = (body: string, count: number) =>
    output(source(body), 128 * 4 * count, { ...way, block: 128 }).then((words) => [...words]);

  const expected = (count: number, of: (thread: number, i: number) => number): readonly number[] =>
    Array.from({ length: 128 * count }, (__, at) => of(Math.floor(at / count), at % count));

  test.each(shapes)('a load of shape %s', async (shape, count, placeOf) => {
    const words = await run(
      `${fill}\ntcgen05.ld.sync.aligned.${shape}.b32 {${list(count, 4)}}, [%r3];\n${store(count)}`,
      count,
    );
    const own = (thread: number, i: number): number => value(placeOf(thread & 31, i)) + 3200 * (thread >> 5);
    expect(words).toEqual(expected(count, own));
  });

  test.each([0, 32, 96, 128])('each warp accesses its own lanes, even if the address names lane %i', async (lane) => {
    const at = `add.u32 %r19, %r2, ${lane * 2 ** 16};`;
    const load = `tcgen05.ld.sync.aligned.32x32b.x4.b32 {${list(4, 4)}}, [%r19];`;
    expect(await run(`${fill}\n${at}\n${load}\n${store(4)}`, 4)).toEqual(
      expected(4, (thread, i) => value([thread, i])),
    );
  });

  test('the second half of the lanes of each warp', async () => {
    const load = `add.u32 %r19, %r2, ${16 * 2 ** 16};\ntcgen05.ld.sync.aligned.16x256b.x1.b32 {${list(4, 4)}}, [%r19];`;
    const own = (thread: number, i: number): number =>
      value([thread - (thread & 31) + 16 + ((thread & 31) >> 2) + 8 * (i >> 1), 2 * (thread & 3) + (i & 1)]);
    expect(await run(`${fill}\n${load}\n${store(4)}`, 4)).toEqual(expected(4, own));
  });

  test.each(shapes)('a store of shape %s, read lane by lane', async (shape, count) => {
    const body = `${fill}
tcgen05.ld.sync.aligned.${shape}.b32 {${list(count, 12)}}, [%r3];
tcgen05.wait::ld.sync.aligned;
tcgen05.st.sync.aligned.${shape}.b32 [%r3+8], {${list(count, 12)}};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.${shape}.b32 {${list(count, 4)}}, [%r3+8];
${store(count)}`;
    const own = await run(
      `${fill}\ntcgen05.ld.sync.aligned.${shape}.b32 {${list(count, 4)}}, [%r3];\n${store(count)}`,
      count,
    );
    expect(await run(body, count)).toEqual(own);
  });

  test('the upper lanes of a warp, in a shape of 16 lanes', async () => {
    const body = `${fill}\ntcgen05.ld.sync.aligned.16x256b.x1.b32 {${list(4, 4)}}, [%r3+0x100000];\n${store(4)}`;
    const own = (thread: number, i: number): number =>
      value([16 + ((thread & 31) >> 2) + 8 * (i >> 1), 2 * (thread & 3) + (i & 1)]) + 3200 * (thread >> 5);
    expect(await run(body, 4)).toEqual(expected(4, own));
  });

  test('lanes beyond the last, as kernels for two blocks have them', async () => {
    const body = `${fill}\ntcgen05.ld.sync.aligned.32x32b.x4.b32 {${list(4, 4)}}, [%r3+0x800000];\n${store(4)}`;
    const own = (thread: number, i: number): number => value([thread, i]);
    expect(await run(body, 4)).toEqual(expected(4, own));
  });

  test('two halves of the data at a distance', async () => {
    const body = `${fill}\ntcgen05.ld.sync.aligned.16x32bx2.x2.b32 {${list(2, 4)}}, [%r3], 4;\n${store(2)}`;
    const own = (thread: number, i: number): number =>
      value([thread & 15, i + 4 * ((thread >> 4) & 1)]) + 3200 * (thread >> 5);
    expect(await run(body, 2)).toEqual(expected(2, own));
  });

  const [big, small, nan] = [0x40a0_0000, 0xc0c0_0000, 0x7fc0_0000];
  /** For each reduction, the words that are loaded and the result. */
  const reductions: readonly (readonly [words: string, loaded: readonly number[], result: number])[] = [
    ['min.u32', [5, 7, 0xffff_fffe, 6], 5],
    ['max.u32', [5, 7, 0xffff_fffe, 6], 0xffff_fffe],
    ['min.s32', [5, 7, 0xffff_fffe, 6], 0xffff_fffe],
    ['max.s32', [5, 7, 0xffff_fffe, 6], 7],
    ['max.f32', [0, big, nan, small], big],
    ['min.f32', [0, big, nan, small], small],
    ['max.abs.f32', [0, big, nan, small], 0x40c0_0000],
    ['min.NaN.f32', [0, big, nan, small], 0x7fff_ffff],
    ['max.abs.NaN.f32', [0, big, 0, small], 0x40c0_0000],
  ];
  test.each(reductions)('a load that also finds the extremum: %s', async (words, loaded, result) => {
    const body = `${loaded.map((word, i) => `mov.b32 %r${4 + i}, ${word};`).join(' ')}
tcgen05.st.sync.aligned.32x32b.x4.b32 [%r3], {${list(4, 4)}};
mov.b32 %r4, 0; mov.b32 %r5, 0;
tcgen05.ld.red.sync.aligned.32x32b.x4.${words} {${list(4, 4)}}, %r8, [%r3];
${store(5)}`;
    const found = await output({ ...source(body), target: 'sm_103a' }, 128 * 20, { ...way, block: 128 });
    expect([...found]).toEqual(expected(5, (__, i) => [...loaded, result][i] ?? 0));
  });

  test('a load of two halves that also finds the extremum', async () => {
    const body = `${fill}\ntcgen05.ld.red.sync.aligned.16x32bx2.x2.max.u32 {${list(2, 4)}}, %r6, [%r3], 4;\n${store(3)}`;
    const found = await output({ ...source(body), target: 'sm_103a' }, 128 * 12, { ...way, block: 128 });
    const own = (thread: number, i: number): number =>
      value([thread & 15, Math.min(i, 1) + 4 * ((thread >> 4) & 1)]) + 3200 * (thread >> 5);
    expect([...found]).toEqual(expected(3, own));
  });

  test('columns of 16 bits, packed and unpacked', async () => {
    const body = `mov.b32 %r4, 0x22221111; mov.b32 %r5, 0x44443333;
tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r3], {%r4, %r5};
tcgen05.ld.sync.aligned.32x32b.x4.b32 {${list(4, 4)}}, [%r3];
tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r8, %r9}, [%r3];
${store(6)}`;
    const own = [0x1111, 0x2222, 0x3333, 0x4444, 0x2222_1111, 0x4444_3333];
    expect(await run(body, 6)).toEqual(expected(6, (__, i) => own[i] ?? 0));
  });

  test('allocations do not overlap, and freed columns are used again', async () => {
    const steps = [32, 128, 64].map(
      (columns, i) => `tcgen05.alloc.cta_group::1.sync.aligned.b32 [%rd1+${4 * i}], ${columns};`,
    );
    const body = `ld.param.u64 %rd1, [out];
${steps.join('\n')}
mov.u32 %r1, 128;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 128;
tcgen05.alloc.cta_group::1.sync.aligned.b32 [%rd1+12], 64;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;`;
    expect(await output({ body }, 16, { ...way, block: 32 })).toEqual([0, 128, 64, 128]);
  });

  /** For each shape, the number of 16-byte rows, and the lanes of tensor memory to which each row is copied. */
  const copies: readonly (readonly [shape: string, rows: number, lanesOf: (row: number) => readonly number[]])[] = [
    ['128x128b', 128, (row) => [row]],
    ['64x128b.warpx2::02_13', 64, (row) => [row, row + 64]],
    ['64x128b.warpx2::01_23', 64, (row) => [row % 32, (row % 32) + 32].map((lane) => lane + 64 * (row >> 5))],
    ['32x128b.warpx4', 32, (row) => [0, 32, 64, 96].map((first) => first + row)],
  ];

  test.each(copies)('a copy of shape %s', async (shape, rows, lanesOf) => {
    // Row r contains the words 4r to 4r + 3. There are no gaps between groups of 8 rows.
    const body = `shl.b32 %r4, %r1, 2; add.u32 %r5, %r4, 1; add.u32 %r6, %r4, 2; add.u32 %r7, %r4, 3;
mov.u32 %r8, rows; shl.b32 %r9, %r1, 4; add.u32 %r9, %r8, %r9;
st.shared.v4.b32 [%r9], {${list(4, 4)}};
bar.sync 0;
shr.u32 %r8, %r8, 4; cvt.u64.u32 %rd2, %r8; or.b64 %rd2, %rd2, ${(1n << 46n) | (8n << 32n)};
tcgen05.cp.cta_group::1.${shape} [%r2], %rd2;
bar.sync 0;
tcgen05.ld.sync.aligned.32x32b.x4.b32 {${list(4, 4)}}, [%r3];
${store(4)}`;
    const made = source(body);
    const module = `${made.module} .shared .align 1024 .b8 rows[2048];`;
    const words = await output({ ...made, module }, 128 * 16, { ...way, block: 128 });
    const rowIn = new Map(
      Array.from({ length: rows }, (_, row) => lanesOf(row).map((lane) => [lane, row] as const)).flat(),
    );
    expect(words).toEqual(expected(4, (lane, i) => 4 * (rowIn.get(lane) ?? 0) + i));
  });

  const alone = (text: string): string => `ld.param.u64 %rd1, [out];\n${text}`;
  const alloc = (columns: number): string => `tcgen05.alloc.cta_group::1.sync.aligned.b32 [%rd1], ${columns};`;
  const faults: readonly (readonly [name: string, body: string, message: string])[] = [
    ['more columns than there are', alone(`${alloc(512)}\n${alloc(32)}`), 'not enough free columns'],
    [
      'an allocation after the permit was given up',
      alone(`tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n${alloc(32)}`),
      'relinquished',
    ],
    [
      'columns that were freed before',
      alone(`${alloc(32)}\n${'tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 32;\n'.repeat(2)}`),
      'to free are not allocated',
    ],
    [
      'a load of columns that are not allocated',
      alone(`${alloc(32)}\nmov.u32 %r3, 31;\ntcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];`),
      'the columns are not allocated',
    ],
    ...[512, 1024, 2048, 0xffff].map(
      (column) =>
        [
          `a load of column ${column}, which does not exist`,
          alone(`${alloc(512)}\nmov.u32 %r3, ${column};\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r3];`),
          'the columns are not allocated',
        ] as const,
    ),
    [
      'columns to free that do not exist',
      alone(`${alloc(32)}\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 1024, 32;`),
      'to free are not allocated',
    ],
    [
      'a store of 32 lanes from lane 16 on',
      alone(`${alloc(32)}\nmov.u32 %r3, 0x100000;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r1};`),
      'not a multiple of 32',
    ],
    [
      'a load of 16 lanes from lane 8 on',
      alone(`${alloc(32)}\nmov.u32 %r3, 0x80000;\ntcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [%r3];`),
      'not a multiple of 16',
    ],
  ];

  test.each(faults)('%s', async (__, body, message) => {
    const { result } = await outcome({ body }, 16, { ...way, block: 32 });
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6036', message: expect.stringContaining(message) } });
  });
});

test('the reference engine notices values that were never stored', async () => {
  const body = `tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r3];\n${store(1)}`;
  const { result } = await outcome(source(body), 512, { engine: 'interp', block: 128 });
  expect(result).toMatchObject({
    ok: false,
    fault: { code: 'PTX6006', message: expect.stringContaining('tensor memory') },
  });
});
