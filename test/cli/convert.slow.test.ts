import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Outcome, ptxlab, put, scratch, scratchIn } from './ptxlab.ts';
import { floats, putSafetensors, tensor } from './tensor-files.ts';

const everything = scratch();
let folder = '';
let model = '';
beforeEach(() => {
  folder = scratchIn(everything);
  model = putSafetensors(
    folder,
    'model.safetensors',
    {
      'a.weight': tensor(
        'F32',
        [2, 64],
        Float32Array.from({ length: 128 }, (_, i) => i / 16 - 4),
      ),
      'a.norm': floats(1, 2, 3, 4),
      ids: tensor('I64', [2], BigInt64Array.of(7n, 8n)),
    },
    { format: 'pt' },
  );
});

const at = (name: string): string => join(folder, name);

function convert(...args: readonly string[]): Promise<Outcome> {
  return ptxlab(['convert', ...args]);
}

interface JsonFile {
  readonly metadata: object;
  readonly tensors: readonly { readonly name: string; readonly dtype: string }[];
}

async function dtypes(path: string): Promise<readonly string[]> {
  const { stdout } = await ptxlab(['inspect', '--json', '--no-stats', path]);
  const [file] = JSON.parse(stdout) as readonly JsonFile[];
  return (file?.tensors ?? []).map(({ name, dtype }) => `${name} ${dtype}`).sort();
}

