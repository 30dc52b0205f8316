/**
 * Tests misuse of the library: for any value of an option, a call must either return a result or throw a typed error
 * that names the option.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceRules, launchRules } from '../../src/device/check-options.ts';
import { Device, PtxlabError } from '../../src/device.ts';
import type { ByteSource } from '../../src/tensors/bytes.ts';
import { openTensorFile } from '../../src/tensors/open.ts';
import { moduleOf } from '../device/run.ts';
import { allCalls, entryPoints, isCalled, wrongCalls, wrongValues } from './api-calls.ts';

const anything = fc.oneof(
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    1.5,
    2 ** 60,
    'x',
    '',
    null,
    true,
    [],
    [1, 2, 3, 4],
    ['x'],
    {},
    7n,
  ),
  fc.anything(),
);

/** The code of the PtxlabError that `act` throws; null if it does not throw. Rethrows all other errors. */
async function codeOf(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof PtxlabError) return error.code;
    throw error;
  }
}

const source = moduleOf({ body: '', parameters: '' });

// Exceptions thrown by the caller's own objects, for example by getters, are not tested.
describe('any value of an option', () => {
  test.each(Object.keys(deviceRules))('%s of a device', async (name) => {
    // A large device takes up only address space, but some hosts do not have enough address space for several hundred
    // devices.
    const values = anything.filter(
      (value) => name !== 'memory' || typeof value !== 'number' || value < 2 ** 20 || value > 2 ** 33,
    );
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        await codeOf(() => Device.create({ [name]: value }));
      }),
      { numRuns: 40 },
    );
  });

  test.each(Object.keys(launchRules))('%s of a launch', async (name) => {
    const kernel = (await Device.create({ memory: 2 ** 16 })).load(source).kernel('k');
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        await codeOf(() => kernel.launch({ timeout: 1, [name]: value }));
      }),
      { numRuns: 40 },
    );
  });

  test('of a tensor file', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        expect(await codeOf(() => openTensorFile(value as ByteSource))).not.toBe(null);
      }),
      { numRuns: 100 },
    );
  });
});

test.each<readonly [string, unknown]>([
  ['budget', Number.NaN],
  ['budget', 'x'],
  ['timeout', Number.NaN],
  ['timeout', Number.POSITIVE_INFINITY],
  ['engine', 'foo'],
  ['grid', [1, 2, 3, 4]],
  ['printLimit', -1],
  ['uninitialized', true],
  ['gird', 1],
])('a launch refuses %s: %s', async (name, value) => {
  const kernel = (await Device.create({ memory: 2 ** 16 })).load(source).kernel('k');
  await expect(kernel.launch({ [name]: value })).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining(`'${name}'`),
  });
});

test.each<readonly [string, unknown, string]>([
  ['memory', -1, 'bad-option'],
  ['memory', Number.POSITIVE_INFINITY, 'bad-option'],
  ['target', 'sm_1', 'unknown-target'],
  ['isa', '99', 'unknown-version'],
  ['simd', 1, 'bad-option'],
  ['nothing', 1, 'bad-option'],
])('a device refuses %s: %s', async (name, value, code) => {
  expect(await codeOf(() => Device.create({ [name]: value }))).toBe(code);
});

describe('wrong arguments of every public function', async () => {
  const calls = await allCalls();

  test.each(calls)('$name', async (call) => {
    const broken: string[] = [];
    for (const value of wrongValues) {
      for (const wrong of wrongCalls(call, value)) {
        try {
          await call.run(wrong.arguments);
        } catch (error) {
          if (!(error instanceof PtxlabError)) broken.push(`${wrong.what}: ${String(error)}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  const exported = Object.entries(entryPoints).flatMap(([door, module]) =>
    Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [{ door, name }] : [])),
  );

  test.each(exported)('$door $name is among them', ({ name }) => {
    expect(calls.some((call) => isCalled(call, name))).toBe(true);
  });
});
