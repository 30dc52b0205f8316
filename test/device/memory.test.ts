/** Tests of the address space: windows, generic accesses, initializers, parameters, shared memory and local memory. */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { faultOf, moduleOf, output } from './run.ts';

const address = 'ld.param.u64 %rd1, [out];';

/** Stores %r1, %r2, … at the start of the output. */
function store(count: number): string {
  return Array.from({ length: count }, (_, i) => `st.global.u32 [%rd1+${4 * i}], %r${i + 1};`).join('\n');
}

test('an array element is indexed in scalars, with or without brackets', async () => {
  const module =
    '.global .u32 a[4] = {10, 11, 12, 13}; .global .v2 .u32 v[2] = {{20, 21}, {22, 23}}; .shared .u32 s[4];';
  const body = `${address}
ld.global.u32 %r1, a[2]; mov.u64 %rd2, a[3]; ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, v[1];
st.shared.u32 s[1], %r1; ld.shared.u32 %r4, [s+4]; ld.global.u32 {%r5}, [a+4];
${store(5)}`;
  expect(await output({ module, body }, 20)).toEqual([12, 13, 21, 12, 11]);
});

test.each(['interp', 'jit'] as const)(
  'the padding of a small variable can be read, but nothing after it: %s',
  async (engine) => {
    const module = '.global .align 4 .u8 flag = 1; .global .align 4 .b8 text[5];';
    const load = (type: string, from: string): string =>
      `${address} mov.u64 %rd2, ${from}; ld.global.${type} %r1, [%rd2]; st.global.u32 [%rd1], %r1;`;
    expect(await output({ module, body: load('u16', 'flag') }, 4, { engine })).toEqual([1]);
    expect(await faultOf({ module, body: load('u8', 'flag+4') }, { engine })).toMatchObject({ code: 'PTX6001' });
    expect(await faultOf({ module, body: load('u8', 'text+5') }, { engine })).toMatchObject({ code: 'PTX6001' });
  },
);

/**
 * Such addresses behave as in the code of ptxas 13.0: they are sign-extended to 32 bits if the type of the register is
 * signed, and then zero-extended.
 */
describe('addresses in registers of 8 and 16 bits', () => {
  test.each([
    ['.u16', 4, 4],
    ['.b16', 65_532, -65_524],
    ['.s16', -4, 12],
    ['.u8', 252, -244],
    ['.b8', 252, -244],
    ['.s8', -4, 12],
  ])('%s %d', async (type, value, offset) => {
    const body = `${address}
.shared .b32 s[4]; .reg ${type} %a; mov.u32 %r9, s; mov.u32 %r2, 41;
st.shared.u32 [s+8], %r2; cvt.${type.replace('b', 'u').slice(1)}.s32 %a, ${value};
ld.shared.u32 %r1, [%a+${offset}];
${store(1)}`;
    expect(await output({ body }, 4)).toEqual([41]);
  });

  test('each thread of a warp has its own', async () => {
    const body = `${address}
.shared .b32 s[32]; .reg .s16 %a; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; st.shared.u32 [%r2], %r1;
bar.sync 0; sub.s32 %r3, 60, %r2; cvt.s16.s32 %a, %r3; ld.shared.u32 %r4, [%a+64];
cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r4;`;
    expect(await output({ body }, 128, { block: 32 })).toEqual(Array.from({ length: 32 }, (_, i) => 31 - i));
  });
});