describe('output', () => {
  test('contains codes, scales and the unchanged tensors, and a line says so', async () => {
    const { code, stdout, stderr } = await convert(model, at('out.safetensors'), '--to', 'nvfp4', '--keep', '*norm');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^1 tensor converted, 2 copied; \d+ B to \d+ B in [\d.]+ s \(.*\/s\)\n$/);
    expect(await dtypes(at('out.safetensors'))).toEqual([
      'a.norm F32',
      'a.weight F4',
      'a.weight_scale F8_E4M3',
      'a.weight_scale_2 F32',
      'ids I64',
    ]);
    const { stdout: seen } = await ptxlab(['inspect', at('out.safetensors')]);
    expect(seen).toContain('format  pt');
  });

  test('raw bytes of a .npy file are copied with a warning, and converted if --dtype says what they are', async () => {
    const header = "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }".padEnd(117) + '\n';
    const bytes = put(folder, 'raw.npy', Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 118, 0]));
    writeFileSync(bytes, Buffer.from([...Buffer.from(header), 0x02, 0x03, 0x00, 0x01]), { flag: 'a' });
    const copied = await convert(bytes, at('copied.npy'), '--to', 'f32');
    expect(copied.stderr).toContain('nothing was converted, because tensors of type <V1 are copied; use --dtype');
    for (const dtype of ['float8_e4m3fn', 'ue8m0', 'int4']) {
      const { code, stderr } = await convert(bytes, at(`${dtype}.npy`), '--to', 'f32', '--dtype', dtype);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^1 tensor converted, 0 copied/)]);
      expect((await dtypes(at(`${dtype}.npy`))).join()).toMatch(/<f4$/);
    }
  });

  test('the warning about copied tensors names --dtype only for raw bytes', async () => {
    const complex = putSafetensors(folder, 'c.safetensors', { c: tensor('C64', [1], Float32Array.of(1, 2)) });
    const { stderr } = await convert(complex, at('copied.safetensors'), '--to', 'f16');
    expect(stderr).toContain('nothing was converted, because tensors of type C64 are copied\n');
  });

  test.each([
    ['999999TB', '--shard-size takes at most 9007TB'],
    ['1.0005kB', 'in 1 file and an index'],
  ])('--shard-size %s', async (size, words) => {
    const args = [model, at('m.safetensors.index.json'), '--to', 'f16', '--shard-size', size, '--dry-run'];
    const { stdout, stderr } = await convert(...args);
    expect(stdout + stderr).toContain(words);
  });

  test('diff applies the scales', async () => {
    await convert(model, at('out.safetensors'), '--to', 's8', '--scale', 'row', '-q');
    const { stdout } = await ptxlab(['diff', model, at('out.safetensors'), '--min-sqnr', '40']);
    expect(stdout).toContain('I8');
  });

  test('codes with scales are read as values, and copied tensors keep their scales', async () => {
    expect((await convert(model, at('q.safetensors'), '--to', 'mxfp4', '--keep', '*norm')).code).toBe(0);
    expect((await convert(at('q.safetensors'), at('back.safetensors'), '--to', 'f32')).code).toBe(0);
    expect(await dtypes(at('back.safetensors'))).toEqual(await dtypes(model));
    const same = await ptxlab(['diff', at('q.safetensors'), at('back.safetensors')]);
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('equal')]);
    expect((await convert(at('q.safetensors'), at('kept.safetensors'), '--to', 'f16', '--keep', '*weight')).code).toBe(
      0,
    );
    expect(await dtypes(at('kept.safetensors'))).toEqual(
      (await dtypes(at('q.safetensors'))).map((one) => one.replace('norm F32', 'norm F16')),
    );
  });

  test('to another container', async () => {
    expect((await convert(model, at('out.npz'), '--to', 'f16', '-q')).code).toBe(0);
    expect(await dtypes(at('out.npz'))).toEqual(['a.norm <f2', 'a.weight <f2', 'ids <i8']);
  });

  test('raw bytes as input and output', async () => {
    const raw = put(folder, 'in.bin', new Uint8Array(Float32Array.of(1, -2, 6, 0.5).buffer));
    const { code } = await convert(raw, at('out.raw'), '--dtype', 'float32', '--shape', '4', '--to', 'e2m1', '-q');
    expect(code).toBe(0);
    expect([...readFileSync(at('out.raw'))]).toEqual([0xc2, 0x17]);
  });

  test('several files and their index', async () => {
    const index = at('m.safetensors.index.json');
    const made = ['--to', 'e4m3', '--scale', 'row', '--shard-size', '144 B'];
    const { code, stderr } = await convert(model, index, ...made);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^2 tensors converted, 1 copied; /)]);
    expect(readdirSync(folder).filter((name) => name.startsWith('m-'))).toEqual([
      'm-00001-of-00002.safetensors',
      'm-00002-of-00002.safetensors',
    ]);
    expect((await ptxlab(['diff', '--max-abs', '0.3', model, index])).code).toBe(0);
    expect(await convert(index, at('back.safetensors'), '--to', 'f32')).toMatchObject({ code: 0 });
    expect((await ptxlab(['inspect', at('back.safetensors')])).stdout).toContain('format  pt');
    const shard = at('m-00001-of-00002.safetensors');
    const again = await convert(shard, index, '--to', 'f16', '--shard-size', '1B', '--force');
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${shard} and ${shard} are the same file`),
    });
  });

  test('--dry-run says what would be done and does nothing', async () => {
    const { code, stdout } = await convert(
      model,
      at('out.safetensors'),
      '--to',
      'mxfp8',
      '--dry-run',
      '--only',
      'a.weight',
    );
    expect(code).toBe(0);
    expect(stdout).toBe(`from  to                  shape   size  name
F32   F8_E4M3 + F8_E8M0  2 × 64  132 B  a.weight
F32   as it is                4   16 B  a.norm
I64   as it is                2   16 B  ids

