/**
 * Tests that a caller's mistake is reported by throwing a typed error before anything runs, and that valid arguments
 * are accepted.
 */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Argument, Device, type LaunchOptions, PtxlabError, RefusedModuleError } from '../../src/device.ts';
import { moduleOf } from './run.ts';

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof PtxlabError) return error.code;
    throw error;
  }
  return 'none';
}

async function launchWith(
  parameters: string,
  args: readonly Argument[],
  options: LaunchOptions = {},
  body = '',
): Promise<string> {
  const device = await Device.create();
  const kernel = device.load(moduleOf({ parameters, body })).kernel('k');
  return codeOf(() => kernel.launch({ args, ...options }));
}

describe('arguments', () => {
  test.each<readonly [string, string, readonly Argument[]]>([
    ['too few', '.param .u32 a', []],
    ['too many', '.param .u32 a', [1, 2]],
  ])('%s', async (_, parameters, args) => {
    expect(await launchWith(parameters, args)).toBe('argument-count');
  });

  test.each<readonly [string, string, Argument, string]>([
    ['an integer too large', '.param .u8 a', 256, 'argument-size'],
    ['an integer too small', '.param .s16 a', -32769, 'argument-size'],
    ['the largest pattern', '.param .s16 a', 65535, 'none'],
    ['a fraction instead of an integer', '.param .u32 a', 1.5, 'argument-type'],
    ['a fraction instead of the bits of a float', '.param .f32 a', 1.5, 'none'],
    ['a bigint', '.param .u64 a', 2n ** 64n - 1n, 'none'],
    ['a 65-bit bigint', '.param .u64 a', 2n ** 64n, 'argument-size'],
    ['raw bytes', '.param .u32 a', new Uint8Array(4), 'none'],
    ['too many raw bytes', '.param .u32 a', new Uint8Array(5), 'argument-size'],
    ['a number instead of an array', '.param .b8 a[8]', 1, 'argument-type'],
    ['bytes for an array', '.param .align 4 .b8 a[8]', new Uint8Array(8), 'none'],
  ])('%s', async (_, parameters, argument, code) => {
    expect(await launchWith(parameters, [argument])).toBe(code);
  });

  test('a buffer passed to a parameter that cannot hold an address', async () => {
    const device = await Device.create();
    const kernel = device.load(moduleOf({ parameters: '.param .u32 a', body: '' })).kernel('k');
    expect(await codeOf(() => kernel.launch({ args: [device.alloc(4)] }))).toBe('argument-type');
  });
});

describe('shapes', () => {
  test.each<readonly [string, LaunchOptions, string]>([
    ['the largest block', { block: [32, 32, 1] }, 'none'],
    ['a block of 1025 threads', { block: [1025] }, 'bad-launch'],
    ['a block with too many threads in total', { block: [64, 4, 8] }, 'bad-launch'],
    ['a block too deep', { block: [1, 1, 65] }, 'bad-launch'],
    ['an empty grid', { grid: 0 }, 'bad-launch'],
    ['a grid too wide', { grid: [1, 65536] }, 'bad-launch'],
    ['half a block', { block: 1.5 }, 'bad-launch'],
    ['negative shared memory', { sharedBytes: -1 }, 'bad-launch'],
    ['too much shared memory', { sharedBytes: 228 * 1024 }, 'bad-launch'],
    ['too much shared memory', { sharedBytes: 227 * 1024 }, 'none'],
  ])('%s', async (_, options, code) => {
    expect(await launchWith('', [], options)).toBe(code);
  });

  test('.reqntid and .maxntid are enforced', async () => {
    const device = await Device.create();
    const source = `.version 9.0
.target sm_90
.address_size 64
.visible .entry exact() .reqntid 4, 2 { ret; }
.visible .entry most() .maxntid 8 { ret; }`;
    const module = device.load(source);
    expect(await codeOf(() => module.kernel('exact').launch({ block: [4, 2] }))).toBe('none');
    expect(await codeOf(() => module.kernel('exact').launch({ block: [8, 1] }))).toBe('bad-launch');
    expect(await codeOf(() => module.kernel('most').launch({ block: [2, 2, 2] }))).toBe('none');
    expect(await codeOf(() => module.kernel('most').launch({ block: 9 }))).toBe('bad-launch');
  });
});

