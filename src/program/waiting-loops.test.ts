import { describe, expect, test } from 'vitest';
import { moduleOf } from '../../test/device/run.ts';
import { loadModule } from '../check/check.ts';
import { elementAt } from '../base/element-at.ts';
import { blocksOf } from './flow.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { type Waiting, waitingLoops } from './waiting-loops.ts';

/** Returns the kinds of a kernel's waiting loops, in source order. */
function kinds(body: string): readonly Waiting[] {
  const { module } = loadModule(moduleOf({ body: `.shared .b32 s; .shared .b64 m;\n${body}` }));
  if (module === null) throw new Error('refused');
  const { entry } = linkKernel(module, new FunctionTable(module), 'k', []);
  const blocks = blocksOf(entry);
  const loops = [...waitingLoops(entry, blocks)];
  const startOf = (block: number): number => elementAt(blocks, block).start;
  return loops.sort(([a], [b]) => startOf(a) - startOf(b)).map(([, { waiting }]) => waiting);
}

const look = 'ld.volatile.shared.u32 %r1, [s];';
const until = 'setp.eq.u32 %p1, %r1, 0; @%p1 bra L;';

describe('a thread only waits for its cluster in a loop that', () => {
  test.each([
    ['reads and branches', `L: ${look} ${until}`],
    ['branches out in the middle', `L: ${look} setp.ne.u32 %p1, %r1, 0; @%p1 bra E; bra L; E:`],
    ['lets other threads run in between', `L: ${look} nanosleep.u32 100; membar.cta; ${until}`],
    ['tests an mbarrier object', 'L: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra L;'],
    ['compares what it read in a later block', `L: ${look} @%p2 bra M; membar.cta; M: ${until}`],
    ['reads on both of its paths', `L: @%p2 bra M; ${look} bra N; M: ld.volatile.shared.u32 %r1, [s+4]; N: ${until}`],
  ])('%s', (_, body) => {
    expect(kinds(body)).toEqual(['spin']);
  });
});

describe('a thread is only waiting, for anything, in a loop that', () => {
  test.each([
    ['reads global memory', `L: ld.volatile.global.u32 %r1, [%rd1]; ${until}`],
    ['reads memory by a generic address', `L: ld.volatile.u32 %r1, [%rd1]; ${until}`],
    ['reads shared and global memory', `L: ${look} ld.volatile.global.u32 %r2, [%rd1]; or.b32 %r1, %r1, %r2; ${until}`],
    ['reads a clock', `L: ${look} mov.u32 %r2, %clock; setp.gt.u32 %p2, %r2, 1000; @%p2 exit; ${until}`],
    ['reads a timer', `L: ${look} mov.u64 %rd2, %globaltimer; setp.gt.u64 %p2, %rd2, 1000; @%p2 exit; ${until}`],
    ['sleeps, and counts its rounds', `L: nanosleep.u32 100; add.u32 %r2, %r2, 1; ${look} ${until}`],
    [
      'tests an mbarrier object, and counts its rounds',
      'L: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; add.u32 %r2, %r2, 1; @!%p1 bra L;',
    ],
    ['tries to take a lock', `L: atom.shared.cas.b32 %r1, [s], 0, 1; ${until}`],
  ])('%s', (_, body) => {
    expect(kinds(body)).toEqual(['idle']);
  });
});

describe('a thread may be doing work in a loop that', () => {
  test.each([
    ['counts', `L: ${look} add.u32 %r2, %r2, 1; ${until}`],
    ['adds up what it reads', `L: ${look} add.u32 %r2, %r2, %r1; ${until}`],
    ['keeps what it read on one path', `L: ${look} @%p2 mov.u32 %r2, %r1; setp.eq.u32 %p2, %r2, 3; ${until}`],
    ['compares what it read in an earlier round', `L: @%p2 bra M; ${look} M: ${until}`],
    ['writes memory', `L: ${look} st.shared.u32 [s], %r1; ${until}`],
    [
      'takes a work item and adds to a sum',
      `L: atom.shared.add.u32 %r1, [s], 1; atom.shared.add.u32 %r3, [s], %r1; ${until}`,
    ],
    [
      'counts, and leaves the old value of a counter to what follows',
      `L: atom.shared.add.u32 %r3, [s], 1; add.u32 %r2, %r2, 1; ${until} mov.u32 %r4, %r3;`,
    ],
    ['waits at a barrier', `L: ${look} bar.sync 0; ${until}`],
  ])('%s', (_, body) => {
    expect(kinds(body)).toEqual(['busy']);
  });
});

describe('a thread cannot be waiting in a loop that', () => {
  test.each([
    ['updates memory, but never reads what was there', `L: atom.shared.add.u32 %r3, [s], 1; ${until}`],
    ['updates memory without a result', `L: red.shared.add.u32 [s], 1; ${until}`],
    ['reads memory that no other thread is known to write', `L: ld.shared.u32 %r1, [s]; ${until}`],
  ])('%s', (_, body) => {
    expect(kinds(body)).toEqual([]);
  });
});

describe('nested loops', () => {
  test('only the inner one is idle', () => {
    expect(kinds(`M: add.u32 %r3, %r3, 1; L: ${look} ${until} setp.lt.u32 %p2, %r3, 5; @%p2 bra M;`)).toEqual([
      'busy',
      'spin',
    ]);
  });

  test('a loop next to another one keeps its own kind', () => {
    const inner = `M: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @%p2 bra M;`;
    expect(kinds(`${inner} L: ${look} ${until}`)).toEqual(['spin']);
  });

  test('loops with two entry points are found', () => {
    expect(kinds(`@%p3 bra B; A: add.u32 %r3, %r3, 1; B: ${look} setp.eq.u32 %p1, %r1, 0; @%p1 bra A;`)).toHaveLength(
      1,
    );
  });

  test('a hundred nested loops all count as waiting because the innermost one does', () => {
    const range = Array.from({ length: 100 }, (_, i) => i);
    const opened = range.map((i) => `L${i}:`).join(' ');
    const closed = range.map((i) => `setp.eq.u32 %p1, %r2, ${i}; @%p1 bra L${99 - i};`).join(' ');
    expect(kinds(`${opened.replaceAll(':', ': add.u32 %r2, %r2, 1;')} ${look} ${closed}`)).toHaveLength(100);
  });
});
