/**
 * Tests modules of various sizes whose structure is hard to process, for example because of deep nesting. Every step
 * must return a result or throw a typed error.
 */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { Device, type LoadedModule, PtxlabError } from '../../src/device.ts';
import { parseModule } from '../../src/syntax/parser.ts';
import { printModule } from '../../src/syntax/printer.ts';

/** The stack of the test process is so small that a recursion 3,000 levels deep would overflow it. */
const sizes = [1, 10, 3_000];

const head = `.version 8.0\n.target sm_80\n.address_size 64\n`;
const rep = (n: number, f: (i: number) => string): string => Array.from({ length: n }, (_, i) => f(i)).join('');
const kernel = (body: string, module = ''): string =>
  `${head}${module}\n.visible .entry k(.param .u64 out) { .reg .u32 %r<4>; .reg .pred %p<2>; .reg .u64 %rd<4>;\n${body}\nret; }\n`;
const shapes: Readonly<Record<string, (n: number) => string>> = {
  'a chain of calls': (n) =>
    kernel(
      'call f0;',
      rep(n, (i) => `.func f${i}();`).concat(
        rep(n, (i) => `.func f${i}() { ${i + 1 < n ? `call f${i + 1};` : ''} ret; }\n`),
      ),
    ),
  'a chain of calls, starting with the last function': (n) =>
    kernel(
      `call f${n - 1};`,
      rep(n, (i) => `.func f${i}() { ${i > 0 ? `call f${i - 1};` : ''} ret; }\n`),
    ),
  'a cycle of calls': (n) =>
    kernel(
      '@%p1 call f0;',
      rep(n, (i) => `.func f${i}();`).concat(
        rep(n, (i) => `.func f${i}() { .reg .pred p; @p call f${(i + 1) % n}; ret; }\n`),
      ),
    ),
  'nested blocks': (n) => kernel('{'.repeat(n) + 'add.u32 %r1, %r1, 1;' + '}'.repeat(n)),
  parentheses: (n) => kernel(`mov.u32 %r1, ${'('.repeat(n)}1${')'.repeat(n)};`),
  'minus signs': (n) => kernel(`mov.u32 %r1, ${'-'.repeat(n)}1;`),
  complements: (n) => kernel(`mov.u32 %r1, ${'~ '.repeat(n)}1;`),
  'a sum': (n) => kernel(`mov.u32 %r1, 1${'+1'.repeat(n)};`),
  'choices to the right': (n) => kernel(`mov.u32 %r1, ${'1?2:'.repeat(n)}1;`),
  'choices in the middle': (n) => kernel(`mov.u32 %r1, ${'1?'.repeat(n)}1${':2'.repeat(n)};`),
  braces: (n) => kernel('', `.global .u32 x[1] = ${'{'.repeat(n)}1${'}'.repeat(n)};`),
  dimensions: (n) => kernel('', `.global .u32 x${'[1]'.repeat(n)};`),
  'a vector': (n) => kernel(`mov.b64 %rd1, {${'%r1,'.repeat(n)}%r1};`),
  brackets: (n) => kernel(`ld.global.u32 %r1, ${'['.repeat(n)}%rd1${']'.repeat(n)};`),
  labels: (n) => kernel(rep(n, (i) => `L${i}: add.u32 %r1, %r1, 1;\n`)),
  branches: (n) => kernel(rep(n, (i) => `@%p1 bra L${i};\nadd.u32 %r1, %r1, 1;\nL${i}:\n`)),
  loops: (n) =>
    kernel(rep(n, (i) => `L${i}:\n`) + 'add.u32 %r1, %r1, 1;\n' + rep(n, (i) => `@%p1 bra L${n - 1 - i};\n`)),
  'branches in branches': (n) =>
    kernel(rep(n, (i) => `@%p1 bra L${i};\n`) + rep(n, (i) => `add.u32 %r1, %r1, 1;\nL${n - 1 - i}:\n`)),
  parameters: (n) => kernel('', `.func f(${rep(n, (i) => `${i ? ',' : ''}.param .u32 p${i}`)}) { ret; }`),
  aliases: (n) => kernel('', '.func f() { ret; }' + rep(n, (i) => `.func a${i}(); .alias a${i}, f;\n`)),
  'a section': (n) => kernel('', `.section .debug_info {${rep(n, () => '.b8 0\n')}}`),
  pragmas: (n) => kernel(rep(n, () => '.pragma "nounroll";\n')),
  places: (n) =>
    kernel(
      rep(n, (i) => `.loc 1 ${i + 1} 1\n`),
      '.file 1 "a.cu"',
    ),
  'places of instructions': (n) =>
    kernel(
      rep(n, (i) => `.loc 1 ${i + 1} 1\nadd.u32 %r1,%r1,1;\n`),
      '.file 1 "a.cu"',
    ),
  lines: (n) => kernel('add.u32 %r1, %r1, 1;\n'.repeat(n)),
  'a long line': (n) => kernel('add.u32 %r1, %r1, 1;'.repeat(n)),
  'targets of a call': (n) =>
    kernel(
      `T: .calltargets ${rep(n, (i) => `${i ? ', ' : ''}f${i}`)};\nmov.u64 %rd1, f0; call %rd1, T;`,
      rep(n, (i) => `.func f${i}() { ret; }\n`),
    ),
  'a version': (n) => `.version ${'9'.repeat(n)}.0\n.target sm_80\n.entry k() { ret; }`,
  'a minor version': (n) => `.version 8.${'9'.repeat(n)}\n.target sm_80\n.entry k() { ret; }`,
  'a number': (n) => kernel(`mov.u32 %r1, 0x${'f'.repeat(n)}; mov.u32 %r2, ${'9'.repeat(n)};`),
  'a name': (n) => kernel(`mov.u32 %${'r'.repeat(n)}, 1;`),
  'comments in a comment': (n) => kernel('/* '.repeat(n) + '*/'),
  modifiers: (n) => kernel(`add${'.u32'.repeat(n)} %r1, %r1, 1;`),
};

/** Returns the exception that a step throws; null if it throws nothing or only a typed error. */
async function mistakeOf(step: () => unknown): Promise<unknown> {
  try {
    await step();
    return null;
  } catch (error) {
    return error instanceof PtxlabError ? null : error;
  }
}

async function loaded(text: string): Promise<LoadedModule | null> {
  try {
    return (await Device.create({ memory: 2 ** 20 })).load(text);
  } catch (error) {
    if (error instanceof PtxlabError) return null;
    throw error;
  }
}

describe.each(Object.entries(shapes))('%s', (_, make) => {
  test.each(sizes)('%i', async (size) => {
    const text = make(size);
    check(text);
    const { items, diagnostics } = parseModule(text);
    if (diagnostics.length === 0) expect(parseModule(printModule(items)).diagnostics).toEqual([]);
    const module = await loaded(text);
    if (module === null) return;
    for (const engine of ['jit', 'interp'] as const) {
      expect(await mistakeOf(() => module.kernel('k').launch({ engine, args: [0], timeout: 0.1 }))).toBe(null);
    }
  });
});