describe('modules and buffers', () => {
  test('a device is not made by new', async () => {
    expect(await codeOf((): unknown => Reflect.construct(Device, []))).toBe('bad-option');
  });

  test('a module with errors is refused with all of them', async () => {
    const device = await Device.create();
    const load = (): unknown => device.load(moduleOf({ body: 'add.u32 %r1, %f1, 1;\nmov.u7 %r1, 2;' }));
    expect(load).toThrow(RefusedModuleError);
    expect(load).toThrow(/^the module has 2 errors, the first on line \d+: operand 'a' of add\.u32 must be/);
    expect(await codeOf(load)).toBe('refused-module');
  });

  test('an uncaught refusal is printed without the report', async () => {
    const device = await Device.create();
    const error: unknown = await Promise.resolve()
      .then(() => device.load(moduleOf({ body: 'mov.u7 %r1, 2;' })))
      .catch((refusal: unknown) => refusal);
    expect(error instanceof RefusedModuleError && error.report.diagnostics).toHaveLength(1);
    expect(inspect(error)).not.toContain('diagnostics');
  });

  describe('a module whose only error is a .version that is too low', () => {
    const packed = moduleOf({ body: 'cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;' });
    const at = (version: string, source: string): string => source.replace('.version 9.0', `.version ${version}`);

    test('is loaded by the rules of the lowest version that accepts it, with warnings', async () => {
      const { report } = (await Device.create()).load(at('8.5', packed));
      expect(report.requirements.version).toBe('8.6');
      const warnings = report.diagnostics.map(({ code, severity }) => [code, severity]);
      expect(warnings).toEqual(['PTX4013', 'PTX4001'].map((code) => [code, 'warning']));
    });

    test('is refused if the caller names the version, or if it has another error', async () => {
      const strict = await Device.create({ isa: '8.5' });
      expect(await codeOf(() => strict.load(at('8.5', packed)))).toBe('refused-module');
      const device = await Device.create();
      expect(await codeOf(() => device.load(at('8.5', packed).replace('ret;', 'mov.u7 %r1, 2; ret;')))).toBe(
        'refused-module',
      );
      expect(await codeOf(() => device.load(at('8.5', packed).replace('sm_100a', 'sm_90')))).toBe('refused-module');
    });
  });

  test('a module is refused on a device with an unsuitable target', async () => {
    const device = await Device.create({ target: 'sm_70' });
    const body = 'cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;';
    expect(await codeOf(() => device.load(moduleOf({ body })))).toBe('refused-module');
  });

  test('an unknown kernel and an unknown target', async () => {
    const device = await Device.create();
    expect(await codeOf(() => device.load(moduleOf({ body: '' })).kernel('q'))).toBe('unknown-kernel');
    const options: object = { target: 'sm_5' };
    expect(await codeOf(() => Device.create(options))).toBe('unknown-target');
  });

  test('a GPU that does not exist or cannot run the module', async () => {
    expect(await codeOf(() => Device.create({ gpu: 'sm_5' as 'sm_50' }))).toBe('unknown-gpu');
    const device = await Device.create({ target: 'sm_90', gpu: 'A100' });
    expect(await codeOf(() => device.load(moduleOf({ body: '' })))).toBe('unfit-gpu');
    const newer = await Device.create({ target: 'sm_80', gpu: 'H100' });
    expect(newer.load(moduleOf({ body: '' })).kernelNames).toHaveLength(1);
  });

  test('a closed device', async () => {
    const device = await Device.create();
    const module = device.load(moduleOf({ body: '' }));
    const buffer = device.alloc(4);
    device.close();
    expect(await codeOf(() => device.alloc(4))).toBe('device-closed');
    expect(await codeOf(() => device.load(moduleOf({ body: '' })))).toBe('device-closed');
    expect(await codeOf(() => module.kernel('k').launch({ args: [buffer] }))).toBe('device-closed');
    expect(buffer.read()).toHaveLength(4);
  });

  test('buffers have a fixed size and cannot be used once freed', async () => {
    const device = await Device.create({ memory: 4096 });
    const buffer = device.alloc(Float32Array.of(1, 2));
    expect(buffer.byteLength).toBe(8);
    buffer.write(Uint8Array.of(9), 7);
    expect(buffer.read()).toEqual(Uint8Array.of(0, 0, 0x80, 0x3f, 0, 0, 0, 9));
    expect(await codeOf(() => buffer.write(Uint8Array.of(1, 2), 7))).toBe('buffer-size');
    expect(await codeOf(() => device.alloc(-1))).toBe('buffer-size');
    expect(await codeOf(() => device.alloc(8192))).toBe('out-of-memory');
    buffer.free();
    expect(await codeOf(() => buffer.read())).toBe('buffer-freed');
  });
});

test('a module with 32-bit addresses takes buffers in 32-bit parameters', async () => {
  const source = `.version 1.4
.target sm_13
.entry double(.param .u32 x) {
  .reg .u32 %r<4>;
  ld.param.u32 %r1, [x]; ld.global.u32 %r2, [%r1]; add.u32 %r2, %r2, %r2; st.global.u32 [%r1], %r2; exit; }`;
  const device = await Device.create();
  const x = device.alloc(Uint32Array.of(21));
  expect(
    await device
      .load(source)
      .kernel('double')
      .launch({ args: [x] }),
  ).toMatchObject({ ok: true });
  expect(new Uint32Array(x.read().buffer)).toEqual(Uint32Array.of(42));
});
