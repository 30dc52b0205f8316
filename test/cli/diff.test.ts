import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memorySink, memorySource } from '../../src/tensors/bytes.ts';
import { layoutFile } from '../../src/tensors/layout.ts';
import { type Outcome, ptxlab, put, scratch } from './ptxlab.ts';
import { floats, putSafetensors, tensor } from './tensor-files.ts';

const folder = scratch();
const { NaN: nan } = Number;

function diff(...args: readonly string[]): Promise<Outcome> {
  return ptxlab(['diff', ...args]);
}

interface JsonPair {
  readonly name: string;
  readonly equal: boolean;
  readonly complaints: readonly string[];
  readonly comparison: Readonly<Record<string, unknown>> | null;
}

interface JsonDiff {
  readonly ok: boolean;
  readonly tensors: readonly JsonPair[];
  readonly onlyInA: readonly string[];
  readonly onlyInB: readonly string[];
}

async function diffJson(...args: readonly string[]): Promise<JsonDiff> {
  return JSON.parse((await diff('--json', ...args)).stdout) as JsonDiff;
}

const before = putSafetensors(folder, 'before.safetensors', { w: floats(1, 2, 4, 0.1), v: floats(1, 1) });
const after = putSafetensors(folder, 'after.safetensors', { w: floats(1, 2, 5, 0.1), v: floats(1, 1) });

