/**
 * Between any two instructions, the state of a launch is plain data that can be copied. If another engine continues
 * from the copy on another device, it must behave exactly like the original launch.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../src/device.ts';
import { CodeCache } from '../../src/jit/launch/cache.ts';
import { fastEngine } from '../../src/jit/launch/launch.ts';
import { runToEnd } from '../../src/machine/engine.ts';
import type { LaunchState } from '../../src/machine/state.ts';
import { namedEnvironment } from '../../src/isa/environment.ts';
import { launchOf, type Prepared, referenceEngine, type Shape } from './launch-of.ts';
import { moduleOf, type Source } from './run.ts';

const own = 'ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;';
const heap = `.extern .func (.param .b64 p) malloc(.param .b64 n); .extern .func free(.param .b64 p);
  .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
  .global .b8 text[8] = {119, 97, 115, 32, 37, 100, 10, 0};`;

interface Case extends Shape {
  readonly what: string;
  readonly source: Source;
}

const cases: readonly Case[] = [
  {
    what: 'barriers with reductions after some threads have exited',
    block: 40,
    source: {
      body: `${own} setp.gt.u32 %p1, %r1, 36; @%p1 exit; setp.lt.u32 %p2, %r1, 5; bar.red.popc.u32 %r2, 0, %p2;
        bar.red.and.pred %p3, 1, %p2; selp.b32 %r3, 100, 200, %p3; add.u32 %r2, %r2, %r3; st.global.u32 [%rd2], %r2;`,
    },
  },
  {
    what: 'a barrier where some threads arrive without waiting',
    block: 64,
    source: {
      module: '.shared .u32 s;',
      body: `${own} setp.ge.u32 %p1, %r1, 32; @%p1 bra TAKE; st.shared.u32 [s], 7; bar.arrive 3, 64; bra END;
        TAKE: bar.sync 3, 64; ld.shared.u32 %r2, [s]; END: st.global.u32 [%rd2], %r2;`,
    },
  },
  {
    what: 'shuffles, votes and matches of a warp, of half of it, and without a mask',
    block: 32,
    source: {
      body: `${own} shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1; setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;
        match.any.sync.b32 %r3, 9, 0xffff0000; bra MET; LOW: vote.sync.ballot.b32 %r3, %p1, 0xffff; MET:
        redux.sync.add.u32 %r4, %r1, -1; activemask.b32 %r5; add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5;
        add.u32 %r2, %r2, %r4; st.global.u32 [%rd2], %r2;`,
    },
  },
  {
    what: 'functions that call themselves, with local memory',
    block: 3,
    source: {
      module: `.func (.reg .b32 r) f(.reg .b32 n) { .reg .pred p; .reg .b32 m; .local .b32 kept; st.local.u32 [kept], n;
        mov.u32 r, 1; setp.eq.u32 p, n, 0; @p ret; sub.u32 m, n, 1; call (r), f, (m); ld.local.u32 m, [kept];
        mad.lo.u32 r, r, 3, m; ret; }`,
      body: `${own} add.u32 %r2, %r1, 2; call (%r3), f, (%r2); st.global.u32 [%rd2], %r3;`,
    },
  },
  {
    what: 'printf and the heap',
    block: 3,
    source: {
      module: `${heap} .global .u64 kept;`,
      body: `${own} .local .align 8 .b8 args[8]; cvta.local.u64 %rd3, args; st.u32 [%rd3], %r1; mov.u64 %rd4, text;
        call (%r2), vprintf, (%rd4, %rd3); call (%rd5), malloc, (40); st.u32 [%rd5], %r1; ld.u32 %r3, [%rd5];
        setp.eq.u32 %p1, %r1, 1; @%p1 call free, (%rd5); call (%rd6), malloc, (24); sub.u64 %rd7, %rd6, %rd1;
        cvt.u32.u64 %r4, %rd7; add.u32 %r4, %r4, %r3; st.global.u32 [%rd2], %r4;`,
    },
  },
  {
    what: 'cp.async',
    block: 4,
    source: {
      module: '.shared .align 16 .b8 s[64]; .global .align 16 .b32 g[4] = {5, 6, 7, 8};',
      body: `${own} mov.u32 %r5, s; mad.lo.u32 %r2, %r1, 16, %r5; cp.async.ca.shared.global [%r2], [g], 16;
        cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; xor.b32 %r3, %r1, 1; mad.lo.u32 %r3, %r3, 16, %r5;
        ld.shared.u32 %r4, [%r3+4]; st.global.u32 [%rd2], %r4;`,
    },
  },
  {
    what: 'blocks that wait for each other',
    grid: 3,
    source: {
      module: '.global .u32 count;',
      body: `${own} atom.global.add.u32 %r2, [count], 1; LOOK: ld.acquire.gpu.u32 %r3, [count];
        setp.lt.u32 %p1, %r3, 3; @%p1 bra LOOK; atom.global.add.u32 %r4, [%rd1], %r3; st.global.u32 [%rd1+8], %r2;`,
    },
  },
  {
    what: 'a fault while other threads wait',
    block: 4,
    source: {
      module: '.shared .u32 s;',
      body: `${own} setp.eq.u32 %p1, %r1, 3; @%p1 ld.shared.u32 %r2, [s]; bar.sync 0; st.global.u32 [%rd2], %r1;`,
    },
  },
];

const byName = cases.map((one) => [one.what, one] as const);

/**
 * Expects two values to be equal. `toEqual` is slow for pages of memory, so it is called only to report a difference.
 */