describe('windows', () => {
  test('isspacep distinguishes every window from every other', async () => {
    const spaces = ['global', 'shared', 'local', 'const', 'param'];
    const body = `${address}
.shared .u32 s; .local .u32 l;
cvta.global.u64 %rd2, g; cvta.shared.u64 %rd3, s; cvta.local.u64 %rd4, l; cvta.const.u64 %rd5, c; cvta.param.u64 %rd6, out;
${spaces
  .map((_, i) => {
    const tests = spaces.map(
      (space, k) =>
        `isspacep.${space} %p1, %rd${i + 2}; selp.u32 %r10, ${2 ** k}, 0, %p1; or.b32 %r${i + 1}, %r${i + 1}, %r10;`,
    );
    return tests.join('\n');
  })
  .join('\n')}
${store(5)}`;
    const module = '.global .u32 g; .const .u32 c = 3;';
    expect(await output({ module, body }, 20)).toEqual([1, 2, 4, 8, 16]);
  });

  test.each([
    ['', {}],
    [' without checks', { unchecked: true }],
  ])('a generic load and store reach shared, local and global memory%s, and cvta.to converts back', async (_, way) => {
    const body = `${address}
.shared .align 8 .b8 s[16]; .local .align 8 .b8 l[16];
cvta.shared.u64 %rd2, s; st.u32 [%rd2+4], 11; ld.shared.u32 %r1, [s+4];
cvta.local.u64 %rd3, l; st.local.u32 [l+8], 22; ld.u32 %r2, [%rd3+8];
cvta.to.local.u64 %rd4, %rd3; ld.local.u32 %r3, [%rd4+8];
cvta.to.global.u64 %rd5, %rd1; st.u32 [%rd5+16], 33; ld.global.u32 %r4, [%rd1+16];
${store(4)}`;
    expect(await output({ body }, 20, way)).toEqual([11, 22, 22, 33, 33]);
  });

  test('a 32-bit shared address is an offset', async () => {
    const body = `${address}\n.shared .align 4 .b8 s[64]; mov.u32 %r9, s; add.u32 %r9, %r9, 8;
st.shared.u32 [%r9], 5; ld.shared.u32 %r1, [s+8];\n${store(1)}`;
    expect(await output({ body }, 4)).toEqual([5]);
  });
});

describe('variables', () => {
  test('initial values: integers, floats, lists, nested lists and addresses', async () => {
    const module = `.global .u16 a[4] = {1, 2, 0xffff}; .const .f32 f = 1.5; .global .f64 d = 0f40000000;
.global .u32 m[2][2] = {{1, 2}, {3, 4}}; .global .u64 p = a; .const .u64 q[2] = {generic(f), a+2}; .global .b8 t[] = {9, 8, 7, 6};`;
    const body = `${address}
ld.global.u64 %rd2, [a]; st.global.u64 [%rd1], %rd2;
ld.const.u32 %r1, [f]; st.global.u32 [%rd1+8], %r1;
ld.global.u32 %r1, [d+4]; st.global.u32 [%rd1+12], %r1;
ld.global.u32 %r1, [m+8]; st.global.u32 [%rd1+16], %r1;
ld.global.u64 %rd3, [p]; ld.global.u16 %h1, [%rd3+2]; cvt.u32.u16 %r1, %h1; st.global.u32 [%rd1+20], %r1;
ld.const.u64 %rd3, [q]; ld.u32 %r1, [%rd3]; st.global.u32 [%rd1+24], %r1;
ld.const.u64 %rd3, [q+8]; ld.global.u16 %h1, [%rd3]; cvt.u32.u16 %r1, %h1; st.global.u32 [%rd1+28], %r1;
ld.global.u32 %r1, [t]; st.global.u32 [%rd1+32], %r1;`;
    const wanted = [0x00020001, 0x0000ffff, 0x3fc00000, 0x40000000, 3, 2, 0x3fc00000, 2, 0x06070809];
    expect(await output({ module, body }, 36)).toEqual(wanted);
  });

  test('a global variable keeps its value between launches', async () => {
    const device = await Device.create({ simd: true });
    const body = `${address}\nld.global.u32 %r1, [n]; add.u32 %r1, %r1, 1; st.global.u32 [n], %r1; st.global.u32 [%rd1], %r1;`;
    const kernel = device.load(moduleOf({ module: '.global .u32 n = 40;', body })).kernel('k');
    const out = device.alloc(4);
    for (const wanted of [41, 42]) {
      expect(await kernel.launch({ args: [out] })).toMatchObject({ ok: true });
      expect(out.read()[0]).toBe(wanted);
    }
  });

  test('dynamic shared memory follows the static variables, under all its names', async () => {
    const module = '.extern .shared .align 16 .b8 dyn[]; .extern .shared .align 4 .b8 same[]; .shared .u32 a;';
    const body = `${address}\n.shared .align 4 .b8 b[12]; st.shared.u32 [a], 1; st.shared.u32 [b+8], 2;
st.shared.u32 [dyn], 3; st.shared.u32 [dyn+28], 4; ld.shared.u32 %r1, [a]; ld.shared.u32 %r2, [b+8];
ld.shared.u32 %r3, [same]; mov.u32 %r4, %dynamic_smem_size;\n${store(4)}`;
    expect(await output({ module, body }, 16, { sharedBytes: 32 })).toEqual([1, 2, 3, 32]);
  });

  test('every thread has its own local memory, every block its own shared memory', async () => {
    const body = `${address}
.shared .u32 s; .local .u32 l; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %tid.x; shl.b32 %r7, %r5, 1; add.u32 %r7, %r7, %r6;
st.local.u32 [l], %r7; setp.eq.u32 %p1, %r6, 0; @%p1 st.shared.u32 [s], %r5; bar.sync 0;
ld.local.u32 %r1, [l]; ld.shared.u32 %r2, [s]; mul.wide.u32 %rd2, %r7, 8; add.u64 %rd1, %rd1, %rd2;
${store(2)}`;
    expect(await output({ body }, 32, { grid: 2, block: 2 })).toEqual([0, 0, 1, 0, 2, 1, 3, 1]);
  });
});