describe('without limits, any difference is a finding', () => {
  test('equal files exit 0', async () => {
    const { code, stdout, stderr } = await diff(before, before);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('\ntensors: 2 equal\n');
  });

  test('NaNs are equal, and the order of tensors does not matter', async () => {
    const one = putSafetensors(folder, 'nan-1.safetensors', { a: floats(nan), b: floats(1) });
    const two = putSafetensors(folder, 'nan-2.safetensors', { b: floats(1), a: floats(nan) });
    expect((await diff(one, two)).code).toBe(0);
  });

  test('different values exit 1, with one line per tensor and details of the worst one', async () => {
    const { code, stdout } = await diff(before, after);
    expect(code).toBe(1);
    expect(stdout).toMatch(/ F32 +4 +25\.0% +1 +0\.25 +13\.2 dB +0\.\d{6} +w\n/);
    expect(stdout).toMatch(/ 0 +3 +75\.0% +█+\n/);
    expect(stdout).toMatch(/ {2}\[2\] +4 +5 +1 +0\.25\n/);
    expect(stdout).toContain('\ntensors: 1 equal, 1 different\n');
  });

  test('tensors on only one side and different shapes exit 1', async () => {
    const a = putSafetensors(folder, 'shape-a.safetensors', { w: floats(1, 2), x: floats(1), y: floats(1) });
    const b = putSafetensors(folder, 'shape-b.safetensors', { w: floats(1, 2, 3), x: floats(1), z: floats(1) });
    const { code, stdout } = await diff(a, b);
    expect(code).toBe(1);
    expect(stdout).toContain('only in A: 1 tensor\n  dtype  shape  name\n  F32        1  y\n');
    expect(stdout).toContain('only in B: 1 tensor\n  dtype  shape  name\n  F32        1  z\n');
    expect(stdout).toContain('not comparable: 1 tensor\n  difference         name\n  shape 2 against 3  w\n');
    expect(stdout).toContain('tensors: 1 equal, 1 different, 1 only in A, 1 only in B\n');
  });

  test('long names are shortened, and columns left out, until a line has 80 columns', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`model.layers.${i}.self_attn.q_proj.weight`, i]),
    );
    const files = ['A', 'B'].map((side) =>
      putSafetensors(folder, `long-${side}.safetensors`, {
        ...Object.fromEntries(Object.entries(many).map(([name, i]) => [name, floats(i + 1, side === 'A' ? 1 : 1.25)])),
        [`only.${side}.${'x'.repeat(100)}`]: floats(1),
        [`odd.${'x'.repeat(100)}`]: floats(...(side === 'A' ? [1] : [1, 2])),
      }),
    );
    const { stdout } = await diff(...files, '--min-sqnr', '200');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(/ m\.l\.299\.self\.q_proj\.weight\n/);
  });

  test('data without numeric meaning is compared byte by byte', async () => {
    const mask = (last: number): Parameters<typeof putSafetensors>[2] => ({
      m: tensor('BOOL', [2], Uint8Array.of(0, last)),
      n: floats(1),
    });
    const zero = putSafetensors(folder, 'mask-0.safetensors', mask(0));
    const one = putSafetensors(folder, 'mask-1.safetensors', mask(1));
    expect((await diff(zero, zero)).code).toBe(0);
    const { code, stdout } = await diff(zero, one);
    expect(code).toBe(1);
    expect(stdout).toContain('different bytes of BOOL  m\n');
  });

  test('64-bit integers are compared in all bits', async () => {
    const longest = 2n ** 63n - 1n;
    const pairs: Readonly<Record<string, readonly [Parameters<typeof tensor>[2], Parameters<typeof tensor>[2]]>> = {
      I64: [
        BigInt64Array.of(7n, 2n ** 53n + 1n, longest, -longest),
        BigInt64Array.of(7n, 2n ** 53n, longest - 1n, -longest - 1n),
      ],
      U64: [
        BigUint64Array.of(7n, 2n ** 53n + 1n, 2n ** 64n - 1n, 2n ** 60n),
        BigUint64Array.of(7n, 2n ** 53n, 2n ** 64n - 2n, 2n ** 60n + 1n),
      ],
    };
    for (const [dtype, [x, y]] of Object.entries(pairs)) {
      const one = putSafetensors(folder, `${dtype}-1.safetensors`, { w: tensor(dtype, [4], x) });
      const two = putSafetensors(folder, `${dtype}-2.safetensors`, { w: tensor(dtype, [4], y) });
      expect((await diff(one, two)).code).toBe(1);
      const [found] = (await diffJson(one, two)).tensors;
      expect(found).toMatchObject({ equal: false, comparison: { different: 3, maxAbs: 1 } });
      expect((await diff(one, one)).code).toBe(0);
    }
  });

  test('an integer that no double can represent differs from every double', async () => {
    const long = putSafetensors(folder, 'long.safetensors', {
      w: tensor('I64', [1], BigInt64Array.of(2n ** 53n + 1n)),
    });
    const real = putSafetensors(folder, 'real.safetensors', { w: tensor('F64', [1], Float64Array.of(2 ** 53)) });
    const even = putSafetensors(folder, 'even.safetensors', { w: tensor('U64', [1], BigUint64Array.of(2n ** 53n)) });
    expect((await diff(long, real)).code).toBe(1);
    expect((await diff(real, long)).code).toBe(1);
    expect((await diff(even, real)).code).toBe(0);
  });

  test('doubles whose squares overflow or underflow still have a correct signal-to-noise ratio', async () => {
    const doubles = (name: string, value: number): string =>
      putSafetensors(folder, name, { w: tensor('F64', [1], Float64Array.of(value)) });
    const small = [doubles('d-1.safetensors', 1e-200), doubles('d-2.safetensors', 2e-200)];
    const large = [doubles('d-3.safetensors', 1e200), doubles('d-4.safetensors', 1.1e200)];
    expect((await diff('--min-sqnr', '30', ...small)).code).toBe(1);
    expect((await diff('--min-sqnr', '19.9', ...large)).code).toBe(0);
    expect((await diff('--min-sqnr', '20.1', ...large)).code).toBe(1);
  });

  test('a different sign of zero is reported, but is not a finding', async () => {
    const plus = putSafetensors(folder, 'plus.safetensors', { w: floats(0) });
    const minus = putSafetensors(folder, 'minus.safetensors', { w: floats(-0) });
    const { code } = await diff(plus, minus);
    expect(code).toBe(0);
    expect((await diffJson(plus, minus)).tensors[0]?.comparison).toMatchObject({ different: 0, zeroSigns: 1 });
  });
});

