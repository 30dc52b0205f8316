/**
 * A trace lists the instructions of one thread in the order in which they complete, with the values of their registers.
 */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions, type TraceEvent } from '../../src/device.ts';
import { moduleOf, type Source } from './run.ts';

async function trace(source: Source, options: LaunchOptions = {}): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = [];
  const device = await Device.create({ simd: true });
  const kernel = device.load(moduleOf({ parameters: '', ...source })).kernel('k');
  await kernel.launch({ onTrace: (event) => events.push(event), ...options });
  return events;
}

const codeOf = async (options: LaunchOptions): Promise<string> => {
  try {
    await trace({ body: '' }, { onTrace: () => undefined, ...options });
    return 'none';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};

describe('a trace', () => {
  test('shows the registers of an instruction before and after it, in the types that it uses', async () => {
    const body = 'mov.b32 %r1, 0f3FC00000;\nadd.f32 %r1, %r1, %r1;';
    const [, add] = await trace({ body });
    expect(add).toEqual({
      block: [0, 0, 0],
      thread: [0, 0, 0],
      function: 'k',
      line: 7,
      text: 'add.f32 %r1, %r1, %r1;',
      source: null,
      registers: [{ name: '%r1', type: '.f32', before: 0x3fc00000, after: 0x40400000, read: true, written: true }],
      addresses: [],
    });
  });

  test('follows thread 0 of block 0 unless another is chosen', async () => {
    const body = 'mov.u32 %r1, %tid.y;\nmov.u32 %r1, %ctaid.x;';
    const shape = { grid: 3, block: [2, 2] } as const;
    const values = async (options: LaunchOptions): Promise<readonly unknown[]> =>
      (await trace({ body }, { ...shape, ...options })).flatMap(({ registers }) => registers.map(({ after }) => after));
    expect(await values({})).toEqual([0, 0]);
    expect(await values({ trace: { thread: [1, 1, 0], block: 2 } })).toEqual([1, 2]);
  });

  test('has only executed instructions on the requested lines', async () => {
    const body = 'mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n@%p1 mov.u32 %r3, 3;\n@!%p1 mov.u32 %r4, 4;\nmov.u32 %r5, 5;';
    const events = await trace({ body }, { trace: { lines: [7, 9] } });
    expect(events.map(({ line, text }) => [line, text])).toEqual([
      [7, 'mov.u32 %r2, 2;'],
      [9, '@!%p1 mov.u32 %r4, 4;'],
    ]);
    expect(events[1]?.registers[0]).toMatchObject({ name: '%p1', type: '.pred', before: 0 });
  });

  test('shows the result of a wait once the thread has it', async () => {
    const body = 'mov.u32 %r1, %tid.x;\nshfl.sync.idx.b32 %r2, %r1, 9, 31, 0xffffffff;\nbar.sync 0;\nmov.u32 %r3, %r2;';
    const events = await trace({ body }, { block: 32 });
    expect(events.map(({ line }) => line)).toEqual([6, 7, 8, 9, 10]);
    expect(events[1]?.registers).toMatchObject([
      { name: '%r1', before: 0 },
      { name: '%r2', before: 0, after: 9 },
    ]);
  });

  test('ends with the instruction that faulted and shows its address', async () => {
    const events = await trace({ body: 'mov.u64 %rd1, 64;\nld.global.u32 %r1, [%rd1+8];\nmov.u32 %r2, 1;' });
    expect(events.map(({ line }) => line)).toEqual([6, 7]);
    expect(events[1]).toMatchObject({ addresses: [72n], registers: [{ name: '%rd1', before: 64n }, { name: '%r1' }] });
  });

  test('follows calls into functions', async () => {
    const module = '.func f(.reg .u32 x) { .reg .u32 %y; add.u32 %y, x, 1; ret; }';
    const events = await trace({ module, body: 'mov.u32 %r1, 5;\ncall f, (%r1);' });
    expect(events.map((event) => event.function)).toEqual(['k', 'k', 'f', 'f', 'k']);
    expect(events[2]?.registers).toMatchObject([
      { name: 'x', before: 5 },
      { name: '%y', after: 6 },
    ]);
  });
});

test('tracing a missing thread, or on the fast engine, is a mistake of the caller', async () => {
  expect(await codeOf({ trace: { thread: 1 } })).toBe('bad-trace');
  expect(await codeOf({ trace: { block: [0, 1, 0] } })).toBe('bad-trace');
  expect(await codeOf({ engine: 'jit' })).toBe('bad-trace');
  expect(await codeOf({ engine: 'interp' })).toBe('none');
});
