import { describe, expect, test } from 'vitest';
import { check } from '../check/check.ts';
import { ptxForms } from '../isa/table.ts';
import { isTypeName } from '../isa/types.ts';
import { meaningsByOpcode } from './meanings/by-opcode.ts';
import { generalMeanings } from './meanings/general.ts';
import { modifierMeaning } from './modifier-meanings.ts';
import { explain } from './explain.ts';
import { conversionMatrix } from './conversion-matrix.ts';

const anywhere = { target: null, version: null };

describe('literals', () => {
  test('a float constant is shown as bits, fields, other types and other formats', () => {
    const found = explain('0f3DCCCCCD');
    expect(found).toMatchObject({
      kind: 'literal',
      width: 32,
      bits: '3dcccccd',
      fields: ['0', '01111011', '10011001100110011001101'],
    });
    if (found.kind !== 'literal') return;
    expect(found.readings).toContainEqual({ type: '.u32', value: '1036831949' });
    expect(found.renderings).toContainEqual({ format: 'f16', bits: '2e66', value: '0.0999755859375', exact: false });
    expect(found.renderings.find(({ format }) => format === 'f64')).toMatchObject({
      bits: '3fb99999a0000000',
      exact: true,
    });
  });

  test.each<[string, number, string]>([
    ['0x38', 8, '38'],
    ['0x0038', 16, '0038'],
    ['56', 8, '38'],
    ['-1', 8, 'ff'],
    ['-129', 16, 'ff7f'],
    ['0b1', 8, '01'],
    ['017', 8, '0f'],
    ['0xFFFFFFFFFFFFFFFFU', 64, 'ffffffffffffffff'],
    ['(1 << 4) | 1', 8, '11'],
  ])('the integer %s takes %i bits', (text, width, bits) => {
    expect(explain(text)).toMatchObject({ kind: 'literal', width, bits });
  });

  test('a constant that wraps around says so', () => {
    const what = 'integer constant, s64 in expressions; exceeds 64 bits and is read as 1';
    expect(explain('18446744073709551617')).toMatchObject({ kind: 'literal', what, value: '1' });
  });

  test.each(['99999999999999999999999', '1 / 0'])('%s is refused, as in a module', (text) => {
    const module = `.version 8.0 .target sm_90 .address_size 64 .func f() { .reg .b64 %d; mov.b64 %d, ${text}; }`;
    const [checked] = check(module).diagnostics;
    expect(explain(text)).toMatchObject({ kind: 'refused', source: text, diagnostics: [{ code: checked?.code }] });
  });

  test('a decimal constant is an f64', () => {
    expect(explain('1.5')).toMatchObject({ kind: 'literal', width: 64, bits: '3ff8000000000000', value: '1.5' });
  });
});

describe('names', () => {
  test('a type is explained with its range and special bit patterns', () => {
    expect(explain('e4m3')).toMatchObject({ kind: 'type', name: '.e4m3' });
    const found = explain('.e5m2');
    if (found.kind !== 'type') throw new Error(found.kind);
    expect(found.facts).toContainEqual(['largest', '57344  0x7b']);
    expect(found.facts).toContainEqual(['infinity', '0x7c']);
    expect(found.facts).toContainEqual(['least subnormal', '0.0000152587890625  0x01']);
  });

  test('a modifier lists the forms that take it', () => {
    expect(explain('.scaled::n2::ue8m0')).toMatchObject({
      kind: 'modifier',
      meanings: [expect.objectContaining({ forms: expect.arrayContaining(['cvt.s2f6x2.f32.scaled']) })],
    });
  });

  test('an opcode is never mistaken for a type or modifier', () => {
    expect(explain('cvt').kind).toBe('opcode');
  });
});

describe('operands', () => {
  test('the coordinates in a tensor are operands beside the address of its map', () => {
    const found = explain('cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, 3}]');
    expect(found).toMatchObject({
      operands: [{ name: 'tensor-map' }, { name: 'coordinate.0', width: 32 }, { name: 'coordinate.1', width: 32 }],
    });
  });
});

