/**
 * Tests large adversarial modules: the results must be correct, and limits must apply to how much is stored and how
 * much is searched.
 */
import { describe, expect, test } from 'vitest';
import { Document } from '../../src/analysis.ts';
import { check } from '../../src/check/check.ts';
import { errorLimit } from '../../src/check/error-cap.ts';
import { partLimit } from '../../src/isa/notation.ts';
import { searchLimit } from '../../src/check/unknown-name.ts';
import { Device, PtxlabError } from '../../src/device.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { type Shape, shapes } from './growth-shapes.ts';

function shapeOf(name: string): Shape {
  const found = shapes.find((shape) => shape.name === name);
  if (found === undefined) throw new Error(`no shape '${name}'`);
  return found;
}

function findings(name: string, size: number): readonly Diagnostic[] {
  return check(shapeOf(name).text(size)).diagnostics;
}

const codesOf = (all: readonly Diagnostic[]): ReadonlySet<string> => new Set(all.map(({ code }) => code));

describe('the number of errors', () => {
  test.each(['unknown names', 'unknown opcodes', 'unknown modifiers', 'missing functions', 'names declared again'])(
    '%s: the first findings are listed, and the others counted',
    (name) => {
      const found = findings(name, errorLimit + 51);
      expect(found.filter(({ code }) => code !== 'PTX1022')).toHaveLength(errorLimit);
      const left = name === 'names declared again' ? 50 : 51;
      expect(found.at(-1)?.message).toBe(`${left} more errors after the first ${errorLimit} are not listed`);
    },
  );

  test('errors of every kind are counted, and warnings are still listed', () => {
    const after = [
      'opx %r1;',
      'add.mx %r1, %r1, %r1;',
      'add.u32.mx.my %r1, y, %r1;',
      'add.f32 %r1, %rd1, %p1;',
      '@%r1 mov.u32 %r1, x;',
      'bar.sync 16;',
      'call f;',
      'st.u32 [%r1], %r1;',
    ];
    const beforeReturn = (text: string): string => text.replace(/ret;\n\}/, `${after.join('\n')}\n$&`);
    const alone = check(beforeReturn(shapeOf('unknown names').text(0))).diagnostics;
    const all = check(beforeReturn(shapeOf('unknown names').text(errorLimit))).diagnostics;
    expect(alone.map(({ severity }) => severity)).toEqual([...Array.from({ length: 11 }, () => 'error'), 'warning']);
    expect(all.slice(errorLimit).map(({ code }) => code)).toEqual(['PTX1022', 'PTX3027']);
    expect(all[errorLimit]?.message).toBe(`11 more errors after the first ${errorLimit} are not listed`);
  });

  test('if the number of errors is exactly the limit, none is omitted', () => {
    expect(codesOf(findings('unknown names', errorLimit))).toEqual(new Set(['PTX3001']));
  });
});

describe('suggestions', () => {
  test.each(['unknown names beside registers', 'unknown names in vectors', 'unknown initial names'])(
    '%s: similar names are searched only for the first ones',
    (name) => {
      const helped = findings(name, 2 * searchLimit).filter(({ help }) => help !== null);
      expect(helped).toHaveLength(searchLimit);
    },
  );
});

describe('suggestions in a document', () => {
  const lines = 3 * searchLimit;
  const text = shapeOf('unknown names beside registers')
    .text(lines)
    // Long comments make the text so large that the names are spread over many chunks.
    .replaceAll(/^mov.*$/gm, `$& // ${'x'.repeat(200)}`);
  const unknown = [...text.matchAll(/^mov.*\n/gm)];

  test('names get suggestions again once few enough are unknown', () => {
    const document = new Document(text);
    expect(document.diagnostics()).toEqual(check(text).diagnostics);
    const from = unknown[20]?.index ?? 0;
    const to = unknown[lines - 40]?.index ?? 0;
    document.edit(from, to, '');
    const left = document.diagnostics();
    expect(left).toEqual(check(document.text()).diagnostics);
    expect(left.filter(({ help }) => help === null)).toEqual([]);
    expect(left).toHaveLength(60);
  });
});

describe('limits', () => {
  test('a mnemonic may have many parts, but their number is limited', () => {
    expect(codesOf(findings('modifiers of one instruction', partLimit))).toEqual(new Set(['PTX2020']));
    expect(codesOf(findings('modifiers of one instruction', partLimit + 1))).toEqual(new Set(['PTX2013']));
  });

  test('an option of .target counts once, however often it is written', () => {
    expect(findings('options of .target', 100).map(({ code }) => code)).toEqual(['PTX4020']);
  });
});

describe('names', () => {
  test('the roles of all uses in a very long instruction are found', () => {
    const text = shapeOf('operands of one instruction').text(32_000);
    const uses = new Document(text).navigation.uses(text.indexOf('%r1, %r1'));
    expect(uses.map(({ role }) => role).slice(0, 3)).toEqual([null, 'write', 'read']);
    expect(uses).toHaveLength(32_002);
  });

  test.each([
    'register ranges',
    'registers one by one',
    'numbered registers one by one',
    'one range, all used',
    'scopes one after the other',
  ])('%s: each is found', (name) => {
    expect(findings(name, 1500)).toEqual([]);
  });

  test('each of many register ranges has its own size', () => {
    const body = Array.from({ length: 600 }, (_, i) => `.reg .b32 %q${i}x<${(i % 7) + 1}>;`);
    const uses = Array.from({ length: 600 }, (_, i) => `mov.u32 %q${i}x${i % 5}, 1;`);
    const found = check(
      `.version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n${[...body, ...uses].join('\n')}\n}`,
    ).diagnostics;
    const wrong = Array.from({ length: 600 }, (_, i) => i).filter((i) => i % 5 > i % 7);
    expect(found.map(({ help }) => help)).toEqual(
      wrong.map((i) => expect.stringContaining(`'%q${i}x<${(i % 7) + 1}>' declares`)),
    );
  });
});

describe('kernels', () => {
  const launched = async (name: string, size: number, engine: 'interp' | 'jit'): Promise<string> => {
    const { text, block = 1 } = shapeOf(name);
    const device = await Device.create({ memory: 1 << 24 });
    try {
      const result = await device.load(text(size)).kernel('k').launch({ block, engine });
      return result.ok ? 'ok' : result.fault.code;
    } catch (error) {
      if (error instanceof PtxlabError) return error.code;
      throw error;
    }
  };

  test.each([
    ['switches', 300],
    ['indirect calls', 1100],
    ['calls of functions with nested loops', 14],
  ])('%s: %d are too many for the fast engine, but not for the reference engine', async (name, size) => {
    expect(await launched(name, size, 'jit')).toBe('kernel-too-large');
    expect(await launched(name, size, 'interp')).toBe('ok');
  });

  test.each([
    ['barriers in branches', 600],
    ['switches', 50],
    ['indirect calls', 100],
    ['indirect calls in all functions', 100],
    ['nested loops with registers', 300],
    ['nested loops', 500],
    ['branches to one label', 500],
    ['a graph that does not consist of nested loops', 300],
    ['loops that read', 600],
    ['barriers with registers', 100],
    ['heap allocations, every other freed', 2000],
  ])('%s: %d run on both', async (name, size) => {
    expect(await launched(name, size, 'jit')).toBe('ok');
    expect(await launched(name, size, 'interp')).toBe('ok');
  });
});