function expectSame(found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
}

/** Runs a launch to its end and returns its final state, or its fault if there is one. */
function ending(engine: ReturnType<typeof referenceEngine>, stride: number): unknown {
  try {
    while (engine.step(stride));
  } catch (error) {
    return engine.faultOf(error);
  }
  return withoutTimer(engine.give());
}

/** Clears the timer, which follows the host's clock and therefore differs from run to run. */
function withoutTimer(state: LaunchState): LaunchState {
  return { ...state, timer: 0 };
}

const engineOf = ({ launch }: Prepared): ReturnType<typeof referenceEngine> => referenceEngine(launch);

describe.each(byName)('%s', (_, { source, ...shape }) => {
  test('each state continues to the next, cloned into a fresh engine', () => {
    const engine = engineOf(launchOf(source, shape));
    const other = launchOf(source, shape);
    let states = 0;
    for (let more = true; more; states++) {
      const fresh = engineOf(other);
      fresh.take(structuredClone(engine.give()));
      const [wanted, found] = [engine, fresh].map((one) => stepOf(one));
      expectSame(found, wanted);
      more = wanted?.more === true;
    }
    expect(states).toBeGreaterThan(20);
  });

  test('the result is the same whether it runs in steps of one, of seven, or all at once', async () => {
    const whole = launchOf(source, shape);
    const result = await runToEnd(engineOf(whole), whole.launch);
    const ends = [1, 7, 2 ** 20].map((stride) => {
      const prepared = launchOf(source, shape);
      return { end: ending(engineOf(prepared), stride), bytes: prepared.output() };
    });
    for (const { end, bytes } of ends) {
      expectSame(end, ends[0]?.end);
      expectSame(bytes, whole.output());
    }
    if (!result.ok) expect(result.fault).toEqual(ends[0]?.end);
  });
});

interface Step {
  readonly more: boolean;
  readonly state: unknown;
}

function stepOf(engine: ReturnType<typeof referenceEngine>): Step {
  try {
    return { more: engine.step(1), state: engine.give() };
  } catch (error) {
    return { more: false, state: engine.faultOf(error) };
  }
}

test('an engine that returns to an old state repeats the same run', () => {
  const [{ source, ...shape }] = cases.slice(4) as [Case];
  const prepared = launchOf(source, shape);
  const engine = engineOf(prepared);
  const states: LaunchState[] = [];
  do states.push(engine.give());
  while (engine.step(1));
  const end = engine.give();
  for (const state of states.reverse()) {
    engine.take(state);
    expectSame(engine.give(), state);
  }
  expectSame(ending(engine, 5), withoutTimer(end));
});