3 tensors, 468 B
`);
    expect(readdirSync(folder)).toEqual(['model.safetensors']);
  });

  test('--dry-run also counts files', async () => {
    const index = at('m.safetensors.index.json');
    const end = async (...flags: readonly string[]): Promise<string> =>
      (await convert(model, index, '--to', 'f16', '--dry-run', ...flags)).stdout.split(', ').at(-1) ?? '';
    expect(await end()).toMatch(/ in 1 file and an index\n$/);
    expect(await end('--shard-size', '1 B')).toMatch(/ in 3 files and an index\n$/);
  });

  test('--json', async () => {
    const { stdout, stderr } = await convert(model, at('out.safetensors'), '--to', 'e4m3', '--json', '-q');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      container: 'safetensors',
      tensors: [
        { name: 'a.weight', action: 'convert', from: 'F32', outputs: [{ dtype: 'F8_E4M3', bytes: 128 }] },
        { name: 'a.norm', action: 'convert' },
        { name: 'ids', action: 'copy' },
      ],
    });
  });
});

describe('patterns', () => {
  test('an --only that matches nothing is an error', async () => {
    const { code, stderr } = await convert(model, at('o.npz'), '--to', 'f16', '--only', 'zzz*', '--only', 'y');
    expect([code, stderr]).toEqual([2, `ptxlab: ${model}: --only 'zzz*', 'y' matches none of its 3 tensors\n`]);
    expect((await convert(model, at('o.npz'), '--to', 'f16', '--only', 'zzz*', '--only', '*norm')).code).toBe(0);
  });

  test('a --keep that matches nothing is a warning', async () => {
    const args = ['--to', 'f16', '--keep', 'zzz*', '--keep', '*norm', '--force'];
    const { code, stderr } = await convert(model, at('o.npz'), ...args);
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      `ptxlab: warning: ${model}: --keep 'zzz*' matches none of its 3 tensors`,
    ]);
    expect(stderr.match(/warning/g)).toHaveLength(1);
    expect((await convert(model, at('o.npz'), ...args, '-q')).stderr).toBe('');
  });
});

describe('an error says what the new file cannot hold', () => {
  const long = 'x'.repeat(64);
  test.each<[string, string, Parameters<typeof putSafetensors>[2], string]>([
    ['o.safetensors', 's4', { a: floats(1, 2) }, '"a": a safetensors file cannot hold s4'],
    ['o.npy', 'f16', { a: floats(1), b: floats(1) }, 'an .npy file holds one tensor, not 2'],
    [
      'o.gguf',
      'q8_0',
      { odd: tensor('F32', [44], new Float32Array(44)) },
      'a GGUF file cannot hold this: the shape of "odd" is impossible: ',
    ],
    ['o.gguf', 'f16', { [long]: floats(1) }, `a GGUF file cannot hold this: the name "${long}" is longer than`],
  ])('%s of %s', async (name, to, tensors, words) => {
    const input = putSafetensors(folder, 'in.safetensors', tensors);
    const { code, stderr } = await convert(input, at(name), '--to', to);
    expect([code, stderr.slice(0, `ptxlab: ${at(name)}: ${words}`.length)]).toEqual([
      2,
      `ptxlab: ${at(name)}: ${words}`,
    ]);
  });

  test('an error about a NaN scale names the file that contains it', async () => {
    const input = putSafetensors(folder, 'in.safetensors', {
      w: tensor('F8_E4M3', [1], Uint8Array.of(1)),
      w_scale: floats(Number.NaN),
    });
    const { stderr } = await convert(input, at('o.npy'), '--to', 'f16');
    expect(stderr).toBe(`ptxlab: ${input}: "w_scale" has a scale that is NaN or infinite\n`);
  });
});

describe('files that it does not overwrite', () => {
  test('an existing file, unless --force is given', async () => {
    const out = put(folder, 'out.safetensors', 'mine');
    const refused = await convert(model, out, '--to', 'e4m3');
    expect([refused.code, refused.stderr]).toEqual([2, `ptxlab: ${out}: already exists\n`]);
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect((await convert(model, out, '--to', 'e4m3', '--force', '-q')).code).toBe(0);
    expect((await dtypes(out)).length).toBe(3);
  });

  test('its own input, even under another name', async () => {
    const before = readFileSync(model);
    linkSync(model, at('other.safetensors'));
    for (const out of [model, at('other.safetensors')]) {
      const { code, stderr } = await convert(model, out, '--to', 'e4m3', '--force');
      expect([code, stderr]).toEqual([2, `ptxlab: ${model} and ${out} are the same file\n`]);
    }
    expect(readFileSync(model).equals(before)).toBe(true);
  });

  test('the target of a symbolic link', async () => {
    const mine = put(folder, 'mine', 'mine');
    symlinkSync(mine, at('link.safetensors'));
    expect((await convert(model, at('link.safetensors'), '--to', 'e4m3', '--force', '-q')).code).toBe(0);
    expect(readFileSync(mine, 'utf8')).toBe('mine');
  });
});

describe('every error is one sentence, exits with 2 and leaves nothing behind', () => {
  const cut = (): string => {
    writeFileSync(at('cut.safetensors'), readFileSync(model).subarray(0, 300));
    return at('cut.safetensors');
  };
  const cases: Readonly<Record<string, () => readonly string[]>> = {
    'no file': () => [at('none.safetensors'), at('o.npz'), '--to', 'f16'],
    'a folder': () => [folder, at('o.npz'), '--to', 'f16'],
    'a file that was cut off': () => [cut(), at('o.npz'), '--to', 'f16'],
    'one name only': () => [model],
    'no --to': () => [model, at('o.npz')],
    'an unknown extension': () => [model, at('o.tensors'), '--to', 'f16'],
    'an index in capitals': () => [model, at('M.SAFETENSORS.INDEX.JSON'), '--to', 'f16'],
    'a pattern that matches nothing': () => [model, at('o.npz'), '--to', 'f16', '--only', 'zzz*'],
    'a scale rule without a scheme': () => [model, at('o.npz'), '--to', 'e4m3', '--scale-rule', 'up'],
    'a scale rule for other scales': () => [model, at('o.npz'), '--to', 'e4m3', '--scale', 'row', '--scale-rule', 'up'],
    'a scale rule for blocks': () => [model, at('o.gguf'), '--to', 'mxfp4', '--keep', '*norm', '--scale-rule', 'up'],
    'a name that zip readers cut off': () => [
      putSafetensors(folder, 'zero.safetensors', { 'a\0b': floats(1) }),
      at('o.npz'),
      '--to',
      'f16',
    ],
    'no such format': () => [model, at('o.npz'), '--to', 'e4m9'],
    'a format that the container does not support': () => [model, at('o.gguf'), '--to', 'e4m3'],
    'a scheme that already has scales': () => [model, at('o.npz'), '--to', 'mxfp4', '--scale', 'row'],
    'no such scale': () => [model, at('o.npz'), '--to', 'e4m3', '--scale', 'column'],
    'a seed without rs': () => [model, at('o.npz'), '--to', 'e4m3', '--seed', '1'],
    'rs without a seed': () => [model, at('o.npz'), '--to', 'e4m3', '--rounding', 'rs'],
    'an invalid seed': () => [model, at('o.npz'), '--to', 'e4m3', '--rounding', 'rs', '--seed', 'x'],
    'a shard size without an index': () => [model, at('o.npz'), '--to', 'f16', '--shard-size', '5GB'],
    'an invalid shard size': () => [model, at('o.safetensors.index.json'), '--to', 'f16', '--shard-size', '0'],
    stdin: () => ['-', at('o.npz'), '--to', 'f16'],
    stdout: () => [model, '-', '--to', 'f16'],
    'a folder that does not exist': () => [model, join(folder, 'no', 'o.npz'), '--to', 'f16'],
    'a folder as output': () => {
      mkdirSync(at('d.npz'), { recursive: true });
      return [model, at('d.npz'), '--to', 'f16', '--force'];
    },
  };

  test.each(Object.entries(cases))('%s', async (_, args) => {
    const given = args();
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await convert(...given);
    expect([code, stdout]).toEqual([2, '']);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter((line) => line.startsWith('ptxlab:') || line.startsWith('error:')),
    ).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('values that would be lost', () => {
  const weights = (): string =>
    putSafetensors(folder, 'weights.safetensors', {
      'l.weight': tensor(
        'F32',
        [4, 64],
        Float32Array.from({ length: 256 }, (_, i) => Math.sin(i) / 20),
      ),
    });

  test.each(['int8', 's4', 's2'])('%s gets a scale per row, and a line says so', async (to) => {
    const { code, stderr } = await convert(weights(), at('o.npz'), '--to', to);
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/^s\d gets one scale per row, in X_scale; --scale selects other scales, or none$/),
    ]);
    if (to !== 'int8') return;
    expect((await ptxlab(['diff', weights(), at('o.npz'), '--min-sqnr', '40'])).code).toBe(0);
  });

  test.each(['u8', 'u4', 's16', 'u32', 's64', 'e2m1'])('%s is refused without scales', async (to) => {
    const { code, stderr } = await convert(weights(), at('o.npz'), '--to', to);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/without scales, \d+% of the values become 0 .* --scale none/),
    ]);
    expect(readdirSync(folder)).not.toContain('o.npz');
    expect((await convert(weights(), at('o.npz'), '--to', to, '--dry-run')).code).toBe(2);
    expect((await convert(weights(), at('o.npz'), '--to', to, '--scale', 'none')).code).toBe(0);
  });

  test.each(['u8', 'ue5m3'])('lost signs are listed even if no scales are wanted: %s', async (to) => {
    const { code, stderr } = await convert(weights(), at('o.npz'), '--to', to, '--scale', 'none');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(RegExp(`\\d+% of l\\.weight lost the sign, because ${to} has none`)),
    ]);
    expect(stderr).not.toContain('became 0');
  });

  test.each(['o.npy', 'o.bin', 'o.gguf'])('%s has no room for the scales of integers', async (name) => {
    const { code, stderr } = await convert(weights(), at(name), '--to', 's8');
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no room for scales: use ')]);
    expect((await convert(weights(), at(name), '--to', 's8', '--scale', 'none')).code).toBe(0);
  });

  test('integers in floating point need no scales', async () => {
    const image = putSafetensors(folder, 'image.safetensors', { image: floats(0, 1, 128, 255) });
    expect((await convert(image, at('o.npy'), '--to', 'u8', '-q')).code).toBe(0);
  });

  test('a tensor that loses many values is listed', async () => {
    const mixed = putSafetensors(folder, 'mixed.safetensors', {
      small: floats(1e-5, -1e-6),
      'l.weight': tensor('F32', [64], Float32Array.from({ length: 64 }, Math.cos)),
    });
    const { code, stderr } = await convert(mixed, at('o.safetensors'), '--to', 'e4m3');
    expect([code, stderr]).toEqual([0, expect.stringContaining('100% of small became 0 because it has no scale')]);
  });

  test('NaN and infinity are counted per tensor', async () => {
    const odd = putSafetensors(folder, 'odd.safetensors', {
      w: floats(Number.NaN, 1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2),
      h: tensor('F16', [5], Uint16Array.of(0x7c00, 0xfe01, 0x3c00, 0x7bff, 0)),
      fine: floats(1),
    });
    for (const choice of [['bf16'], ['e4m3', '--scale', 'row'], ['mxfp8']]) {
      const { code, stderr } = await convert(odd, at('o.safetensors'), '--to', ...choice, '--force');
      expect([code, stderr.match(/has .*/g)]).toEqual([0, ['has 1 NaN and 2 infinities', 'has 1 NaN and 1 infinity']]);
    }
    const { stdout } = await ptxlab(['diff', odd, odd]);
    expect(stdout).toContain('NaN or infinity\n  A  w has 1 NaN and 2 infinities\n  B  w has 1 NaN and 2 infinities\n');
  });
});

describe('finite values out of the range of a float format without scales are counted', () => {
  const large = (): string =>
    putSafetensors(folder, 'large.safetensors', {
      d: tensor('F64', [4], Float64Array.of(1e60, -1e60, 1, Number.NaN)),
      f: tensor('F32', [5000], new Float32Array(5000).fill(1e6)),
      h: tensor('F16', [3], Uint16Array.of(0x7bff, 0x7c00, 0x3c00)),
    });
  test.each<[readonly string[], readonly string[]]>([
    [['f32'], ['d has values out of the range of f32: 2 became infinite']],
    [
      ['f16'],
      [
        'd has values out of the range of f16: 2 became infinite',
        'f has values out of the range of f16: 5,000 became infinite',
      ],
    ],
    [
      ['e4m3'],
      ['d', 'f', 'h'].map((name, i) => {
        const count = ['2', '5,000', '1'][i];
        return `${name} has values out of the range of e4m3: ${count} became the largest number`;
      }),
    ],
    [
      ['e4m3', '--scale', 'none', '--semantics', 'ml_dtypes', '--only', 'f'],
      ['f has values out of the range of e4m3: 5,000 became NaN'],
    ],
    [['bf16', '--only', '[fh]'], []],
    [['e4m3', '--scale', 'row'], []],
  ])('%j', async (choice, words) => {
    const { code, stderr } = await convert(large(), at('o.safetensors'), '--to', ...choice);
    expect([code, stderr.match(/\w+ has values.*/g) ?? []]).toEqual([0, words]);
  });

  test('also by merge', async () => {
    const plan = at('plan');
    await ptxlab(['plan', 'convert', large(), '--to', 'f16', '--shards', '2', '--out', plan]);
    await ptxlab(['work', plan, '--shard', '0..1']);
    const { code, stderr } = await ptxlab(['merge', plan, '--out', at('o.safetensors')]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('f has values out of the range of f16: 5,000 became')]);
  });
});

test('tiles that would contain rows of two matrices are refused', async () => {
  const input = putSafetensors(folder, 'experts.safetensors', {
    experts: tensor('F32', [2, 100, 64], new Float32Array(12_800).fill(1)),
    whole: tensor('F32', [2, 128, 4], new Float32Array(1024).fill(1)),
  });
  const args = [input, at('o.safetensors'), '--to', 'e4m3', '--scale', 'block'];
  expect(await convert(...args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"experts" (2 x 100 x 64)'),
  });
  expect(await convert(...args, '--keep', 'experts')).toMatchObject({ code: 0 });
  expect(await dtypes(at('o.safetensors'))).toEqual(['experts F32', 'whole F8_E4M3', 'whole_scale F32']);
});

describe('--layout', () => {
  const network = (): string => {
    const matrix = tensor(
      'F32',
      [32, 64],
      Float32Array.from({ length: 2048 }, (_, i) => Math.sin(i * i) / 30),
    );
    put(folder, 'config.json', JSON.stringify({ hidden_size: 64 }));
    return putSafetensors(folder, 'network.safetensors', {
      'm.0.up_proj.weight': matrix,
      'm.0.norm.weight': floats(1, 2),
      'm.embed_tokens.weight': matrix,
      'lm_head.weight': matrix,
    });
  };
  const kept = ['lm_head.weight F32', 'm.0.norm.weight F32', 'm.embed_tokens.weight F32'];
  const w = 'm.0.up_proj.weight';

  interface JsonTensor {
    readonly name: string;
    readonly dtype: string;
    readonly shape: readonly number[];
  }

  /** The tensors as listed in the header of a safetensors file. */
  const stored = (path: string): readonly string[] => {
    const bytes = readFileSync(path);
    const header = bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE(0))).toString();
    const entries = Object.entries(JSON.parse(header) as Readonly<Record<string, Omit<JsonTensor, 'name'>>>);
    return entries.map(([name, { dtype, shape }]) => `${name} ${dtype} ${shape.join('x')}`).sort();
  };

  test.each<[string, string, readonly string[], string]>([
    ['modelopt', 'nvfp4', [`${w} U8 32x32`, `${w}_scale F8_E4M3 32x4`, `${w}_scale_2 F32 `], '18'],
    ['modelopt', 'e4m3', [`${w} F8_E4M3 32x64`, `${w}_scale F32 `], '25'],
    [
      'compressed-tensors',
      'nvfp4',
      [`${w}_global_scale F32 1`, `${w}_packed U8 32x32`, `${w}_scale F8_E4M3 32x4`],
      '18',
    ],
    ['compressed-tensors', 'e4m3', [`${w} F8_E4M3 32x64`, `${w}_scale F32 32x1`], '25'],
    ['compressed-tensors', 's8', [`${w} I8 32x64`, `${w}_scale F32 32x1`], '40'],
    ['compressed-tensors', 'mxfp4', [`${w}_packed U8 32x32`, `${w}_scale U8 32x2`], '15'],
  ])('%s, %s', async (layout, to, names, least) => {
    const input = network();
    mkdirSync(at('out'));
    const out = at('out/model.safetensors');
    const { code, stderr } = await convert(input, out, '--to', to, '--layout', layout);
    expect([code, stderr]).toEqual([0, expect.stringContaining("config.json is a copy of the input's with")]);
    expect(stored(out).filter((line) => line.startsWith(w))).toEqual(names);
    expect(stored(out).map((line) => line.replace(/ [\dx]*$/, ''))).toEqual(expect.arrayContaining(kept));
    expect((await ptxlab(['diff', input, out, '--min-sqnr', least])).code).toBe(0);
    const config: unknown = JSON.parse(readFileSync(at('out/config.json'), 'utf8'));
    expect(config).toMatchObject({
      hidden_size: 64,
      quantization_config: { quant_method: layout, ignore: ['m.embed_tokens', 'lm_head'] },
    });
  });

  test('prints the configuration if it must not overwrite a config.json', async () => {
    const input = network();
    const { stderr } = await convert(input, at('out.safetensors'), '--to', 'nvfp4', '--layout', 'compressed-tensors');
    expect(stderr).toContain('its readers need this in config.json:\n{\n  "quantization_config": {');
    expect(readFileSync(at('config.json'), 'utf8')).toBe('{"hidden_size":64}');
  });

  test('with --only, only the names decide which matrices are quantized', async () => {
    const args = ['--to', 'nvfp4', '--layout', 'modelopt', '--only', '*head*'];
    expect((await convert(network(), at('o.safetensors'), ...args)).code).toBe(0);
    expect(stored(at('o.safetensors'))).toContain('lm_head.weight U8 32x32');
    expect(stored(at('o.safetensors'))).toContain(`${w} F32 32x64`);
  });

  test.each([
    ['modelopt', 'e4m3'],
    ['compressed-tensors', 'e4m3'],
    ['compressed-tensors', 's8'],
  ])('%s, %s: only weights of linear layers are quantized', async (layout, to) => {
    const values = new Float32Array(256).fill(1);
    const input = putSafetensors(folder, 'mixed.safetensors', {
      'm.proj.weight': tensor('F32', [16, 16], values),
      'm.conv1d.weight': tensor('F32', [64, 1, 4], values),
      'm.A_log': tensor('F32', [16, 16], values),
      'm.experts.up_proj': tensor('F32', [2, 16, 8], values),
    });
    const { code, stderr } = await convert(input, at('o.safetensors'), '--to', to, '--layout', layout);
    const words = `1 tensor stays as it is, because ${layout} has only matrices that consist of whole blocks`;
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${words}: m.conv1d.weight\n`)]);
    expect(stored(at('o.safetensors')).filter((line) => line.includes('F32 '))).toEqual([
      'm.A_log F32 16x16',
      'm.conv1d.weight F32 64x1x4',
      'm.experts.up_proj F32 2x16x8',
      expect.stringContaining('m.proj.weight_scale'),
    ]);
    expect(stderr.replaceAll(/\s+/g, '')).toContain('"ignore":["m.conv1d","m.experts"]');
  });

  test.each<readonly string[]>([
    ['--to', 's4', '--layout', 'modelopt'],
    ['--to', 'bf16', '--layout', 'modelopt'],
    ['--to', 'e4m3', '--layout', 'modelopt', '--scale', 'row'],
    ['--to', 'e4m3', '--layout', 'modelopt', '--scale', 'none'],
    ['--to', 'nvfp4', '--layout', 'gptq'],
  ])('%j is refused', async (...args) => {
    expect((await convert(network(), at('o.safetensors'), ...args)).code).toBe(2);
  });
});
