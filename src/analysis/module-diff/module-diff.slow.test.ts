import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { Document } from '../document.ts';
import { matchSequences } from './match-sequences.ts';
import { diffModules, type FunctionDiff, type ModuleDiff } from './module-diff.ts';

function moduleWith(body: string, name = 'scale'): string {
  return `.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter;

.visible .entry ${name}(
  .param .u64 ${name}_param_0,
  .param .u32 ${name}_param_1
)
{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<9>;
  .shared .align 4 .b8 ${name}_tile[128];
${body}
}
`;
}

const text = moduleWith(`
  ld.param.u64 %rd1, [scale_param_0];
  ld.param.u32 %r1, [scale_param_1];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra $L__BB0_2;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  mul.f32 %f2, %f1, 0f40000000;
  st.global.f32 [%rd3], %f2;
  mov.u32 %r3, scale_tile;
$L__BB0_2:
  ret;`);

function diffOf(a: string, b: string): ModuleDiff {
  return diffModules(new Document(a), new Document(b));
}

/** The lines that changed: removed lines as `- text`, added lines as `+ text`, and pairs of changed lines with `~`. */
function changesIn({ blocks }: FunctionDiff, a: string, b: string): readonly string[] {
  return blocks.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const before = line.a === null ? '' : a.slice(line.a.start, line.a.end);
      const after = line.b === null ? '' : b.slice(line.b.start, line.b.end);
      switch (line.kind) {
        case 'same':
          return [];
        case 'changed':
          return [`~ ${before} ${after}`];
        case 'removed':
          return [`- ${before}`];
        case 'added':
          return [`+ ${after}`];
      }
    }),
  );
}

function onlyFunction(a: string, b: string): readonly string[] {
  const { functions } = diffOf(a, b);
  return functions.flatMap((one) => changesIn(one, a, b));
}

describe('modules that only differ in names and notes are the same', () => {
  test.each([
    ['registers', text.replaceAll(/%(r|f|rd|p)([1-4])\b/g, (_, kind: string, n: string) => `%${kind}${Number(n) + 4}`)],
    ['labels', text.replaceAll('$L__BB0_2', '$done')],
    ['the kernel, its parameters and its variables', text.replaceAll('scale', '_Z5scalePfj')],
    ['a parameter', text.replaceAll('scale_param_1', 'count')],
    ['a variable of the module', text.replaceAll('counter', 'calls')],
    ['comments, white space and the notation of constants', text.replace('0f40000000', '0F40000000 /* two */')],
    ['.loc', `${text.replace('  mov.u32 %r2', '  .loc 1 7 3\n  mov.u32 %r2')}.file 1 "scale.cu"\n`],
  ])('%s', (_, other) => {
    expect(diffOf(text, other)).toMatchObject({ isSame: true, declarations: [], mnemonics: [] });
  });

  it('a register that is used again for another value', () => {
    const reused = text.replace('%f2, %f1, 0f4', '%f1, %f1, 0f4').replace('[%rd3], %f2', '[%rd3], %f1');
    expect(diffOf(text, reused).isSame).toBe(true);
  });

  it('blocks in another order, but for the branches between them', () => {
    const body = (blocks: readonly string[]): string =>
      moduleWith(`mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nbra B;\n${blocks.join('\n')}`);
    const blocks = [
      'A:\nadd.u32 %r2, %r1, 5;\nst.global.u32 [counter], %r2;\nret;',
      'B:\nxor.b32 %r3, %r1, 9;\nst.global.u32 [counter], %r3;\nret;',
    ];
    expect(diffOf(body(blocks), body(blocks.toReversed())).isSame).toBe(true);
  });
});