describe('limits', () => {
  test.each<[string, readonly string[], number]>([
    ['within all of them', ['--max-abs', '1', '--max-rel', '0.25', '--min-sqnr', '13'], 0],
    ['an absolute error beyond', ['--max-abs', '0.9'], 1],
    ['a relative error beyond', ['--max-rel', '0.2'], 1],
    ['too much noise', ['--min-sqnr', '14'], 1],
  ])('%s', async (_, flags, code) => {
    expect((await diff(...flags, before, after)).code).toBe(code);
  });

  test('the verdict names the tensor and the limit', async () => {
    const { stdout } = await diff('--max-abs', '0.9', before, after);
    expect(stdout).toContain('\ntensors: 1 equal, 1 beyond the limits\n  w: beyond --max-abs 0.9\n');
  });

  test('a NaN in place of a number exceeds every limit', async () => {
    const one = putSafetensors(folder, 'one.safetensors', { w: floats(1) });
    const none = putSafetensors(folder, 'none.safetensors', { w: floats(nan) });
    expect((await diff('--max-abs', '1e9', one, none)).code).toBe(1);
  });
});

describe('types may differ, since values are compared', () => {
  test('a rounded copy is off by at most half a step of its format', async () => {
    const values = Float32Array.of(1.0625, -3.1, 448, 0.002);
    // The e4m3 codes of 1, -3, 448 and 2^-9, which are the values above rounded to nearest.
    const codes = Uint8Array.of(0x38, 0xc4, 0x7e, 0x01);
    const a = putSafetensors(folder, 'f32.safetensors', { w: tensor('F32', [4], values) });
    const b = putSafetensors(folder, 'e4m3.safetensors', { w: tensor('F8_E4M3', [4], codes) });
    const { tensors } = await diffJson(a, b);
    expect(tensors[0]?.comparison).toMatchObject({
      unit: 'e4m3',
      different: 3,
      ulps: [
        { ulps: 0, count: 1 },
        { ulps: 0.5, count: 3 },
      ],
    });
  });

  test('scales next to a tensor are applied and not compared as tensors', async () => {
    const a = putSafetensors(folder, 'scaled-a.safetensors', {
      w: tensor('F32', [2, 2], Float32Array.of(2, 4, 30, 60)),
    });
    const b = putSafetensors(folder, 'scaled-b.safetensors', {
      w: tensor('F8_E4M3', [2, 2], Uint8Array.of(0x38, 0x40, 0x38, 0x40)),
      w_scale: tensor('F32', [2, 1], Float32Array.of(2, 30)),
    });
    const { code, stdout } = await diff(a, b);
    expect(stdout).toContain('tensors: 1 equal\n');
    expect(code).toBe(0);
  });

  test('dense fp4 with one scale per 16 elements and one for the tensor (NVFP4)', async () => {
    const values = Float32Array.from({ length: 32 }, (_, i) => (i < 16 ? 3 : -12));
    const codes = Uint8Array.from({ length: 16 }, (_, i) => (i < 8 ? 0x55 : 0xff));
    const a = putSafetensors(folder, 'nv-a.safetensors', { w: tensor('F32', [1, 32], values) });
    const b = putSafetensors(folder, 'nv-b.safetensors', {
      w: tensor('F4', [1, 32], codes),
      // The scales 2 and 4. Multiplied by `w_scale_2`, which is 0.5, they become 1 and 2.
      w_scale: tensor('F8_E4M3', [1, 2], Uint8Array.of(0x40, 0x48)),
      w_scale_2: tensor('F32', [], Float32Array.of(0.5)),
    });
    expect((await diffJson(a, b)).tensors[0]?.comparison).toMatchObject({ different: 0 });
  });

  test('GGUF blocks are multiplied by their scales', async () => {
    const layout = layoutFile('gguf', [{ name: 'w', dtype: 'Q8_0', shape: [1, 32] }]);
    const bytes = new Uint8Array(layout.size);
    bytes.set(layout.header);
    // The f16 scale 0.5, followed by 32 elements with the code 3.
    bytes.set([0x00, 0x38, ...Array<number>(32).fill(3)], layout.tensors[0]?.offset);
    const b = put(folder, 'q8.gguf', bytes);
    const a = putSafetensors(folder, 'q8.safetensors', { w: tensor('F32', [1, 32], new Float32Array(32).fill(1.5)) });
    const { code, stdout } = await diff(a, b);
    expect([code, stdout]).toEqual([0, expect.stringContaining('tensors: 1 equal')]);
  });

  test('two files with one tensor each are compared whatever the tensors are called', async () => {
    const raw = put(folder, 'raw.bin', new Uint8Array(Float32Array.of(1, 2, 4, 0.1).buffer));
    const other = putSafetensors(folder, 'lone.safetensors', { w: floats(1, 2, 4, 0.1) });
    expect((await diff('--dtype', 'f32', '--shape', '4', raw, other)).code).toBe(0);
  });
});

