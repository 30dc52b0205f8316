import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';
import type { FunctionView } from './function-view.ts';

const folders = ['../../examples/kernels/', '../../test/kernels/cuda/', '../../test/kernels/compilers/'];
const modules = folders
  .map((path) => new URL(path, import.meta.url))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ptx'))
      .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'latin1') })),
  )
  .filter(({ text }) => text.length < 20_000);

const saxpy = modules.find(({ name }) => name === 'bench_saxpyloop.ptx')?.text ?? '';

function viewOf(text: string): { readonly document: Document; readonly view: FunctionView } {
  const document = new Document(text);
  const [first] = document.functions();
  const view = document.functionAt(first?.start ?? 0);
  if (view === null) throw new Error('no function');
  return { document, view };
}

const kernel = (body: string): string => `.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1) {
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
${body}
}
`;

/**
 * Finds the first occurrence of the register after `mark`, and returns the lines of its definitions and the lines of
 * its reads.
 */
function linesOf(text: string, mark: string, register: string): readonly [readonly number[], readonly number[]] {
  const { document, view } = viewOf(text);
  const facts = view.register(text.indexOf(register, text.indexOf(mark)));
  const line = ({ start }: { start: number }): number => document.position(start).line - 5;
  return [facts?.definitions.map(line) ?? [], facts?.reads.map(line) ?? []];
}