describe('what differs', () => {
  test.each([
    ['a constant', ['0f40000000', '0f40400000'], ['~ mul.f32 %f2, %f1, 0f40000000; mul.f32 %f2, %f1, 0f40400000;']],
    ['an operand', ['[%rd3], %f2', '[%rd3], %f1'], ['~ st.global.f32 [%rd3], %f2; st.global.f32 [%rd3], %f1;']],
    [
      'a mnemonic',
      ['mul.f32', 'mul.rn.f32'],
      ['- mul.f32 %f2, %f1, 0f40000000;', '+ mul.rn.f32 %f2, %f1, 0f40000000;'],
    ],
    ['a guard', ['@%p1', '@!%p1'], ['~ @%p1 bra $L__BB0_2; @!%p1 bra $L__BB0_2;']],
    ['an instruction less', ['  mov.u32 %r3, scale_tile;\n', ''], ['- mov.u32 %r3, scale_tile;']],
    ['an instruction more', ['  ret;', '  bar.sync 0;\n  ret;'], ['+ bar.sync 0;']],
  ])('%s', (_, [before = '', after = ''], expected) => {
    const other = text.replace(before, after);
    expect(other).not.toBe(text);
    expect(onlyFunction(text, other)).toEqual(expected);
    expect(diffOf(text, other).isSame).toBe(false);
  });

  test.each([
    ['the target', ['sm_80', 'sm_90'], { name: '.target', a: 'sm_80', b: 'sm_90' }],
    [
      'a variable of the module',
      ['.u32 counter', '.u32 counter = 5'],
      { name: 'counter', a: '.global .align 4 .u32', b: '.global .align 4 .u32 = 5' },
    ],
  ])('%s', (_, [before = '', after = ''], expected) => {
    expect(diffOf(text, text.replace(before, after)).declarations).toEqual([expected]);
  });

  test.each([
    ['a parameter', ['.param .u32', '.param .u64'], [{ name: '.param', a: '.param .u32', b: '.param .u64' }]],
    [
      'a directive of the kernel',
      [')\n{', ')\n.maxntid 128, 1, 1\n{'],
      [{ name: '.maxntid', a: null, b: '.maxntid 128, 1, 1' }],
    ],
    [
      'the size of a variable',
      ['tile[128]', 'tile[256]'],
      [{ name: 'scale_tile', a: '.shared .align 4 .b8[128]', b: '.shared .align 4 .b8[256]' }],
    ],
  ])('%s of a function', (_, [before = '', after = ''], expected) => {
    expect(diffOf(text, text.replace(before, after)).functions[0]?.declarations).toEqual(expected);
  });

  it('the numbers of mnemonics, the largest change first', () => {
    const other = text.replace('mul.f32 %f2, %f1, 0f40000000;', 'add.f32 %f2, %f1, %f1;\nadd.f32 %f2, %f2, %f1;');
    expect(diffOf(text, other).mnemonics).toEqual([
      { mnemonic: 'add.f32', a: 0, b: 2 },
      { mnemonic: 'mul.f32', a: 1, b: 0 },
    ]);
  });

  it('a function that only one module has', () => {
    const { onlyInA, onlyInB, functions } = diffOf(`${text}.func helper() { trap; }`, text);
    expect([onlyInA.map(({ name }) => name), onlyInB, functions.length]).toEqual([['helper'], [], 1]);
  });
});

describe('renamed kernels', () => {
  const source = readFileSync('test/kernels/cuda/integers.sm_75.ptx', 'utf8');
  const names = new Document(source).functions().map(({ name }) => name);

  it('are recognized by their instructions', () => {
    const other = names.reduce(
      (result, name, i) => result.replaceAll(new RegExp(`\\b${name}(?=\\b|_param_)`, 'g'), `renamed_${i}`),
      source,
    );
    const { functions, isSame } = diffOf(source, other);
    expect(functions.map(({ a, b }) => [a.name, b.name])).toEqual(names.map((name, i) => [name, `renamed_${i}`]));
    expect(isSame).toBe(true);
  });

  it('are recognized even if some instructions have changed', () => {
    const other = source.replaceAll('mad.lo.s32', 'mad.lo.u32').replaceAll(/\b(?=collatz)/g, 'new_');
    const { functions } = diffOf(source, other);
    expect(functions.map(({ a, b }) => [a.name, b.name])).toContainEqual(['collatz', 'new_collatz']);
  });

  it('have the same C++ name with other arguments', () => {
    const { functions } = diffOf(text.replaceAll('scale', '_Z5scalePfj'), text.replaceAll('scale', '_Z5scalePfm'));
    expect(functions.map(({ b }) => b.name)).toEqual(['_Z5scalePfm']);
  });
});