describe('an error says what is wrong with a file', () => {
  const codes = tensor('F8_E4M3', [1], Uint8Array.of(1));
  const plain = putSafetensors(folder, 'scaled-by-one.safetensors', { w: floats(1) });

  test.each([
    ['a scale', { w: codes, w_scale: floats(nan) }, 'w_scale'],
    ['a second scale', { w: codes, w_scale: floats(1), w_scale_2: floats(nan) }, 'w_scale_2'],
  ])('%s that is NaN', async (name, tensors, bad) => {
    const path = putSafetensors(folder, `${name}.safetensors`, tensors);
    for (const pair of [
      [path, plain],
      [plain, path],
    ]) {
      const { code, stderr } = await diff(...pair);
      expect([code, stderr]).toEqual([2, `ptxlab: ${path}: "${bad}" has a scale that is NaN or infinite\n`]);
    }
  });

  test('data that does not match its checksum', async () => {
    const layout = layoutFile('npz', [{ name: 'w', dtype: '<f4', shape: [1] }]);
    const bytes = new Uint8Array(layout.size);
    await layout.finish?.({ ...memorySource(bytes), ...memorySink(bytes) });
    bytes[layout.tensors[0]?.offset ?? 0] = 1;
    const path = put(folder, 'spoilt.npz', bytes);
    const message = `ptxlab: ${path}: the checksum of the stored data does not match\n`;
    expect(await diff(plain, path)).toMatchObject({ code: 2, stderr: message });
    expect(await ptxlab(['inspect', path])).toMatchObject({ code: 2, stderr: message });
    expect(await ptxlab(['convert', path, join(folder, 'o.npy'), '--to', 'f16'])).toMatchObject({
      code: 2,
      stderr: message,
    });
  });
});

describe('wrong usage and bad files exit 2 with one sentence', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['one file', [before], /needs two tensor files/],
    ['a file that does not exist', [before, join(folder, 'missing.npy')], /missing\.npy/],
    ['a directory', [folder, before], /is a directory/],
    ['a limit that is not a number', ['--max-abs', 'x', before, after], /--max-abs takes/],
    ['an infinite limit', ['--max-abs', '1e400', before, after], /--max-abs takes a number such as 0\.01, not '1e400'/],
    ['infinity', ['--min-sqnr', 'Infinity', before, after], /--min-sqnr takes/],
    ['a negative limit', ['--max-rel', '-1', before, after], /--max-rel takes/],
    ['a pattern that matches nothing', ['--only', 'zzz', before, after], /--only matches no tensor/],
    ['a file that is cut off', [before, put(folder, 'cut.safetensors', readFileSync(before).subarray(0, -4))], /cut/],
    [
      'a scale that is NaN',
      [
        putSafetensors(folder, 'q-nan.safetensors', {
          w: tensor('F8_E4M3', [1], Uint8Array.of(1)),
          w_scale: floats(nan),
        }),
        putSafetensors(folder, 'q.safetensors', { w: floats(1) }),
      ],
      /"w_scale" has a scale that is NaN or infinite/,
    ],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await diff(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^ptxlab: [^\n]+\n$/);
    expect(stderr).not.toContain('internal error');
  });
});