describe('modifiers', () => {
  test.each([
    ['.shared::cta', "the address is in the shared memory of the thread's own block"],
    ['.cg', 'cache in L2 only'],
    ['.ignore_oob', expect.stringContaining('out of bounds')],
    ['.m64n8k16', 'A is 64 by 16, B is 16 by 8, and the result is 64 by 8'],
    ['.wide', 'the whole product, twice as wide'],
  ])('%s is explained, with the forms that take it', (name, meaning) => {
    const forms = { 0: expect.any(String) };
    expect(explain(name)).toMatchObject({ kind: 'modifier', name, meanings: { 0: { meaning, forms } } });
  });

  test.each([
    ['setp.lo.u32', '.lo', 'less than, as unsigned integers'],
    ['bmsk.clamp.b32', '.clamp', 'positions and widths greater than 32 are treated as 32'],
    ['shf.l.clamp.b32', '.clamp', 'shift amounts greater than the width are treated as the width'],
    ['suld.b.1d.b32.clamp', '.clamp', 'coordinates outside are moved to the nearest element'],
    ['redux.sync.add.u32', '.add', 'the sum of the values of all threads of the mask'],
    ['atom.global.add.u32', '.add', 'the sum of the old value and the operand'],
    ['tld4.r.2d.v4.f32.f32', '.r', 'the red component'],
    ['ldmatrix.sync.aligned.m8n8.x4.shared.b16', '.x4', '4 matrices'],
    ['tcgen05.ld.sync.aligned.32x32b.x4.b32', '.x4', 'the shape 4 times, along the columns'],
    ['shfl.sync.down.b32', '.down', 'from the lane with a higher number'],
  ])('in %s, %s means: %s', (mnemonic, modifier, meaning) => {
    expect(explain(mnemonic)).toMatchObject({ modifiers: expect.arrayContaining([{ modifier, meaning }]) });
  });

  test('a modifier with several meanings lists the forms of each', () => {
    expect(explain('.lo')).toMatchObject({
      meanings: expect.arrayContaining([
        { meaning: 'the low half of the product', forms: expect.arrayContaining(['mul.lo']) },
        { meaning: 'less than, as unsigned integers', forms: expect.arrayContaining(['setp.unsigned']) },
      ]),
    });
  });

  test('every modifier has a meaning in every opcode', () => {
    const missing = ptxForms
      .opcodes()
      .flatMap((opcode) => modifiersOf(opcode).map((modifier) => [opcode, modifier] as const))
      .filter(([opcode, modifier]) => modifierMeaning(modifier, opcode) === null);
    expect(missing).toEqual([]);
  });

  test('every modifier with a meaning exists', () => {
    const known = new Set(ptxForms.opcodes().flatMap((opcode) => [...modifiersOf(opcode), ...wordsOf(opcode)]));
    expect(Object.keys(generalMeanings).filter((word) => !known.has(word))).toEqual([]);
  });

  test('every meaning for an opcode is that of one of its modifiers or words', () => {
    const unused = meaningsByOpcode.flatMap(({ opcodes, meanings }) =>
      opcodes.filter((words) => {
        const fitting = ptxForms.opcodes().filter((opcode) => opcode === words || opcode.startsWith(`${words}.`));
        return !fitting.some((opcode) =>
          [...modifiersOf(opcode), ...wordsOf(opcode)].some((word) => Object.hasOwn(meanings, word)),
        );
      }),
    );
    expect(unused).toEqual([]);
  });
});

function modifiersOf(opcode: string): readonly string[] {
  const values = ptxForms.forms(opcode).flatMap(({ axes }) => axes.flatMap((axis) => axis.values));
  return [...new Set(values)].filter((value) => value !== '' && !isTypeName(value));
}

function wordsOf(opcode: string): readonly string[] {
  return opcode.split('.').map((word) => `.${word}`);
}

describe('targets', () => {
  test.each([
    ['sm_90a', 'The architecture sm_90 with all its features.', 'sm_90'],
    [
      'sm_120f',
      'The architecture sm_120 with the features that all later members of its family have, too.',
      'sm_120, sm_121',
    ],
    ['compute_121', 'The architecture sm_121 with the features that all later architectures have, too.', 'sm_121'],
  ])('%s: %s', (text, summary, runs) => {
    expect(explain(text)).toMatchObject({
      kind: 'target',
      summary,
      facts: expect.arrayContaining([['code runs on', runs]]),
    });
  });

  test.each(['sm_999', 'sm_90f', 'compute_91'])('%s is no target', (name) => {
    expect(explain(name)).toMatchObject({ kind: 'refused', diagnostics: [{ code: 'PTX4012' }] });
  });

  test('sm_101 has another name today', () => {
    expect(explain('sm_101f')).toMatchObject({
      facts: expect.arrayContaining([
        ['renamed', 'sm_110f since PTX 9.0'],
        ['code runs on', 'sm_101, sm_110'],
      ]),
    });
  });

  test('a GPU is explained by its architecture and by the targets whose code it runs', () => {
    expect(explain('h100')).toMatchObject({
      kind: 'target',
      name: 'H100',
      facts: [
        ['runs code for', 'sm_10 to sm_90, sm_90a'],
        ['products', 'H100, H200, GH200'],
      ],
    });
  });
});