describe('real modules', () => {
  const folder = 'test/kernels/cuda/';
  const read = (name: string): string => readFileSync(`${folder}${name}`, 'utf8');

  it('warps.cu for two targets has the same functions', () => {
    const { functions, declarations } = diffOf(read('warps.sm_75.ptx'), read('warps.sm_90.ptx'));
    expect(functions.length).toBeGreaterThan(9);
    expect(functions.every(({ isSame }) => isSame)).toBe(true);
    expect(declarations).toEqual([{ name: '.target', a: 'sm_75', b: 'sm_90' }]);
  });

  it.each([
    ['graphs.sm_75.ptx', 'graphs.sm_90_O0.ptx'],
    ['doubles.sm_75.ptx', 'doubles.sm_90_O1.ptx'],
  ])('every instruction of %s and %s is on one side or on both', (first, second) => {
    const [a, b] = [new Document(read(first)), new Document(read(second))];
    for (const { a: one, b: other, blocks, mnemonics } of diffModules(a, b).functions) {
      const lines = blocks.flatMap((block) => block.lines);
      const inA = lines.flatMap((line) => (line.a === null ? [] : [line.a.start]));
      const inB = lines.flatMap((line) => (line.b === null ? [] : [line.b.start]));
      expect(inA.toSorted((x, y) => x - y)).toEqual(
        a
          .functionAt(one.start)
          ?.liveRegisters()
          .map(({ start }) => start),
      );
      expect(inB.toSorted((x, y) => x - y)).toEqual(
        b
          .functionAt(other.start)
          ?.liveRegisters()
          .map(({ start }) => start),
      );
      const change = mnemonics.reduce((sum, count) => sum + count.b - count.a, 0);
      expect(change).toBe(inB.length - inA.length);
    }
  });
});

describe('matchSequences', () => {
  const random = (seed: number) => () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };

  /** The length of a longest common subsequence, computed directly from its definition. */
  function longest(a: readonly number[], b: readonly number[]): number {
    let row = b.map(() => 0);
    for (const one of a) {
      const next: number[] = [];
      for (const [j, other] of b.entries()) {
        next.push(one === other ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0));
      }
      row = next;
    }
    return row.at(-1) ?? 0;
  }

  it('pairs equal elements in order, and as many as possible if none occurs only once', () => {
    const next = random(7);
    for (let round = 0; round < 300; round++) {
      const list = (): number[] => Array.from({ length: Math.floor(next() * 40) }, () => Math.floor(next() * 3));
      const [a, b] = [list(), list()];
      const pairs = [...matchSequences(a, b).entries()].filter(([, j]) => j >= 0);
      expect(pairs.every(([i, j]) => a[i] === b[j])).toBe(true);
      expect(pairs.every(([, j], n) => n === 0 || j > (pairs[n - 1]?.[1] ?? 0))).toBe(true);
      const isRepeated = [a, b].every((all) => all.every((one) => all.filter((other) => other === one).length > 1));
      if (isRepeated) expect(pairs.length).toBe(longest(a, b));
    }
  });

  it('finds what is left of long sequences that differ almost everywhere', () => {
    const next = random(3);
    const list = (): number[] => Array.from({ length: 20_000 }, () => Math.floor(next() * 50));
    const pairs = matchSequences(list(), list()).filter((j) => j >= 0);
    expect(pairs.length).toBeGreaterThan(2000);
  });
});
