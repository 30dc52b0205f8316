/**
 * To add a special register, a directive or a number format to ptxlab, it is enough to add one row. This test adds rows
 * for registers, directives and formats that exist neither in PTX nor in any machine learning library. Every part of
 * ptxlab must handle them without further changes.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Directives from '../../src/isa/directives.ts';
import type * as Registers from '../../src/isa/registers.ts';
import type * as Formats from '../../src/numerics/formats.ts';
import type * as Spellings from '../../src/arrays/spellings.ts';
import type { Bits } from '../../src/base/bits.ts';
import { at } from '../../src/isa/targets.ts';

/**
 * An 8-bit float with three exponent bits and four fraction bits. It has the same values as float8_e3m4 in ml_dtypes.
 */
const e3m4 = {
  kind: 'float',
  width: 8,
  signed: true,
  exponentBits: 3,
  fractionBits: 4,
  bias: 3,
  subnormals: true,
  padding: 0,
  infinity: true,
  nan: 'ieee',
  canonicalNan: 0x7fn,
} as const;

/** Loads all modules of ptxlab again, this time with the additional rows in their tables. */
async function plantedModules() {
  vi.resetModules();
  vi.doMock('../../src/isa/registers.ts', async (original) => {
    const all = await original<typeof Registers>();
    const lane = all.registerRows.find(({ name }) => name === '%laneid');
    return { ...all, registerRows: [...all.registerRows, { ...lane, name: '%planted', since: at('9.0', 100) }] };
  });
  vi.doMock('../../src/isa/directives.ts', async (original) => {
    const all = await original<typeof Directives>();
    const values = [1, 2] as const;
    const extras = { since: at('9.0', 100), positive: true, not: '.maxntid' };
    return {
      ...all,
      tuningRows: [...all.tuningRows, { name: '.maxwarps', on: ['entry'] as const, values, ...extras }],
      attributeRows: [...all.attributeRows, { name: '.planted', on: ['variable'], values: 1, since: at('9.0') }],
      pragmaRows: [...all.pragmaRows, { name: 'planted', open: false, since: at('9.0') }],
    };
  });
  vi.doMock('../../src/numerics/formats.ts', async (original) => {
    const all = await original<typeof Formats>();
    const formats = { ...all.formats, e3m4: { ...e3m4, name: 'e3m4' } };
    return { ...all, formats, formatNames: [...all.formatNames, 'e3m4'] };
  });
  vi.doMock('../../src/arrays/spellings.ts', async (original) => {
    const all = await original<typeof Spellings>();
    const row = { ml_dtypes: 'float8_e3m4', torch: null, safetensors: null, others: [] };
    return { ...all, spellings: { ...all.spellings, e3m4: row } };
  });
  return {
    core: await import('../../src/index.ts'),
    device: await import('../../src/device.ts'),
    arrays: await import('../../src/arrays.ts'),
    npy: await import('../../src/tensors/npy/dtypes.ts'),
    exact: await import('../../src/arrays/semantics/semantics.ts'),
    formats: await import('../../src/numerics/formats.ts'),
  };
}

let modules: Awaited<ReturnType<typeof plantedModules>>;

beforeAll(async () => {
  modules = await plantedModules();
});

afterAll(() => {
  for (const path of ['isa/registers', 'isa/directives', 'numerics/formats', 'arrays/spellings']) {
    vi.doUnmock(`../../src/${path}.ts`);
  }
  vi.resetModules();
});

function codesOf(item: string, version = '9.0', target = 'sm_100'): readonly string[] {
  const { diagnostics } = modules.core.check(`.version ${version}\n.target ${target}\n.address_size 64\n${item}\n`);
  return diagnostics.map(({ code }) => code);
}

describe('a special register', () => {
  const kernel = `.entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    mov.u32 %r1, %planted; mov.u32 %r2, %tid.x; ld.param.u64 %rd1, [out];
    mad.wide.u32 %rd2, %r2, 4, %rd1; st.global.u32 [%rd2], %r1; ret; }`;

  test('exists for the versions and targets in its row', () => {
    expect(codesOf(kernel)).toEqual([]);
    expect(codesOf(kernel, '8.8')).toEqual(['PTX4001']);
    expect(codesOf(kernel, '9.0', 'sm_90')).toEqual(['PTX4002']);
  });

  test('has the type of its row and no components', () => {
    expect(codesOf(kernel.replace('mov.u32 %r1', 'mov.u16 %r1'))).not.toEqual([]);
    expect(codesOf(kernel.replace('%planted', '%planted.x'))).not.toEqual([]);
  });

  test.each([
    ['interp', false],
    ['jit', false],
    ['jit', true],
  ] as const)('is read by %s, simd %s', async (engine, simd) => {
    const device = await modules.device.Device.create();
    const out = device.alloc(4 * 64);
    const source = `.version 9.0\n.target sm_100\n.address_size 64\n.visible ${kernel}`;
    const result = await device
      .load(source)
      .kernel('k')
      .launch({ args: [out], block: 64, engine, simd });
    expect(result.ok).toBe(true);
    const bytes = out.read();
    const words = [...new Uint32Array(bytes.buffer, bytes.byteOffset, 64)];
    expect(words).toEqual(Array.from({ length: 64 }, (_, i) => i % 32));
  });
});

