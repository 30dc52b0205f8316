/**
 * Tests calls whose arguments have not been checked by the TypeScript compiler. Every argument that has the wrong type
 * must be rejected with a typed error.
 */
import { describe, expect, test } from 'vitest';
import { Device, PtxlabError } from '../../src/device.ts';
import { check, evaluate, explain } from '../../src/index.ts';
import { moduleOf } from './run.ts';

const text = moduleOf({ body: '', parameters: '.param .u64 out, .param .u32 n' });

/** Calls a function with arguments that may have the wrong type. */
function call(method: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown {
  return Reflect.apply(method, undefined, args);
}

describe('arguments of a launch', () => {
  test.each<readonly [unknown, string]>([
    [undefined, 'argument 1 must be a number, a bigint, memory of a device or the bytes of a parameter, not undefined'],
    [null, 'not null'],
    [true, 'not true'],
    ['3', "not '3'"],
    [{}, 'not an object'],
    [[1], 'not a list of 1'],
    [{ address: 5 }, 'not an object'],
  ])('%j', async (argument, message) => {
    const device = await Device.create({ memory: 2 ** 16 });
    const kernel = device.load(text).kernel('k');
    const launch = async (options: object): Promise<unknown> => kernel.launch(options);
    await expect(launch({ args: [device.alloc(4), argument] })).rejects.toMatchObject({
      code: 'argument-type',
      message: expect.stringContaining(message),
    });
  });

  test('memory of another device', async () => {
    const [one, other] = [await Device.create({ memory: 2 ** 16 }), await Device.create({ memory: 2 ** 16 })];
    const global = other.load('.version 8.0 .target sm_80 .address_size 64 .global .u32 v;').symbol('v');
    const kernel = one.load(text).kernel('k');
    for (const foreign of [other.alloc(4), global])
      await expect(kernel.launch({ args: [foreign, 1] })).rejects.toMatchObject({
        code: 'argument-type',
        message: 'argument 0 belongs to another device',
      });
    expect((await kernel.launch({ args: [one.alloc(4), 1] })).ok).toBe(true);
  });
});

test.each<readonly [string, () => unknown]>([
  ['check', () => call(check, 5)],
  ['explain', () => call(explain, null)],
  ['evaluate', () => call(evaluate, 5, [1])],
])('%s of something that is not a text', (_, act) => {
  expect(act).toThrow(expect.objectContaining({ code: 'bad-source', message: expect.stringContaining('a string') }));
});

test('a device loads texts, and allocates sizes and arrays', async () => {
  const device = await Device.create({ memory: 2 ** 16 });
  const loaded = device.load(text);
  expect(() => call(device.load.bind(device), 5)).toThrow(PtxlabError);
  expect(() => call(device.alloc.bind(device), null)).toThrow(PtxlabError);
  expect(() => call(device.alloc.bind(device), [1, 2])).toThrow(PtxlabError);
  for (const lookUp of [loaded.symbol.bind(loaded), loaded.kernel.bind(loaded), loaded.bind.bind(loaded)]) {
    expect(() => call(lookUp, 5)).toThrow(
      expect.objectContaining({ code: 'argument-type', message: expect.stringContaining('must be a string, not 5') }),
    );
  }
});