describe('definitions and reads', () => {
  it('are those that reach a place', () => {
    const text = kernel('mov.u32 %r1, 1;\nmov.u32 %r2, %r1;\nmov.u32 %r1, 2;\nadd.s32 %r3, %r1, %r2;\nret;');
    expect(linesOf(text, 'add.', '%r1')).toEqual([[3], [4]]);
    expect(linesOf(text, 'mov.u32 %r1, 1', '%r1')).toEqual([[1], [2]]);
  });

  it('end where the last instruction of a block overwrites the value', () => {
    const text = kernel('mov.u32 %r1, 1;\nmov.u32 %r1, 2;\n$L1:\nadd.s32 %r2, %r1, 2;\nret;');
    expect(linesOf(text, 'mov.u32 %r1, 1', '%r1')).toEqual([[1], []]);
    expect(linesOf(text, 'mov.u32 %r1, 2', '%r1')).toEqual([[2], [4]]);
  });

  it.each(modules)('are found from either end in $name', ({ text }) => {
    const { view } = viewOf(text);
    const start = text.search(/\{/);
    const places = [...text.matchAll(/%\w+/g)].map(({ index }) => index).filter((at) => at > start);
    const facts = places.flatMap((at) =>
      [view.register(at)].flatMap((found) => (found === null ? [] : [{ at, ...found }])),
    );
    for (const read of facts.filter(({ role }) => role === 'read').slice(0, 40)) {
      const writes = facts.filter(
        ({ role, reads }) => role === 'write' && reads.some(({ start: one }) => one === read.at),
      );
      expect(writes.map(({ at }) => at)).toEqual(read.definitions.map(({ start: one }) => one));
    }
  });

  it('go through guarded writes, branches and loops', () => {
    const text = kernel(
      'mov.u32 %r1, 0;\n$L1:\n@%p1 mov.u32 %r1, 1;\nadd.s32 %r1, %r1, 2;\n@%p2 bra $L1;\nmov.u32 %r2, %r1;\nret;',
    );
    expect(linesOf(text, 'add.', '%r1, 2')).toEqual([
      [1, 3, 4],
      [4, 6],
    ]);
    expect(linesOf(text, 'mov.u32 %r2', '%r1')).toEqual([[4], [4, 6]]);
  });

  it('tell registers of inner blocks from those outside', () => {
    const text = kernel(
      'mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 2; mov.u32 %r2, %r1; }\nmov.u32 %r3, %r1;\nret;',
    );
    expect(linesOf(text, 'mov.u32 %r3', '%r1')).toEqual([[1], [3]]);
  });

  it('say that a register may not have been written', () => {
    const text = kernel('@%p1 mov.u32 %r1, 1;\nmov.u32 %r2, %r1;\nret;');
    const { view } = viewOf(text);
    expect(view.register(text.indexOf('%r1;'))).toMatchObject({ mayBeUnwritten: true, role: 'read' });
    expect(view.register(text.indexOf('%r1, 1'))).toMatchObject({ mayBeUnwritten: false, role: 'write' });
  });

  it('exist even if other instructions have errors or are not in the tables', () => {
    const text = kernel('mov.u32 %r1, 1;\nadd.wrong %r2, %r1;\nmov.u32 %r3, %r2;\nret;');
    expect(linesOf(text, 'mov.u32 %r3', '%r2')).toEqual([[2], [3]]);
    expect(linesOf(text, 'add.', '%r1')).toEqual([[1], [2]]);
  });

  it('cover every register in the text of real modules', () => {
    for (const { text } of modules.slice(0, 12)) {
      const document = new Document(text);
      for (const { start, end } of document.functions()) {
        const view = document.functionAt(start);
        for (const { index } of text.slice(start, end).matchAll(/(?<=\[)%rd?\d+/g)) {
          const facts = view?.register(start + index);
          const isDefined = facts?.mayBeUnwritten === true || (facts?.definitions.length ?? 0) > 0;
          expect(isDefined, text.slice(start + index, start + index + 20)).toBe(true);
          expect(facts?.reads.some((span) => span.start === start + index)).toBe(true);
        }
      }
    }
  });
});

interface Access {
  readonly start: number;
  readonly role: 'read' | 'write';
  readonly register: number;
}

/**
 * The definitions that reach each read in a function. They are computed as sets that grow, block by block, until
 * nothing changes anymore.
 */
function naiveDefinitions(text: string, view: FunctionView): ReadonlyMap<number, readonly number[]> {
  const instructions = view.liveRegisters();
  const { accesses, registers } = accessesIn(text, view);
  const own = instructions.map(({ start, end }) => accesses.filter((one) => one.start >= start && one.start < end));
  const blocks = view.blocks();
  const before = instructions.map(() => Array.from({ length: registers }, () => new Set<number>()));
  const after = (i: number): readonly ReadonlySet<number>[] =>
    (before[i] ?? []).map((definitions, register) => {
      const writes = (own[i] ?? []).filter((one) => one.role === 'write' && one.register === register);
      const isCertain = writes.length > 0 && text[instructions[i]?.start ?? 0] !== '@';
      return new Set([...(isCertain ? [] : definitions), ...writes.map(({ start }) => start)]);
    });
  const followers = instructions.map(({ end }, i) => {
    const block = blocks.find((one) => one.end === end);
    if (block === undefined) return [i + 1];
    return block.successors.map((next) => instructions.findIndex(({ start }) => start === blocks[next]?.start));
  });
  const edges = followers.flatMap((next, i) => next.map((follower) => [i, follower] as const));
  for (let changed = true; changed; ) {
    changed = false;
    for (const [i, follower] of edges) {
      for (const [register, definitions] of after(i).entries())
        if (grow(before[follower]?.[register], definitions)) changed = true;
    }
  }
  const reads = own.flatMap((all, i) => all.filter(({ role }) => role === 'read').map((one) => ({ ...one, i })));
  return new Map(
    reads.map(({ start, register, i }) => [start, [...(before[i]?.[register] ?? [])].sort((a, b) => a - b)]),
  );
}

/** Adds members to a set; returns true if at least one of them was not in the set before. */
function grow(set: Set<number> | undefined, members: ReadonlySet<number>): boolean {
  const size = set?.size ?? 0;
  for (const member of members) set?.add(member);
  return (set?.size ?? 0) > size;
}

function accessesIn(
  text: string,
  view: FunctionView,
): { readonly accesses: readonly Access[]; readonly registers: number } {
  const accesses = new Map<number, Access>();
  let registers = 0;
  for (const { start, end } of view.liveRegisters()) {
    for (const { index } of text.slice(start, end).matchAll(/%\w+/g)) {
      if (accesses.has(start + index)) continue;
      const found = view.occurrences(start + index);
      for (const one of found) accesses.set(one.start, { start: one.start, role: one.role, register: registers });
      if (found.length > 0) registers++;
    }
  }
  return { accesses: [...accesses.values()], registers };
}

describe('definitions in real modules', () => {
  for (const { name, text } of modules.filter(({ text: one }) => one.length < 8_000)) {
    it(`match those of a simpler algorithm: ${name}`, () => {
      const document = new Document(text);
      let reads = 0;
      for (const { start } of document.functions()) {
        const view = document.functionAt(start);
        if (view === null) throw new Error('no function');
        const definitions = naiveDefinitions(text, view);
        reads += definitions.size;
        for (const [read, expected] of definitions) {
          expect(view.register(read)?.definitions.map((span) => span.start)).toEqual(expected);
        }
      }
      expect(reads).toBeGreaterThan(0);
    });
  }
});

/** The value of the register whose name directly follows `mark` in the text. */
function valueAt(text: string, mark: string): string | null | undefined {
  return viewOf(text).view.register(text.indexOf(mark) + mark.length)?.value;
}

describe('the value of a register', () => {
  it('is an expression of parameters, special registers and constants', () => {
    expect(valueAt(saxpy, 'ld.global.f32 \t%f2, [')).toBe('param_0 + 4·(ctaid.x·ntid.x + tid.x)');
  });

  const cases: readonly (readonly [string, string, string | null])[] = [
    ['a shift is a product', 'mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 5;', '32·tid.x'],
    ['a difference', 'mov.u32 %r1, %tid.x; add.s32 %r2, %r1, -3;', 'tid.x - 3'],
    [
      'parentheses where they are needed',
      'mov.u32 %r1, %tid.x; sub.s32 %r3, 7, %r1; sub.s32 %r2, 9, %r3;',
      '9 - (7 - tid.x)',
    ],
    ['bit operators', 'mov.u32 %r1, %tid.x; shr.u32 %r3, %r1, 5; and.b32 %r2, %r3, 31;', '(tid.x >> 5) & 31'],
    ['a parameter', 'ld.param.u32 %r2, [k_param_1];', 'param_1'],
    ['names where several values meet', '@%p1 mov.u32 %r1, 5; add.s32 %r2, %r1, 1;', '%r1 + 1'],
    ['no value from memory', 'ld.global.u32 %r2, [%rd1];', null],
  ];
  for (const [name, lines, expected] of cases) {
    it(`shows ${name}`, () => {
      const text = kernel(`${lines} st.global.u32 [%rd2], %r2; ret;`);
      expect(valueAt(text, 'st.global.u32 [%rd2], ')).toBe(expected);
    });
  }
});

describe('blocks', () => {
  it('have labels, neighbors and loops', () => {
    const blocks = viewOf(saxpy).view.blocks();
    const loop = blocks.find(({ labels }) => labels.includes('$L__BB0_3'));
    expect(loop).toMatchObject({ predecessors: [2, 3], successors: [3, 4], loopDepth: 1, instructions: 4 });
    expect(blocks.map(({ loopDepth }) => loopDepth)).toEqual([0, 0, 0, 1, 0, 0]);
  });

  it('do not end at barriers', () => {
    const text = kernel('bar.sync 0;\nmov.u32 %r1, 1;\nbar.sync 0;\nret;');
    expect(viewOf(text).view.blocks()).toHaveLength(1);
  });

  it('know loops in loops', () => {
    const text = kernel('$A:\nadd.s32 %r1, %r1, 1;\n$B:\nadd.s32 %r2, %r2, 1;\n@%p1 bra $B;\n@%p2 bra $A;\nret;');
    expect(
      viewOf(text)
        .view.blocks()
        .map(({ loopDepth }) => loopDepth),
    ).toEqual([1, 2, 1, 0]);
  });

  it('have matching predecessors and successors, and contain every instruction once, in real modules', () => {
    for (const { text } of modules) {
      const document = new Document(text);
      for (const { start } of document.functions()) {
        const view = document.functionAt(start);
        const blocks = view?.blocks() ?? [];
        for (const [i, { successors }] of blocks.entries())
          for (const next of successors) expect(blocks[next]?.predecessors).toContain(i);
        const total = blocks.reduce((sum, { instructions }) => sum + instructions, 0);
        expect(total).toBe(view?.liveRegisters().length);
      }
    }
  });
});

describe('live registers', () => {
  it('are those that are still read', () => {
    const text = kernel('mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nadd.s32 %r3, %r1, %r2;\nst.global.u32 [%rd1], %r3;\nret;');
    expect(
      viewOf(text)
        .view.liveRegisters()
        .map(({ count }) => count),
    ).toEqual([1, 2, 3, 2, 0]);
  });
});

describe('branch targets', () => {
  const switches = (count: number): string => {
    const table = `T: .branchtargets ${Array.from({ length: 256 }, () => 'L').join(', ')};`;
    return kernel(`${table}\n${'@%p1 brx.idx %r1, T;\n'.repeat(count)}L: ret;`);
  };

  it.each([
    [65_536, true],
    [65_792, false],
  ])('%i of them can be read: %s', (targets, isReadable) => {
    const document = new Document(switches(targets / 256));
    const [only] = document.functions();
    if (only === undefined) throw new Error('no function');
    expect(document.functionAt(only.start) !== null).toBe(isReadable);
    expect(document.normalBody(only) !== null).toBe(isReadable);
  });
});
