/**
 * Tests that every module or launch, no matter how demanding, finishes, faults or is rejected within limits on time and
 * memory.
 */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions, PtxlabError } from '../../src/device.ts';
import { moduleOf, outcome, output, type Source, ways } from './run.ts';

/** Loads a kernel and launches it. Returns the code of the resulting error or fault; null if there is none. */
async function endOf(source: Source, options: LaunchOptions = {}, memory?: number): Promise<string | null> {
  try {
    const device = await Device.create(memory === undefined ? {} : { memory });
    const kernel = device.load(moduleOf({ parameters: '', ...source })).kernel('k');
    const result = await kernel.launch(options);
    return result.ok ? null : result.fault.code;
  } catch (error) {
    if (error instanceof PtxlabError) return error.code;
    throw error;
  }
}

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

describe.each(Object.entries(ways))('on %s', (_way, way) => {
  test('a launch of 2^31 threads stops no later than its time limit', async () => {
    const end = await endOf({ body: '' }, { ...way, grid: 2 ** 21, block: 1024, timeout: 0.1 });
    expect([null, 'PTX6021']).toContain(end);
  });

  test('the largest grid is never in memory as a whole', async () => {
    const grid = [2 ** 31 - 1, 65_535, 65_535] as const;
    expect(await endOf({ body: '' }, { ...way, grid, timeout: 0.1 })).toBe('PTX6021');
    expect(await endOf({ body: 'mov.u32 %r1, 1;' }, { ...way, grid, budget: 10_000 })).toBe('PTX6020');
  });

  test('a launch that runs out of time between blocks names no line', async () => {
    const { result } = await outcome({ body: 'mov.u32 %r1, 2;' }, 4, {
      ...way,
      grid: 2 ** 31 - 1,
      block: 32,
      timeout: 0.1,
    });
    const fault = result.ok ? null : result.fault;
    expect(fault?.code).toBe('PTX6021');
    expect(fault?.line).not.toBe(0);
  });

  test('a local variable larger than the maximum for a thread', async () => {
    const body = '.local .b8 x[1099511627776];\nst.local.u8 [x], 1;';
    expect(await endOf({ body }, way)).toBe('bad-launch');
  });

  test('shared memory larger than the maximum for a block', async () => {
    const source = { module: '.shared .b8 x[1099511627776];', body: 'st.shared.u8 [x], 1;' };
    expect(await endOf(source, way)).toBe('refused-module');
    expect(await endOf({ body: '' }, { ...way, sharedBytes: 2 ** 40 })).toBe('bad-launch');
  });

  test('endless recursion in all threads of a block', async () => {
    const source = { module: '.func f() { call f; ret; }', body: 'call f;' };
    expect(await endOf(source, { ...way, block: 1024 })).toBe('PTX6013');
  });

  test.skipIf(way.simd === true)('10,000 instructions in a row', async () => {
    const body = `ld.param.u64 %rd1, [out];\n${lines(10_000, () => 'add.u32 %r1, %r1, 3;')}\nst.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 4, way)).toEqual([30_000]);
  });

  const count = 1250;
  const shapes: Readonly<Record<string, string>> = {
    'one after the other': lines(count, (i) => `@%p1 bra L${i};\nadd.u32 %r1, %r1, 1;\nL${i}:`),
    'each inside the one before it': `${lines(count / 2, (i) => `@%p1 bra L${i};`)}\n${lines(count / 2, (i) => `add.u32 %r1, %r1, 2;\nL${count / 2 - 1 - i}:`)}`,
    'each a way out': `${lines(count, () => '@%p1 bra done;\nadd.u32 %r1, %r1, 1;')}\ndone:`,
    'each after a branch into it': lines(
      count,
      (i) => `@!%p1 bra L${i};\nbra done;\nL${i}:\nadd.u32 %r1, %r1, 1;`,
    ).concat('\ndone:'),
    'each the start of a loop': `${lines(count / 2, (i) => `L${i}:\nadd.u32 %r1, %r1, 2;`)}\n${lines(count / 2, (i) => `@%p1 bra L${count / 2 - 1 - i};`)}`,
    'in loops with two starts': `@%p1 bra L7;\n${lines(count, (i) => `L${i}:\nadd.u32 %r1, %r1, 1;\n@%p1 bra L${(i * 7919) % count};`)}`,
    'from barrier to barrier': lines(count, () => 'add.u32 %r1, %r1, 1;\nbar.sync 0;'),
  };
  // A kernel with this many instructions is too large to be compiled to code that runs four threads at once.
  const compiledOnce = test.skipIf(way.simd === true);
  compiledOnce.each(Object.entries(shapes))('thousands of basic blocks, %s', async (_, middle) => {
    const body = `ld.param.u64 %rd1, [out];\n${middle}\nst.global.u32 [%rd1], %r1;`;
    const { result, words } = await outcome({ body }, 4, { ...way, block: 2 });
    expect(result.ok).toBe(true);
    expect(words).toEqual([count]);
  });

  compiledOnce('a branch to one of thousands of targets', async () => {
    const table = `T: .branchtargets ${lines(count, (i) => `L${i}`).replaceAll('\n', ', ')};`;
    const body = `ld.param.u64 %rd1, [out];\nmov.u32 %r2, ${count - 7};\n${table}\nbrx.idx %r2, T;\n${lines(count, (i) => `L${i}: add.u32 %r1, %r1, 1;`)}\nst.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 4, way)).toEqual([7]);
  });
});