describe('a directive', () => {
  const kernel = (header: string): string => `.entry k() ${header} { ret; }`;

  test('exists for the versions and targets in its row', () => {
    expect(codesOf(kernel('.maxwarps 4, 2'))).toEqual([]);
    expect(codesOf(kernel('.maxwarps 4'), '8.8')).toEqual(['PTX4001']);
    expect(codesOf(kernel('.maxwarps 4'), '9.0', 'sm_90')).toEqual(['PTX4002']);
    expect(
      modules.core.check(`.version 9.0\n.target sm_100\n${kernel('.maxwarps 4')}`).requirements.minimumVersion,
    ).toBe('9.0');
  });

  test('is followed by what its row specifies, and cannot be combined with the other directive', () => {
    expect(codesOf(kernel('.maxwarps'))).toEqual(['PTX1001']);
    expect(codesOf(kernel('.maxwarps 1, 2, 3'))).toEqual(['PTX1001']);
    expect(codesOf(kernel('.maxwarps 0'))).toEqual(['PTX5026']);
    expect(codesOf(kernel('.maxwarps 4 .maxntid 32'))).toEqual(['PTX5026']);
    expect(codesOf('.func f() .maxwarps 4 { ret; }')).toEqual(['PTX1001']);
  });

  test('is suggested and printed', () => {
    const { diagnostics, items } = modules.core.parse(`.version 9.0\n.target sm_100\n${kernel('.maxwarp 4')}`);
    expect(diagnostics.map(({ help }) => help)).toEqual(['did you mean .maxwarps?']);
    expect(items).toHaveLength(3);
    const good = modules.core.parse(`.version 9.0\n.target sm_100\n${kernel('.maxwarps 4, 2')}`);
    expect(modules.core.print(good.items)).toContain('.entry k() .maxwarps 4, 2');
  });

  test('may be an attribute or a pragma', () => {
    expect(codesOf('.global .attribute(.planted(7)) .b32 x;')).toEqual([]);
    expect(codesOf('.global .attribute(.planted) .b32 x;')).toEqual(['PTX1001']);
    expect(codesOf('.global .attribute(.planted(7)) .b32 x;', '8.8')).toEqual(['PTX4001']);
    expect(codesOf('.pragma "planted";', '8.8')).toEqual(['PTX4001']);
  });
});

describe('a number format', () => {
  const format = (): Formats.FormatName => modules.arrays.formatNamed('float8_e3m4') ?? 'f32';

  test('is found by its names in the stacks', () => {
    expect(format()).toBe('e3m4');
    expect(modules.arrays.spelling(format(), 'ml_dtypes')).toBe('float8_e3m4');
    expect(modules.npy.npyDtype('float8_e3m4')).toEqual({ format: 'e3m4', bytes: 1 });
    expect(modules.npy.npyDescr(format())).toBe('|V1');
  });

  test('has the values that its row describes', () => {
    const values = Float32Array.of(0, 1, -1, 1.03125, 1.09375, 2 ** -6, 15.5, 1000, Number.NaN);
    const codes = modules.arrays.convert(values, { to: format() });
    expect([...codes]).toEqual([0, 0x30, 0xb0, 0x30, 0x32, 1, 0x6f, 0x6f, 0x7f]);
  });

  test.each(['f64', 'f32', 'f16', 'bf16', 'e4m3', 's32'] as const)(
    'converts to and from %s in the same way on both engines',
    (other) => {
      for (const [from, to] of [
        [format(), other],
        [other, format()],
      ] as const) {
        const plan = modules.exact.conversionOf({ from, to });
        if (!plan.ok) throw new Error(plan.error.message);
        const inputs = Array.from({ length: 256 }, (_, i) => patternOf(from, i));
        const wanted = inputs.map(modules.exact.planConverter(plan.value));
        const found = modules.arrays.convert(stored(from, inputs), { from, to });
        const bytes = new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
        expect([...bytes], `${from} to ${to}`).toEqual([...stored(to, wanted)]);
      }
    },
  );

  test('appears among the renderings of a literal', () => {
    const explained = modules.core.explain('1.0');
    expect(JSON.stringify(explained)).toContain('"format":"e3m4","bits":"30"');
  });
});

function widthOf(format: Formats.FormatName): number {
  return modules.formats.formats[format].width;
}

/** All bit patterns of 8-bit formats, and a sample of the patterns of wider formats. */
function patternOf(format: Formats.FormatName, i: number): Bits {
  const width = widthOf(format);
  if (width === 8) return i;
  const bits = BigInt.asUintN(width, BigInt(i) * 0x9e3779b97f4a7c15n);
  return width > 32 ? bits : Number(bits);
}

function stored(format: Formats.FormatName, values: readonly Bits[]): Uint8Array {
  const size = widthOf(format) / 8;
  return Uint8Array.from({ length: values.length * size }, (_, i) =>
    Number((BigInt(values[Math.floor(i / size)] ?? 0) >> BigInt(8 * (i % size))) & 0xffn),
  );
}
