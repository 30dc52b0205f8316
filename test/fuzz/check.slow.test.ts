/**
 * For any text, the checker and the engine throw only typed errors, and only for mistakes by the caller. Everything
 * else is reported as a diagnostic or a fault.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { anyString } from './any-string.ts';
import { Device, PtxlabError } from '../../src/device.ts';

const read = (name: string): string => readFileSync(new URL(`../../examples/kernels/${name}`, import.meta.url), 'utf8');
const sources = ['quantize_sm89.ptx', 'blackwell_sm100a.ptx', 'collective_sm80.ptx', 'bench_mandelbrot.ptx'].map(read);
const words = sources.flatMap((source) => source.match(/[\w%$.:]+|[^\s\w]/g) ?? []);

/** A real module in which some words are replaced by others of the same kind. */
const mutated = fc
  .record({
    source: fc.constantFrom(...sources),
    changes: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...words)), { minLength: 1, maxLength: 6 }),
  })
  .map(({ source, changes }) => {
    const parts = source.split(/(\s+)/);
    for (const [at, word] of changes) parts[at % parts.length] = word;
    return parts.join('');
  });

/**
 * One instruction made of random words that occur in real instructions, in a kernel that declares registers of every
 * type.
 */
const instruction = fc
  .tuple(
    fc.constantFrom('cvt', 'cvta', 'ld', 'st', 'mov', 'add', 'setp', 'selp', 'cvt.pack', 'isspacep', 'bra', 'bar'),
    fc.array(fc.constantFrom(...words.filter((word) => word.startsWith('.'))), { maxLength: 5 }),
    fc.array(
      fc.constantFrom(
        '%r1',
        '%f1',
        '%rd1',
        '%p1',
        '%h1',
        '%q',
        '1',
        '1.5',
        '[%rd1]',
        '{%f1, %f2}',
        '_',
        'x',
        '!%p1',
        '%tid.x',
        '-%r1',
      ),
      {
        maxLength: 5,
      },
    ),
  )
  .map(([opcode, parts, operands]) => `${opcode}${parts.join('')} ${operands.join(', ')};`);

const inKernel = (line: string): string => `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 x) {
  .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b8 %q;
  ${line}
  ret;
}`;

function expectWellFormed(source: string): void {
  const { diagnostics } = check(source);
  for (const { span, message } of diagnostics) {
    expect(span.start).toBeGreaterThanOrEqual(0);
    expect(span.end).toBeLessThanOrEqual(source.length);
    expect(span.start).toBeLessThanOrEqual(span.end);
    expect(message).not.toMatch(/\{\w+\}|undefined/);
  }
}

describe('the checker', () => {
  test('accepts any text', () => {
    fc.assert(fc.property(anyString(400), expectWellFormed));
  });

  test('accepts real modules with replaced words', () => {
    fc.assert(fc.property(mutated, expectWellFormed), { numRuns: 150 });
  });

  test('accepts instructions made of random parts', () => {
    fc.assert(
      fc.property(instruction, (line) => expectWellFormed(inKernel(line))),
      { numRuns: 500 },
    );
  });
});

describe('the reference engine', () => {
  test('ends every accepted program with a result or a fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(instruction, { minLength: 1, maxLength: 3 }), async (lines) => {
        const device = await Device.create({ memory: 1 << 20 });
        try {
          const kernel = device.load(inKernel(lines.join('\n'))).kernel('k');
          const result = await kernel.launch({ block: 4, args: [device.alloc(64)], budget: 1000 });
          if (!result.ok) expect(result.fault.code).toMatch(/^PTX6/);
        } catch (error) {
          expect(error).toBeInstanceOf(PtxlabError);
        }
      }),
      { numRuns: 200 },
    );
  });
});
