/** Tests that the host can read and write the variables of a module, as CUDA programs can with cuModuleGetGlobal. */
import { describe, expect, test } from 'vitest';
import { Device, type LoadedModule, PtxlabError } from '../../src/device.ts';
import { moduleOf, ways } from './run.ts';

const variables = `.visible .global .align 4 .u32 counter = 40; .const .align 4 .f32 weights[4] = {1.0, 2.0};
.global .align 2 .b16 halves[3]; .shared .u32 tile; .global .align 1 .b8 bytes[5];`;

/** Adds 2 to the counter, and writes weights[1] and weights[3]. */
const body = `ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [counter]; add.u32 %r1, %r1, 2; st.global.u32 [counter], %r1;
ld.const.f32 %f1, [weights+4]; st.global.f32 [%rd1], %f1; ld.const.f32 %f2, [weights+12]; st.global.f32 [%rd1+4], %f2;`;

async function loaded(): Promise<{ readonly device: Device; readonly module: LoadedModule }> {
  const device = await Device.create();
  return { device, module: device.load(moduleOf({ module: variables, body })) };
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof PtxlabError) return error.code;
    throw error;
  }
  return 'none';
}

describe.each(Object.entries(ways))('on %s', (_, way) => {
  test('a kernel sees what was written, and what it stores can be read', async () => {
    const { device, module } = await loaded();
    const out = device.alloc(8);
    const counter = module.symbol('counter');
    const weights = module.symbol('weights');
    expect([...counter.read('u32')]).toEqual([40]);
    weights.write(Float32Array.of(7), 4);
    counter.write(Uint32Array.of(100));
    expect(await module.kernel('k').launch({ args: [out], ...way })).toMatchObject({ ok: true });
    expect([...counter.read('u32')]).toEqual([102]);
    expect([...out.read('f32')]).toEqual([7, 0]);
    weights.write(Float32Array.of(0.5, 0.25), 8);
    expect(await module.kernel('k').launch({ args: [out], ...way })).toMatchObject({ ok: true });
    expect([...out.read('f32')]).toEqual([7, 0.25]);
    expect([...counter.read('u32')]).toEqual([104]);
  });

  test.each(['counter', 'weights'])('the address of %s can be used for a generic load', async (name) => {
    const device = await Device.create();
    const load = 'ld.param.u64 %rd2, [out]; ld.u32 %r1, [%rd2]; st.global.u32 [counter], %r1;';
    const module = device.load(moduleOf({ module: variables, body: load }));
    const symbol = module.symbol(name);
    symbol.write(Uint32Array.of(0x01020304));
    expect(await module.kernel('k').launch({ args: [symbol], ...way })).toMatchObject({ ok: true });
    expect([...module.symbol('counter').read('u32')]).toEqual([0x01020304]);
  });
});

describe('a symbol', () => {
  test('reports its name, space, type and size', async () => {
    const { module } = await loaded();
    expect(module.symbolNames).toEqual(['counter', 'weights', 'halves', 'bytes']);
    const { name, space, type, size } = module.symbol('weights');
    expect({ name, space, type, size }).toEqual({ name: 'weights', space: '.const', type: '.f32', size: 16 });
    expect(module.symbol('counter')).toMatchObject({ space: '.global', type: '.u32', size: 4 });
  });

  test.each([
    ['misspelled', 'weight', /did you mean weights/],
    ['in shared memory', 'tile', /in \.shared/],
  ])('%s is an error that says so', async (_, name, message) => {
    const { module } = await loaded();
    expect(codeOf(() => module.symbol(name))).toBe('unknown-symbol');
    expect(() => module.symbol(name)).toThrow(message);
  });

  test.each<readonly [string, number, number]>([
    ['too long', 12, 8],
    ['behind the end', 0, 17],
    ['before the start', 4, -4],
    ['at no whole byte', 4, 0.5],
    ['at no number', 4, Number.NaN],
  ])('a write that is %s is refused', async (_, bytes, offset) => {
    const { module } = await loaded();
    expect(codeOf(() => module.symbol('weights').write(new Uint8Array(bytes), offset))).toBe('buffer-size');
  });

  test('two modules with the same text have separate variables', async () => {
    const { device, module } = await loaded();
    const other = device.load(moduleOf({ module: variables, body }));
    module.symbol('weights').write(Float32Array.of(9));
    expect([...other.symbol('weights').read('f32')]).toEqual([1, 2, 0, 0]);
  });
});

describe('typed reads', () => {
  test.each<
    readonly [Parameters<Device['alloc']>[0], 'f16' | 'bf16' | 'e4m3' | 'e2m1' | 'e2m3' | 'tf32', readonly number[]]
  >([
    [Uint16Array.of(0x3c00, 0xc000, 0x0001), 'f16', [1, -2, 2 ** -24]],
    [Uint16Array.of(0x3f80, 0xff80), 'bf16', [1, Number.NEGATIVE_INFINITY]],
    [Uint8Array.of(0x38, 0x43, 0xfe), 'e4m3', [1, 2.75, -448]],
    [Uint8Array.of(0x72, 0x0f), 'e2m1', [1, 6, -6, 0]],
    [Uint8Array.of(0x08, 0x28), 'e2m3', [1, -1]],
    [Uint32Array.of(0x3f801fff), 'tf32', [1]],
  ])('%# of values in a narrow format', async (contents, format, values) => {
    const device = await Device.create();
    const found = device.alloc(contents).read(format);
    expect(found).toBeInstanceOf(Float32Array);
    expect([...found]).toEqual(values);
  });

  test('integers, f32 and f64 are read as typed arrays of their own kind', async () => {
    const device = await Device.create();
    const buffer = device.alloc(Uint8Array.of(0, 0, 0, 0, 0, 0, 0xf0, 0xbf));
    expect([...buffer.read('f64')]).toEqual([-1]);
    expect([...buffer.read('f32')]).toEqual([0, -1.875]);
    expect([...buffer.read('s64')]).toEqual([-0x4010000000000000n]);
    expect([...buffer.read('s16')]).toEqual([0, 0, 0, -16400]);
    expect([...buffer.read('s8')]).toEqual([0, 0, 0, 0, 0, 0, -16, -65]);
    expect([...buffer.read()]).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0xbf]);
  });

  test('are copies', async () => {
    const device = await Device.create();
    const buffer = device.alloc(Float32Array.of(1));
    buffer.read('f32').fill(2);
    expect([...buffer.read('f32')]).toEqual([1]);
  });

  test('of bytes that are not whole elements are rejected', async () => {
    const { module } = await loaded();
    expect(codeOf(() => module.symbol('bytes').read('f32'))).toBe('buffer-size');
  });
});

describe('writes', () => {
  test.each<readonly [string, ArrayBufferView | ArrayBuffer]>([
    ['a typed array', Float32Array.of(1, 2)],
    ['a part of one', Float32Array.of(9, 1, 2, 9).subarray(1, 3)],
    ['a DataView', new DataView(Float32Array.of(1, 2).buffer)],
    ['a buffer', Float32Array.of(1, 2).buffer],
  ])('take %s', async (_, source) => {
    const device = await Device.create();
    const buffer = device.alloc(12);
    buffer.write(source, 4);
    expect([...buffer.read('f32')]).toEqual([0, 1, 2]);
  });

  test('of anything else are rejected', async () => {
    const device = await Device.create();
    const loosely: { write(source: unknown): void } = device.alloc(4);
    for (const source of [[1], 'text', null, undefined, 5])
      expect(codeOf(() => loosely.write(source))).toBe('argument-type');
  });
});
