/** Functions that nvcc did not inline: recursion, pointers, virtual functions, printf, assert, malloc. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions, type LaunchResult } from '../../src/device.ts';

const source = readFileSync(new URL('../../examples/kernels/calls_sm80.ptx', import.meta.url), 'utf8');

describe.each(['interp', 'jit'] as const)('%s', (engine) => {
  async function launch(kernel: string, bytes: number, options: LaunchOptions): Promise<ArrayBuffer> {
    const device = await Device.create({ simd: true });
    const out = device.alloc(bytes);
    const args = [out, ...(options.args ?? [])];
    const result = await device
      .load(source)
      .kernel(kernel)
      .launch({ ...options, args, engine });
    expect(result).toMatchObject({ ok: true });
    return out.read().buffer as ArrayBuffer;
  }

  /** A kernel without an output buffer. */
  async function resultOf(kernel: string, options: LaunchOptions): Promise<LaunchResult> {
    return (await Device.create({ simd: true }))
      .load(source)
      .kernel(kernel)
      .launch({ ...options, engine });
  }

  test('recursion: Ackermann', async () => {
    const values = new Int32Array(await launch('recursion', 32, { block: 8 }));
    expect([...values]).toEqual([3, 5, 7, 9, 11, 13, 15, 17]);
  });

  test('passing and returning structures', async () => {
    expect([...new Float64Array(await launch('structures', 16, { args: [3] }))]).toEqual([9, 4]);
  });

  test('function pointers in a table', async () => {
    const values = new Float32Array(await launch('pointers', 24, { block: 6, args: [1] }));
    expect([...values]).toEqual([3, 8, 6, 12, 125, 9]);
  });

  test('virtual functions of objects on the device heap', async () => {
    const values = new Float32Array(await launch('objects', 16, { block: 4 }));
    expect([...values]).toEqual([0, 1, 12, 9]);
  });

  test('malloc and free', async () => {
    const values = new Int32Array(await launch('lists', 16, { block: 4 }));
    expect([...values]).toEqual([0, 1, 3, 6]);
  });

  test('a switch', async () => {
    const values = new Int32Array(await launch('table', 32, { block: 8 }));
    expect([...values]).toEqual([101, 707, 99, 98, 416, 6, 35, -1]);
  });

  test('printf: blocks in order, threads in the order in which they run', async () => {
    const heard: string[] = [];
    const { printed } = await resultOf('print', {
      grid: 2,
      block: 2,
      args: [1.5],
      onPrint: (text) => heard.push(text),
    });
    expect(printed.split('\n')).toEqual([
      'block 0 thread  0:    1.500 text a -5000000000 (nil)%',
      'block 0 thread  1:    3.000 text b -5000000000 (nil)%',
      'block 1 thread  0:    1.500 text a -5000000000 (nil)%',
      'block 1 thread  1:    3.000 text b -5000000000 (nil)%',
      '',
    ]);
    expect(heard.join('')).toBe(printed);
  });

  test('a failed assertion is a fault with its source location', async () => {
    const fault = { code: 'PTX6032', kernel: 'check', block: [0, 0, 0], thread: [2, 0, 0] };
    const result = await resultOf('check', { block: 4, args: [2] });
    expect(result).toMatchObject({ ok: false, fault });
    expect(result.ok ? '' : result.fault.message).toMatch(
      /^calls\.cu:\d+: void check\(int\): assertion `n > .*` failed$/,
    );
  });
});