describe('parameters', () => {
  test('have their natural alignment, including arrays', async () => {
    const device = await Device.create({ simd: true });
    const parameters = '.param .u8 a, .param .u64 out, .param .align 8 .b8 s[12], .param .f32 f, .param .u16 h';
    const body = `ld.param.u64 %rd1, [out]; ld.param.u8 %r1, [a]; ld.param.u32 %r2, [s+8]; ld.param.u32 %r3, [f]; ld.param.u16 %r4, [h];
${store(4)}`;
    const kernel = device.load(moduleOf({ parameters, body })).kernel('k');
    const out = device.alloc(16);
    const struct = Uint8Array.from({ length: 12 }, (_, i) => i);
    const result = await kernel.launch({ args: [200, out, struct, 0.5, 65535] });
    expect(result).toMatchObject({ ok: true });
    expect([...new Uint32Array(out.read().buffer)]).toEqual([200, 0x0b0a0908, 0x3f000000, 65535]);
    expect(kernel.parameters.map(({ type, size, offset }) => [type, size, offset])).toEqual([
      ['.u8', 1, 0],
      ['.u64', 8, 8],
      ['.b8', 12, 16],
      ['.f32', 4, 28],
      ['.u16', 2, 32],
    ]);
  });
});

describe('a module text that is loaded several times', () => {
  const module = '.global .u32 count = 5;';
  const body = `${address}\nld.global.u32 %r1, [count]; add.u32 %r1, %r1, 1; st.global.u32 [count], %r1;\n${store(1)}`;

  async function counts(device: Device, launches: number): Promise<readonly number[]> {
    const kernel = device.load(moduleOf({ module, body })).kernel('k');
    const out = device.alloc(4);
    for (let i = 0; i < launches; i++) await kernel.launch({ args: [out] });
    return [...new Uint32Array(out.read().buffer)];
  }

  test('gets its own variables each time', async () => {
    const device = await Device.create({ simd: true });
    expect([await counts(device, 1), await counts(device, 3), await counts(device, 1)]).toEqual([[6], [8], [6]]);
  });

  test('works on devices with memories of different sizes', async () => {
    for (const memory of [2 ** 20, 2 ** 30, 2 ** 24]) {
      const device = await Device.create({ simd: true, memory });
      device.alloc(1000);
      expect(await counts(device, 2)).toEqual([7]);
    }
  });
});
