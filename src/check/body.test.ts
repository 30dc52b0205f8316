import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BodyEntry, readBody } from './body.ts';
import { type CheckedModule, loadModule, sharedMemory } from './check.ts';

const names = [
  'examples/kernels/collective_sm80',
  'test/kernels/clusters/clusters.sm_90',
  'test/kernels/compilers/gcc',
  'test/kernels/compilers/nvopencc',
  'test/kernels/compilers/julia',
];
const inlineAssembly = `.version 9.1
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .b32 %r<3>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  { .reg .f32 %r1; { .reg .b64 %r1; mov.b64 %r1, 5; $in: bra $in; } add.f32 %r1, %r1, %r1; }
  { .reg .f32 %r1; neg.f32 %r1, %r1; }
  .pragma "nounroll";
  @%p1 bra $out;
  .loc 1 2 3
$out: ret;
}
.file 1 "a.cu"
`;

/** The parts of an entry that engines use. */
function meaning(entry: BodyEntry, text: string): readonly unknown[] {
  switch (entry.kind) {
    case 'instruction':
      return [text.slice(entry.node.start, entry.node.end), entry.variant, entry.scope.lookup('%r1')];
    case 'label':
      return [entry.symbol.name];
    case 'location':
    case 'pragma':
      return [text.slice(entry.node.start, entry.node.end)];
  }
}

function bodiesOf({ functions, text, environment }: CheckedModule): readonly (readonly unknown[])[] {
  return functions.map((fn) => {
    const body = readBody(fn, text, environment, sharedMemory);
    const line = (start: number): number => body.firstLine + body.text.position(start).line - 1;
    return body.entries.flatMap((entry) => [
      entry.kind === 'instruction' ? line(entry.node.start) : 0,
      ...meaning(entry, body.text.text),
    ]);
  });
}

function loaded(text: string): CheckedModule {
  const { module, report } = loadModule(text);
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  return module;
}

describe('the body of a function', () => {
  const texts = names.map(
    (name) => [name, readFileSync(new URL(`../../${name}.ptx`, import.meta.url), 'utf8')] as const,
  );
  it.each([...texts, ['nested scopes', inlineAssembly] as const])(
    'is the same if it is parsed again: %s',
    (_, text) => {
      const module = loaded(text);
      const long = loaded(`${text}\n//${' '.repeat(65_536)}`);
      expect(module.functions[0]?.statements).not.toBeNull();
      expect(long.functions[0]?.statements).toBeNull();
      expect(bodiesOf(long)).toEqual(bodiesOf(module));
    },
  );
});
