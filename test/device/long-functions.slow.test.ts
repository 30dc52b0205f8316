/**
 * Tests functions that are cut into parts, either because they are too long for V8 to optimize as a whole
 * (program/seams.ts), or because their regions would contain copies of each other (program/shared-code.ts).
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from './run.ts';

/** Steps of a hash. In some of these steps, threads take different branches or exchange values. */
const steps = [
  'mad.lo.u32 %r3, %r3, %r4, %r2;',
  'shf.l.wrap.b32 %r4, %r3, %r4, 7;',
  'xor.b32 %r3, %r3, %r1;',
  'mul.wide.u32 %rd3, %r3, %r4; xor.b64 %rd4, %rd4, %rd3;',
  'and.b32 %r5, %r3, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra L#; add.u32 %r4, %r4, %r2; L#:',
  'shfl.sync.bfly.b32 %r6, %r3, 3, 31, 0xffffffff; add.u32 %r4, %r4, %r6;',
  'st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r6, [%r8]; bar.sync 0; xor.b32 %r3, %r3, %r6;',
];

function body(count: number, frequent: number): string {
  const rare = steps.slice(frequent);
  return Array.from({ length: count }, (_, i) => {
    const step = i % 500 === 499 ? rare[Math.floor(i / 500) % rare.length] : steps[i % frequent];
    return step?.replaceAll('#', String(i)) ?? '';
  }).join('\n');
}

const head = `.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 room[512];`;
const registers = '.reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<8>;';

const kernel = `${head}
.visible .entry k(.param .u64 out) {
${registers}
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 17; mov.u32 %r3, %r2; mov.u32 %r4, 99; mov.u64 %rd4, 5;
mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2; mov.u32 %r7, room; shl.b32 %r8, %r1, 2; add.u32 %r7, %r7, %r8;
xor.b32 %r8, %r7, 4; mov.u32 %r9, 0;
again:
${body(8400, 5)}
add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2; @%p2 bra again;
st.global.v2.b32 [%rd1], {%r3, %r4}; st.global.b64 [%rd1+8], %rd4;
ret; }`;

const called = `${head}
.func (.reg .u32 %value) hash(.reg .u32 %given) {
${registers}
mov.u32 %r3, %given; mov.u32 %r4, 99; mov.u32 %r1, 7; mov.u32 %r2, 24;
${body(8400, 3).replaceAll(/^.*(shfl|bar).*$/gm, '')}
add.u32 %value, %r3, %r4; ret; }
.visible .entry k(.param .u64 out) {
${registers}
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;
call (%r2), hash, (%r1); call (%r3), hash, (%r2);
st.global.v2.b32 [%rd1], {%r2, %r3};
ret; }`;

/**
 * Each thread interprets its own program. In some cases of its switch, a thread waits for the other threads of the
 * warp. In every fourth step, all threads reach the same case of this kind.
 */
function interpreter(cases: number): string {
  const labels = Array.from({ length: cases }, (_, i) => `C${i}`);
  const bodies = labels.map((label, i) => {
    const wait = i % 40 === 39 ? 'bar.warp.sync 0xffffffff;' : '';
    return `${label}: setp.gt.u32 %p1, %r4, ${i}000; @%p1 call (%r4), step, (%r4); xor.b32 %r4, %r4, ${i};
${wait} bra next;`;
  });
  return `${head}
.func (.reg .u32 %value) step(.reg .u32 %given) { mad.lo.u32 %value, %given, 1664525, 1013904223; ret; }
.visible .entry k(.param .u64 out) {
${registers}
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;
mov.u32 %r3, 0; mad.lo.u32 %r4, %r1, 77, 5;
table: .branchtargets ${labels.join(', ')};
again: shr.u32 %r5, %r4, 3; rem.u32 %r5, %r5, ${cases}; and.b32 %r6, %r3, 3; setp.eq.u32 %p2, %r6, 3;
selp.b32 %r5, ${cases - 1}, %r5, %p2; brx.idx %r5, table;
${bodies.join('\n')}
next: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 50; @%p1 bra again;
st.global.v2.b32 [%rd1], {%r3, %r4};
ret; }`;
}

const threads = 64;

async function wordsOf(text: string, way: object): Promise<Uint32Array> {
  const device = await Device.create({ gpu: 'A100' });
  const out = device.alloc(16 * threads);
  const result = await device
    .load(text)
    .kernel('k')
    .launch({ block: threads, args: [out], ...way });
  if (!result.ok) throw new Error(result.fault.message);
  return out.read('u32');
}

const texts = [
  ['a kernel that loops, branches and synchronizes', kernel],
  ['a function that is called twice', called],
  ['an interpreter with a call in each of 120 cases', interpreter(120)],
] as const;

test.each(texts)('%s', async (_, text) => {
  const [first, ...others] = await Promise.all(Object.values(ways).map((way) => wordsOf(text, way)));
  for (const other of others) expect(other).toEqual(first);
});