describe('instructions', () => {
  test('the modifiers listed as optional or replaceable give legal mnemonics', () => {
    const found = explain('cvt.rn.satfinite.f16.f32');
    if (found.kind !== 'instruction') throw new Error(found.kind);
    expect(found.alternatives).toEqual([
      { axis: 'rounding', written: '.rn', others: ['.rz'], omissible: false },
      { axis: 'relu', written: null, others: ['.relu'], omissible: false },
      { axis: 'satfinite', written: '.satfinite', others: [], omissible: true },
      { axis: 'pzo', written: null, others: ['.pzo'], omissible: false },
    ]);
  });

  test('a modifier in an unusual position changes only the spelling of the mnemonic', () => {
    expect(explain('cvt.f64.bf16.rp')).toMatchObject({ kind: 'instruction', mnemonic: 'cvt.rp.f64.bf16' });
  });

  test('open choices are mentioned only if they matter', () => {
    const ids = (text: string): readonly string[] => {
      const found = explain(text);
      return found.kind === 'instruction' ? found.openChoices.map(({ id }) => id) : [found.kind];
    };
    expect(ids('cvt.f32.bf16')).toContain('nan-f32-bf16');
    expect(ids('cvt.u32.u8')).toEqual([]);
  });

  test('old targets flush subnormals, and the steps show it', () => {
    const sm13 = { target: { name: 'sm_13', sm: 13, suffix: '', since: 102 }, version: null } as const;
    expect(explain('cvt.rn.f16.f32', sm13)).toMatchObject({ steps: ['d = f32 to f16.rn.ftz(a)'] });
    expect(explain('cvt.rn.f16.f32')).toMatchObject({ steps: ['d = f32 to f16.rn(a)'] });
  });

  test('results of textures are named by their channel', () => {
    const labels = (mnemonic: string): readonly (readonly string[])[] => {
      const found = explain(mnemonic);
      return found.kind === 'instruction' ? found.lanes.map(({ fields }) => fields.map(({ label }) => label)) : [];
    };
    expect(labels('tex.2d.v2.f16x2.f32')).toEqual([['texel.g', 'texel.r'], ['texel.a', 'texel.b'], ['1']]);
    expect(labels('tld4.b.2d.v4.s32.f32').slice(0, 2)).toEqual([['texel 0.b'], ['texel 1.b']]);
  });

  test('the selected parts of video operands determine the form and the steps', () => {
    expect(explain('vsub.u32.s32.u32 %d.h1, %a.b3, %b, %c')).toMatchObject({
      form: 'vsub.merge',
      steps: expect.arrayContaining(['a.part = a[31:24]', 'd = lanes {piece, c.0}, 16 bits each, topmost first']),
    });
    expect(explain('vmad.u32.u32.u32 %d, %a, %b, -%c')).toMatchObject({ form: 'vmad.minus' });
    expect(explain('vadd4.u32.u32.u32 %d.b02, %a, %b, %c')).toMatchObject({ kind: 'refused' });
  });
});

describe('the matrix of conversions', () => {
  const cells = conversionMatrix(anywhere);
  const cell = (from: string, to: string): string => {
    const found = cells.find((candidate) => candidate.from === from && candidate.to === to);
    return found === undefined ? 'none' : `${found.method} ${found.rounding}`;
  };

  test.each<[string, string, string]>([
    ['s8', 's32', 'sext refused'],
    ['u8', 's32', 'zext refused'],
    ['s32', 'u8', 'chop refused'],
    ['s32', 'u32', 'same refused'],
    ['s32', 'f32', 's2f required'],
    ['u64', 'bf16', 'u2f required'],
    ['f64', 's16', 'f2s required'],
    ['f16', 'u8', 'f2u required'],
    ['f64', 'f32', 'f2f required'],
    ['f16', 'f32', 'f2f refused'],
    ['f32', 'f32', 'f2f optional'],
    ['bf16', 'f16', 'f2f optional'],
    ['f32', 'tf32', 'f2f required'],
    ['f32', 'ue8m0', 'f2f required'],
    ['f16', 'ue8m0', 'none'],
    ['bf16', 's2f6', 'f2f required'],
    ['s2f6', 'bf16', 'f2f required'],
    ['e4m3', 'f16', 'f2f required'],
    ['e4m3', 'bf16', 'f2f required'],
    ['ue5m3', 'f16', 'f2f required'],
    ['ue5m3', 'f32', 'none'],
    ['tf32', 'f32', 'none'],
  ])('%s to %s: %s', (from, to, expected) => expect(cell(from, to)).toBe(expected));
});

test.each([
  ['mma.sp', 'mma.sp'],
  ['tcgen05.mma.sp', 'tcgen05.mma.sp'],
  ['tcgen05.mma.ws.sp', 'tcgen05.mma.ws.sp'],
])('the start of a mnemonic, %s, lists the forms that begin so', (text, start) => {
  const found = explain(text);
  if (found.kind !== 'opcode') throw new Error('no forms are listed');
  expect(found.forms.length).toBeGreaterThan(0);
  expect(found.forms.every(({ syntax }) => syntax.startsWith(`${start}.`))).toBe(true);
});

test('a mnemonic that lacks a type is refused', () => {
  expect(explain('cvt.rn').kind).toBe('refused');
});
