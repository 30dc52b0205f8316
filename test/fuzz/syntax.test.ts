import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/check/check.ts';
import { errorLimit } from '../../src/syntax/reader.ts';
import { parseInstruction, parseItems, parseModule } from '../../src/syntax/parser.ts';
import { printModule } from '../../src/syntax/printer.ts';
import { anyString } from './any-string.ts';

const kernels = new URL('../../examples/kernels/', import.meta.url);
const sources = readdirSync(kernels)
  .filter((name) => name.endsWith('.ptx'))
  .map((name) => readFileSync(new URL(name, kernels), 'utf8'));
const header = '.version 9.0 .target sm_90 .address_size 64\n';

/**
 * Random input consists of these pieces of PTX, because the parser would stop at the first token of most other input.
 */
const pieces = `
.entry .func .visible .extern .reg .shared .param .global .align .b32 .v2 .ptr .loc .file .section .pragma .callprototype
.branchtargets .alias .maxntid .attribute .const .texref .noreturn .managed @@DWARF .version|9.0 .target|sm_90
.address_size|64 add.s32 call mov ret; %r1 %p x L1: _ WARP_SZ generic "s" " /* */ //|c { } ( ) [ ] < > , ; : @ ! ~ - + || ?
= == << % . 0 1 08 0x1F 1.5 0f3F800000 0d3FF0000000000000 1e400 99999999999999999999 \0 \u00e9`
  .trim()
  .split(/\s+/)
  .map((piece) => piece.replace(/(?<=[\w/])\|(?=\w)/, ' '))
  .concat('\n', '|');

const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 200 }).map((parts) => parts.join(' '));

/** A real module in which a few passages have been deleted, inserted or replaced. */
const mutated = fc
  .tuple(
    fc.constantFrom(...sources),
    fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.oneof(fc.constantFrom('', ...pieces), fc.string())), { maxLength: 8 }),
  )
  .map(([source, edits]) =>
    edits.reduce((text, [at, length, replacement]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + replacement + text.slice(start + length);
    }, source),
  );

const anyText = fc.oneof(
  anyString(500),
  soup,
  soup.map((text) => header + text),
  soup.map((text) => `${header}.func f() { ${text} }`),
  mutated,
);

/** The text of a syntax tree, without the offsets. */
function shape(items: unknown): string {
  return JSON.stringify(items, (key, value: unknown) => {
    if (/^(span|start|end|\w+Start|\w+End)$/.test(key)) return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}

describe('any version', () => {
  const digits = fc.stringMatching(/^\d+$/);

  it('is printed as it was read, or is not a version', () => {
    fc.assert(
      fc.property(digits, digits, (major, minor) => {
        const { items } = parseModule(`.version ${major}.${minor}\n.target sm_80`);
        expect(shape(parseModule(printModule(items)).items)).toBe(shape(items));
      }),
      {
        examples: [
          ['9'.repeat(400), '0'],
          ['99999999999999999999999', '0'],
          ['8', '9'.repeat(30)],
        ],
      },
    );
  });

  it('that does not exist is not mistaken for a different one', () => {
    for (const version of ['7.105', '0.850', '6.250']) {
      const codes = check(`.version ${version}\n.target sm_80\n`).diagnostics.map(({ code }) => code);
      expect([version, codes.some((code) => code === 'PTX4010' || code === 'PTX4011')]).toEqual([version, true]);
    }
  });
});

describe('any text', () => {
  it('is read to its end without an exception, and every finding lies within it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { items, diagnostics } = parseModule(text);
        expect(diagnostics.length).toBeLessThanOrEqual(errorLimit + 1);
        const spans = [...items, ...diagnostics.map(({ span }) => span)];
        const outside = spans.filter(({ start, end }) => !(0 <= start && start <= end && end <= text.length));
        expect(outside).toEqual([]);
      }),
      { numRuns: 800 },
    );
  });

  it('gives items in the order of the text, without overlap', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const items = [...parseItems(text, () => {})];
        expect(items.filter(({ start }, i) => start < (items[i - 1]?.end ?? 0))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('used as an instruction either is an instruction or has a finding', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), soup), (text) => {
        const { instruction, diagnostics } = parseInstruction(text);
        expect(instruction === null || diagnostics.every((d) => d.severity !== 'error' || d.code !== 'PTX1001')).toBe(
          true,
        );
        if (instruction === null) expect(diagnostics).not.toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the part of a text that could be read', () => {
  it('prints as text that parses without mistakes to the same tree', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { items } = parseModule(text);
        const printed = printModule(items);
        const again = parseModule(printed);
        expect(shape(again.items)).toBe(shape(items));
        expect(printModule(again.items)).toBe(printed);
      }),
      { numRuns: 800 },
    );
  });
});

describe('a bad line', () => {
  const badLines = [
    'add.s32 %r1, %r2 %r3;',
    'add.s32 %r1,, %r2;',
    'ld.global.u32 %r1, [%rd1-4];',
    'mov.b32 %r1, 08;',
    'mov. b32 %r1, %r2;',
    'mov.b64 %rd1, {%r1, %r2;',
    'mov.b64 %rd1 {%r1, %r2};',
    '@!!%p1 ret;',
    '.reg .v3 .b32 %bad;',
    'call f (a, b);',
    '.loc 1 2;',
    '.pragma nounroll;',
    'mov.b32 %r1, `;',
    ')',
    'ld.global.u32 %r1, [%rd1',
    'call.uni (r), f, (',
  ];

  /** Places where a statement ends a line and the next line begins with an opcode or a register declaration. */
  function boundaries(source: string): readonly number[] {
    return [...source.matchAll(/;\n(?=\t(?:\.reg|[a-z]+\.)|@)/g)].map((match) => match.index + 2);
  }

  function countStatements(source: string): number {
    return parseModule(source).items.reduce((sum, item) => {
      return sum + (item.kind === 'function' ? (item.body?.length ?? 0) : 1);
    }, 0);
  }

  const known = sources.map((text) => ({ text, places: boundaries(text), statements: countStatements(text) }));

  it('has one finding, wherever it is placed, and affects no other statement', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(), fc.constantFrom(...badLines), (source, index, line) => {
        const { text, places, statements } = source;
        const at = places[index % places.length] ?? 0;
        const spoiled = `${text.slice(0, at)}\t${line}\n${text.slice(at)}`;
        const codes = parseModule(spoiled).diagnostics.map((diagnostic) => diagnostic.code);
        expect(codes).toHaveLength(1);
        // The part of a declaration that was parsed successfully is kept. If a block contains only invalid text, it may
        // be parsed as an empty block.
        expect(countStatements(spoiled) - statements).toBeOneOf([0, 1]);
      }),
      { numRuns: 250 },
    );
  });
});
