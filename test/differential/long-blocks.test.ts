/**
 * In long blocks of code, the bits of NaNs that are read only by other arithmetic instructions are not adjusted. All
 * NaNs that a kernel can observe must still have the bits that the reference engine computes.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';

const count = 3000;
const operations = ['fma.rn.f32 %f3, %f1, %f3, %f2;', 'add.f32 %f3, %f3, %f2;', 'mul.ftz.f32 %f3, %f3, %f1;'];
/** Ways to observe the bits of a result in the middle of the block. */
const observers = [
  'st.global.f32 [%rd2], %f3;',
  'mov.b32 %r1, %f3; st.global.u32 [%rd2], %r1;',
  '@%p1 mov.f32 %f4, %f3; st.global.f32 [%rd2], %f4;',
  'neg.f32 %f4, %f3; st.global.f32 [%rd2], %f4;',
  'max.f32 %f4, %f3, %f2; st.global.f32 [%rd2], %f4;',
];

const body = Array.from({ length: count }, (_, i) => {
  const observer = observers[(i / 100) % observers.length];
  const seen = observer === undefined ? '' : `${observer} add.u64 %rd2, %rd2, 4;`;
  return `${operations[i % operations.length]} ${seen}`;
}).join('\n');

const kernel = `.version 9.0
.target sm_90
.address_size 64
.entry k(.param .u64 in, .param .u64 out) {
.reg .f32 %f<5>; .reg .b32 %r<2>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 12; add.u64 %rd1, %rd1, %rd3;
mul.wide.u32 %rd3, %r1, 256; add.u64 %rd2, %rd2, %rd3;
setp.eq.u32 %p1, %r1, 1;
ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8]; mov.f32 %f4, %f1;
${body}
st.global.f32 [%rd2], %f3;
ret; }
`;

const nans = [0x7fc0_0001, 0xff80_0123, 0x7fff_ffff, 0xffc0_0000];
const inputs = Uint32Array.from([
  ...nans.flatMap((nan) => [0x3f80_0000, 0x3f00_0000, nan]),
  ...nans.flatMap((nan) => [nan, 0x3f00_0000, 0x4000_0000]),
  ...nans.flatMap((nan) => [0x3f80_0000, nan, 0x4000_0000]),
  // Computes sums that become infinite, and then the difference of infinities.
  ...[0x7f7f_ffff, 0xff80_0000, 0x7f80_0000, 0x0000_0001].flatMap((word) => [0x4000_0000, word, 0x7f00_0000]),
]);

async function bitsFrom(options: { engine: 'interp' | 'jit'; simd?: boolean }): Promise<Uint32Array> {
  const device = await Device.create(options.simd === undefined ? {} : { simd: options.simd });
  const out = device.alloc(16 * 256);
  const args = [device.alloc(inputs), out];
  const result = await device.load(kernel).kernel('k').launch({ block: 16, args, engine: options.engine });
  expect(result.ok).toBe(true);
  return new Uint32Array(out.read().buffer);
}

test.each([true, false])('with simd: %s, NaNs of long blocks are those of the reference engine', async (simd) => {
  expect(await bitsFrom({ engine: 'jit', simd })).toEqual(await bitsFrom({ engine: 'interp' }));
});