describe('memory of the device', () => {
  test('variables that do not fit', async () => {
    expect(await endOf({ module: '.global .b8 x[1099511627776];', body: '' })).toBe('out-of-memory');
    expect(await endOf({ module: '.const .b8 x[1099511627776];', body: '' })).toBe('refused-module');
    expect(await endOf({ module: '.global .b8 x[8192];', body: '' }, {}, 4096)).toBe('out-of-memory');
  });

  test('buffers that do not fit', async () => {
    const device = await Device.create({ memory: 4096 });
    expect(() => device.alloc(8192)).toThrow('buffer 0 needs 8192 bytes; the device has 4096 of 4096 left');
    expect(device.alloc(4096).byteLength).toBe(4096);
    const usual = await Device.create();
    expect(() => usual.alloc(2 ** 40)).toThrow('of 1073741824 left');
  });
});

test('a module of 2,000 kernels, each launched', async () => {
  const kernels = lines(2000, (i) => `.entry k${i}() { .reg .u32 %r; mov.u32 %r, ${i}; ret; }`);
  const module = (await Device.create()).load(`.version 9.0\n.target sm_90\n.address_size 64\n${kernels}`);
  expect(module.kernelNames).toHaveLength(2000);
  for (const name of module.kernelNames) {
    expect((await module.kernel(name).launch({ engine: 'interp' })).stats.instructions).toBe(1);
  }
});

test('60,000 registers that each live within one block', async () => {
  const used = (i: number): string => {
    const four = `{%q${4 * i}, %q${4 * i + 1}, %q${4 * i + 2}, %q${4 * i + 3}}`;
    return `ld.shared.v4.u32 ${four}, [words]; st.shared.v4.u32 [words], ${four};`;
  };
  const body = `.shared .align 16 .b32 words[4];\n.reg .b32 %q<60000>;\n${lines(15_000, used)}`;
  expect(await endOf({ body }, { engine: 'jit' })).toBeNull();
});

test.each(['interp', 'jit'] as const)('a launch that runs out of time before it begins says so: %s', async (engine) => {
  const { result } = await outcome({ body: 'ret;' }, 4, { engine, timeout: 1e-9 });
  expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6021' } });
  expect(result.ok || result.fault.message).toMatch(/; its code was still being prepared$/);
});
