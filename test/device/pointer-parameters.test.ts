/** Parameters that point to constant or shared memory, as in OpenCL kernels. */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';

const module = `.version 7.5
.target sm_75
.address_size 64
.const .align 16 .b32 tab[2] = {5, 6};
.entry constants(.param .u64 .ptr .global .align 4 out, .param .u64 .ptr .const .align 4 a, .param .u64 .ptr .const b, .param .u32 at)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  ld.param.u32 %r1, [at];
  cvt.u64.u32 %rd4, %r1;
  add.u64 %rd4, %rd3, %rd4;
  ld.const.u32 %r2, [%rd2+4];
  ld.const.u32 %r3, [%rd4];
  ld.const.u32 %r4, [tab+4];
  st.global.u32 [%rd1], %r2;
  st.global.u32 [%rd1+4], %r3;
  st.global.u32 [%rd1+8], %r4;
  ret;
}
.entry shared(.param .u64 .ptr .global .align 4 out, .param .u64 .ptr .shared .align 4 s)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [s];
  mov.b32 %r1, 7;
  st.shared.u32 [%rd2], %r1;
  ld.shared.u32 %r1, [%rd2];
  st.global.u32 [%rd1], %r1;
  ret;
}`;

/**
 * A kernel that writes 1 to its own shared variable, and 2 and 3 to the parts of shared memory that are passed as
 * parameters.
 */
const parts = `.version 7.5
.target sm_75
.address_size 64
.entry parts(.param .u64 out, .param .u64 .ptr .shared a, .param .u64 .ptr .shared .align 4 b)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .b32 own;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  st.shared.u32 [own], 1;
  st.shared.u32 [%rd2+36], 2;
  st.shared.u32 [%rd3], 3;
  ld.shared.u32 %r1, [own];
  ld.shared.u32 %r2, [%rd2+36];
  ld.shared.u32 %r3, [%rd3];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u32 [%rd1+8], %r3;
  ret;
}`;

describe.each(['jit', 'interp'] as const)('%s', (engine) => {
  test('reads copies of buffers, and constants of the module, through pointers to constant memory', async () => {
    const device = await Device.create({ memory: 2 ** 20 });
    const loaded = device.load(module);
    const kernel = loaded.kernel('constants');
    const out = device.alloc(12);
    const read = async (b: Parameters<typeof kernel.launch>[0]): Promise<readonly number[]> => {
      expect(await kernel.launch({ engine, ...b })).toMatchObject({ ok: true });
      return [...out.read('u32')];
    };
    const [a, b] = [device.alloc(Uint32Array.of(1, 42)), device.alloc(Uint32Array.of(8, 9, 10))];
    expect(await read({ args: [out, a, b, 8] })).toEqual([42, 10, 6]);
    a.write(Uint32Array.of(1, 43));
    expect(await read({ args: [out, a, loaded.symbol('tab'), 0] })).toEqual([43, 5, 6]);
    expect(await read({ args: [out, 0n, a, 0] })).toEqual([6, 1, 6]);
  });

  test('names the parameter if an access is outside the buffer', async () => {
    const device = await Device.create({ memory: 2 ** 20 });
    const kernel = device.load(module).kernel('constants');
    const [out, a] = [device.alloc(12), device.alloc(Uint32Array.of(1, 2))];
    const result = await kernel.launch({ engine, args: [out, a, device.alloc(4), 4] });
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6001' } });
    if (!result.ok)
      expect(result.fault.message).toMatch(/in const memory is outside every allocation; nearest is 'b', 4 bytes/);
  });

  test('gives each pointer to shared memory a part of its own', async () => {
    const device = await Device.create({ memory: 2 ** 20 });
    const out = device.alloc(12);
    const kernel = device.load(parts).kernel('parts');
    const args = [out, { shared: 40 }, { shared: 4 }];
    expect(await kernel.launch({ engine, args })).toMatchObject({ ok: true });
    expect([...out.read('u32')]).toEqual([1, 2, 3]);
    expect(await kernel.launch({ engine, args: [out, { shared: 40 }, { shared: 3 }] })).toMatchObject({
      ok: false,
      fault: { code: 'PTX6001', space: 'shared' },
    });
  });

  test('also takes an offset in shared memory', async () => {
    const device = await Device.create({ memory: 2 ** 20 });
    const out = device.alloc(4);
    const launched = device
      .load(module)
      .kernel('shared')
      .launch({ engine, args: [out, 0], sharedBytes: 16 });
    expect(await launched).toMatchObject({ ok: true });
    expect(out.read('u32')[0]).toBe(7);
  });
});

test('a buffer for constant memory has at most 64 KiB', async () => {
  const device = await Device.create({ memory: 2 ** 20 });
  const kernel = device.load(module).kernel('constants');
  const [out, large] = [device.alloc(12), device.alloc(2 ** 16 + 1)];
  await expect(kernel.launch({ args: [out, large, large, 0] })).rejects.toMatchObject({
    code: 'argument-size',
    message:
      'argument 1 is a buffer of 65537 bytes; parameter a points to constant memory, where a buffer can be at most 65536 bytes',
  });
});

test.each([
  [[1], 'points to shared memory, so it takes { shared: bytes }'],
  [[{ shared: -1 }], 'argument 1: `shared` must be a number of bytes, not -1'],
  [[{ shared: 4 }, 5], "kernel 'shared' takes 2 arguments"],
] as const)('arguments that are refused: %j', async (others, message) => {
  const device = await Device.create({ memory: 2 ** 20 });
  const out = device.alloc(4);
  const args = [out, ...others.map((one) => (one === 1 ? out : one))];
  await expect(device.load(module).kernel('shared').launch({ args })).rejects.toThrow(message);
});

test('only pointers to shared memory take parts of it', async () => {
  const kernel = (await Device.create({ memory: 2 ** 20 })).load(module).kernel('shared');
  await expect(kernel.launch({ args: [{ shared: 4 }, { shared: 4 }] })).rejects.toMatchObject({
    code: 'argument-type',
    message: 'argument 0 is a part of shared memory, but the parameter does not point to shared memory',
  });
});
