/**
 * Adds incomplete rows to the sources. The compiler must report errors in exactly those files that docs/adding-a-row.md
 * names.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesThatFail, type Patch } from './patched-source.ts';

/**
 * For each row of the table in docs/adding-a-row.md, a patch that adds text to the sources. The text contains an
 * unusual name, which the compiler repeats in its messages.
 */
const planted: readonly (Patch & { readonly what: string; readonly name: string })[] = [
  {
    what: 'a new launch value for special registers',
    name: 'moonPhase',
    file: 'isa/registers.ts',
    find: "  | 'gridWorkspace';",
    put: "  | 'gridWorkspace'\n  | 'moonPhase';",
  },
  {
    what: 'a linkage, a state space, a directive with a syntax of its own',
    name: '.hidden',
    file: 'isa/directives.ts',
    find: 'export type Linkage = ',
    put: "export type Linkage = '.hidden' | ",
  },
  {
    what: 'a tensor container',
    name: 'onnx',
    file: 'tensors/containers.ts',
    find: "| 'raw';",
    put: "| 'raw' | 'onnx';",
  },
  {
    what: 'a GGUF block type',
    name: 'q9_0',
    file: 'tensors/tensor-file.ts',
    find: "  | 'q4_0'\n",
    put: "  | 'q9_0'\n  | 'q4_0'\n",
  },
  {
    what: 'a number format',
    name: 'e3m4',
    file: 'numerics/formats.ts',
    find: '  e4m3: [',
    put: "  e3m4: [8, 3, 4, 3, true, 'ieee', 0x7fn],\n  e4m3: [",
  },
];

/** A new kind of step for each file in `src/isa/steps` that declares kinds of steps. */
const plantedSteps: typeof planted = (
  [
    ['a step that computes', 'value', 'copy'],
    ['a step that accesses memory', 'memory', 'window'],
    ['a step of control flow', 'flow', 'branch'],
    ['a step that threads execute together', 'group', 'barrier'],
    ['a step that works on tensor memory', 'tensor', "'tensor-product'"],
    ['a step that reads textures or surfaces', 'texture', "'texture-read'"],
  ] as const
).map(([what, chapter, neighbor]) => {
  const name = `matrix of ${chapter}`;
  const find = `  readonly ${neighbor}: {`;
  const row = `  readonly '${name}': { readonly d: Ref; readonly a: readonly Ref[]; readonly b: Ref };\n`;
  return { what, name, file: `isa/steps/${chapter}.ts`, find, put: row + find };
});

/** Rows that the compiler must accept without any other change. */
const complete: readonly Patch[] = [
  {
    file: 'isa/registers.ts',
    find: "  row('%smid',",
    put: "  row('%planted', '.u32', at('9.0', 100), 'lane'),\n  row('%smid',",
  },
  {
    file: 'isa/directives.ts',
    find: "  tuning('.maxnreg',",
    put: "  tuning('.planted', 'entry', [1, 2], at('9.0', 100)),\n  tuning('.maxnreg',",
  },
  {
    file: 'isa/directives.ts',
    find: "  { name: 'frequency',",
    put: "  { name: 'planted', open: false, since: at('9.0') },\n  { name: 'frequency',",
  },
  {
    file: 'isa/limits.ts',
    find: '  { most: 32_764,',
    put: "  { most: 16_384, since: at('8.0', 70) },\n  { most: 32_764,",
  },
];

test('the compiler complains in the files that the document names, and in no others', () => {
  const document = readFileSync(new URL('../../docs/adding-a-row.md', import.meta.url), 'utf8');
  const rows = new Map(
    [...document.matchAll(/^\| ([^|]*?) *\|[^|]*\|([^|]*)\|$/gm)].map(([, what = '', files = '']) => [
      what,
      [...files.matchAll(/`src\/([^`]*)`/g)].map(([, file = '']) => file).sort(),
    ]),
  );
  const all = [...planted, ...plantedSteps];
  const failing = filesThatFail([...all, ...complete]);
  for (const { what, name } of all) {
    const files = [...failing].filter(([, messages]) => messages.some((message) => isAbout(message, name)));
    expect(files.map(([file]) => file).sort(), what).toEqual(rows.get(what));
  }
  const explained = (message: string): boolean => all.some(({ name }) => isAbout(message, name));
  expect([...failing.values()].flat().filter((message) => !explained(message))).toEqual([]);
});

/**
 * Whether a message is about a planted row. If many properties are missing, the compiler lists only four of them, and
 * the number of the others.
 */
function isAbout(message: string, name: string): boolean {
  if (message.includes(name)) return true;
  const steps = plantedSteps.map((step) => step.name);
  const unnamed = Number(/, and (\d+) more/.exec(message)?.[1] ?? 0);
  const named = steps.filter((step) => message.includes(step)).length;
  return steps.includes(name) && named + unnamed === steps.length;
}