describe('states share memory', () => {
  const storing: Source = {
    module: '.shared .align 4 .b8 s[20000];',
    body: `${own} mov.u32 %r2, 5; st.shared.u32 [s+12000], %r2; st.global.u32 [%rd2], %r2; add.u32 %r2, %r2, 1;`,
  };
  /** The state before the first instruction, and the state after each instruction. */
  const states = (): readonly LaunchState[] => {
    const engine = engineOf(launchOf(storing, { block: 2, bytes: 100_000 }));
    const found: LaunchState[] = [];
    do found.push(engine.give());
    while (engine.step(1));
    return found;
  };
  const pagesOf = ({ memory, blocks }: LaunchState): readonly (readonly Uint8Array[])[] => [
    memory.bytes.pages,
    blocks[0]?.shared.bytes.pages ?? [],
  ];

  test('until a page is written', () => {
    const pages = states().slice(1, -1).map(pagesOf);
    const copied = pages
      .slice(1)
      .map((now, i) => now.map((space, k) => space.filter((page, n) => page !== pages[i]?.[k]?.[n]).length));
    expect(copied.every((counts) => counts.every((count) => count <= 1))).toBe(true);
    const written = [0, 1].map((k) => copied.filter((counts) => counts[k] === 1).length);
    expect(written).toEqual([2, 2]);
  });

  test('and threads that did not run', () => {
    const [, first, second] = states();
    const [ran, other] = [0, 1].map((i) => first?.blocks[0]?.threads[i] === second?.blocks[0]?.threads[i]);
    expect([ran, other]).toEqual([false, true]);
  });

  test('and restoring one frees whatever has been allocated on the heap since then', () => {
    const source: Source = {
      module: heap,
      body: 'call (%rd5), malloc, (40); st.u32 [%rd5], 1; call free, (%rd5); st.u32 [%rd5], 1;',
    };
    const { launch } = launchOf(source);
    const engine = referenceEngine(launch);
    const before = engine.give();
    engine.step(2);
    const between = engine.give();
    expect(() => engine.step(10)).toThrow('was freed');
    engine.take(between);
    expect(launch.heap.give()).toEqual(between.heap);
    engine.take(before);
    expect(launch.heap.give()).toEqual({ live: [], freed: [], count: 0 });
  });
});

test('a trace is the same if a state is taken while a thread waits in an instruction', () => {
  const [{ source, ...shape }] = cases as [Case, ...Case[]];
  const told: TraceEvent[][] = [[], []];
  const tracingTo = (events: TraceEvent[] | undefined) =>
    ({ block: 0, threads: [5, 5], lines: [0, 99], emit: (event: TraceEvent) => events?.push(event) }) as const;
  const straight = referenceEngine(launchOf(source, shape).launch, { tracing: tracingTo(told[0]) });
  ending(straight, 1000);
  const prepared = launchOf(source, shape);
  let engine = referenceEngine(prepared.launch, { tracing: tracingTo(told[1]) });
  while (engine.step(1)) {
    const state = structuredClone(engine.give());
    engine = referenceEngine(prepared.launch, { tracing: tracingTo(told[1]) });
    engine.take(state);
  }
  expect(told[0]?.length).toBeGreaterThan(5);
  expect(told[1]).toEqual(told[0]);
});

describe('between blocks, the fast engine gives the same state', () => {
  const source: Source = {
    module: '.global .u32 count;',
    body: `${own} mov.u32 %r2, %ctaid.x; atom.global.add.u32 %r3, [count], %r1; mad.wide.u32 %rd3, %r2, 128, %rd2;
      st.global.u32 [%rd3], %r2; ld.global.u32 %r4, [count]; st.global.u32 [%rd1], %r4;`,
  };
  const shape = { grid: 6, block: 32, bytes: 4096 };
  const fastOf = ({ launch }: Prepared): ReturnType<typeof fastEngine> => {
    const origin = { text: moduleOf(source), environment: namedEnvironment('sm_100a', '9.0') };
    return fastEngine(launch, { origin, code: new CodeCache(), checked: true, workers: 0, simd: false });
  };
  const whole = launchOf(source, shape);
  ending(engineOf(whole), 1000);

  test('from which the reference engine can continue', () => {
    const [from, to] = [launchOf(source, shape), launchOf(source, shape)];
    const fast = fastOf(from);
    expect(fast.run()).toBe(true);
    const state = fast.give();
    if (state === null) throw new Error('a block is under way');
    expect([state.nextBlock > 0, state.nextBlock < 6]).toEqual([true, true]);
    const reference = engineOf(to);
    reference.take(structuredClone(state));
    ending(reference, 1000);
    expect(to.output()).toEqual(whole.output());
    fast.release();
  });

  test('and the fast engine, too', () => {
    const prepared = launchOf(source, shape);
    const fast = fastOf(prepared);
    fast.run();
    const state = fast.give();
    while (fast.run());
    const executed = fast.instructions;
    expect(prepared.output()).toEqual(whole.output());
    if (state === null) throw new Error('a block is under way');
    fast.take(state);
    expect(prepared.output()).not.toEqual(whole.output());
    while (fast.run());
    expect(prepared.output()).toEqual(whole.output());
    expect(fast.instructions).toBe(executed);
    fast.release();
  });
});
