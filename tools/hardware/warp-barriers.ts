/** Jobs about mbarrier objects: random sequences of arrivals and transactions, and the bits of the objects. */
import { boundedWait, input, job, moduleOf, type Random, results } from './copies-parts.ts';
import type { Job } from '../../test/hardware/job.ts';

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** The known contents of an object. They keep a sequence within the range that the ISA allows. */
interface State {
  pending: number;
  expected: number;
  bytes: number;
  phase: number;
  /** The phase in which the last arrival took place. The state that the arrival returned is in %rd1. */
  arrived: number | null;
}

interface Action {
  /** Writes the state to %rd1 or the predicate to %p2. */
  readonly text: string;
  readonly arrivals?: number;
  readonly dropped?: number;
  readonly expected?: number;
}

const object = '[object]';

/** A random action that is allowed in a state. */
function actionFor(state: State, random: Random): Action {
  const most = 2 ** 20 - 1;
  const tests: readonly Action[] = [
    ...(state.arrived !== null && state.phase - state.arrived <= 1
      ? [{ text: `mbarrier.test_wait.shared::cta.b64 %p2, ${object}, %rd1;` }]
      : []),
    ...[0, 1].map((parity) => ({ text: `mbarrier.test_wait.parity.shared::cta.b64 %p2, ${object}, ${parity};` })),
  ];
  const bytes = random.pick([1, 4, 16, 1000, 65_536]);
  const transactions: readonly Action[] = [
    ...(state.bytes + bytes <= most
      ? [{ text: `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 ${object}, ${bytes};`, expected: bytes }]
      : []),
    ...(state.bytes > 0
      ? [state.bytes, Math.ceil(state.bytes / 2)].map((count) => completion(count))
      : [completion(bytes)].filter(() => state.bytes - bytes >= -most)),
  ];
  const { pending } = state;
  if (pending === 0) return random.pick([...tests, ...transactions, ...transactions]);
  const count = random.pick([1, 1, pending, random.from(1, pending)]);
  const arrivals: readonly Action[] = [
    { text: `mbarrier.arrive.shared::cta.b64 %rd1, ${object}, ${count};`, arrivals: count },
    { text: `mbarrier.arrive.shared::cta.b64 %rd1, ${object};`, arrivals: 1 },
    {
      text: `mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, ${object}, ${bytes};`,
      arrivals: 1,
      expected: bytes,
    },
    ...(count < pending
      ? [{ text: `mbarrier.arrive.noComplete.shared::cta.b64 %rd1, ${object}, ${count};`, arrivals: count }]
      : []),
    ...(count < state.expected
      ? [{ text: `mbarrier.arrive_drop.shared::cta.b64 %rd1, ${object}, ${count};`, arrivals: count, dropped: count }]
      : []),
    ...(count < pending && count < state.expected
      ? [
          {
            text: `mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd1, ${object}, ${count};`,
            arrivals: count,
            dropped: count,
          },
        ]
      : []),
    ...(state.expected > 1
      ? [
          {
            text: `mbarrier.arrive_drop.expect_tx.shared::cta.b64 %rd1, ${object}, ${bytes};`,
            arrivals: 1,
            dropped: 1,
            expected: bytes,
          },
        ]
      : []),
  ];
  return random.pick([...arrivals, ...arrivals, ...tests, ...transactions]);
}

const completion = (count: number): Action => ({
  text: `mbarrier.complete_tx.relaxed.cta.shared::cta.b64 ${object}, ${count};`,
  expected: -count,
});

function follow(state: State, { arrivals = 0, dropped = 0, expected = 0 }: Action): void {
  if (arrivals > 0) state.arrived = state.phase;
  state.pending -= arrivals;
  state.expected -= dropped;
  state.bytes += expected;
  if (state.pending !== 0 || state.bytes !== 0) return;
  state.pending = state.expected;
  state.phase++;
}

const steps = 24;

/**
 * Outputs the predicate, the pending count and the high word of the state after each step. The low word of the state is
 * left out, because it is whatever was in the register before. The object itself is left out, because loads may not see
 * its latest changes.
 */
const shownStep = (step: number): string =>
  `selp.u32 %r1, 1, 0, %p2; mbarrier.pending_count.b64 %r2, %rd1; mov.b64 {_, %r3}, %rd1;
st.global.b32 [%out+${12 * step}], %r1; st.global.b32 [%out+${12 * step + 4}], %r2; st.global.b32 [%out+${12 * step + 8}], %r3;`;

function sequence(count: number, random: Random): string {
  const state: State = { pending: count, expected: count, bytes: 0, phase: 0, arrived: null };
  const lines: string[] = [];
  for (let step = 1; step < steps; step++) {
    // The state is not defined before the first arrival.
    const action: Action =
      step === 1 ? { text: `mbarrier.arrive.shared::cta.b64 %rd1, ${object};`, arrivals: 1 } : actionFor(state, random);
    follow(state, action);
    lines.push(`setp.ne.u32 %p2, 0, 0; ${action.text} ${shownStep(step)}`);
  }
  return moduleOf(
    ['u64 out'],
    `mbarrier.init.shared::cta.b64 ${object}, ${count};
${lines.join('\n')}`,
    '.shared .align 8 .b64 object;',
  );
}

const counts = [1, 2, 3, 5, 32, 1000, 2 ** 20 - 1];

const sequences = (random: Random): readonly Job[] =>
  times(28).map((i) => {
    const count = counts[i % counts.length] as number;
    return job(`mbarrier/${count}/${i}`, sequence(count, random), [results(12 * steps)], {
      block: [1, 1, 1],
    });
  });

/** The first states of objects that expect a power of two of arrivals, or the largest possible number. */
const inits = (): Job =>
  job(
    'mbarrier-init',
    moduleOf(
      ['u64 out'],
      [...times(20).map((bit) => 2 ** bit), 2 ** 20 - 1]
        .map(
          (count, i) =>
            `mbarrier.init.shared::cta.b64 ${object}, ${count}; mbarrier.arrive.shared::cta.b64 %rd2, ${object};
mov.b64 {_, %r2}, %rd2; st.global.b32 [%out+${4 * i}], %r2; mbarrier.inval.shared::cta.b64 ${object};`,
        )
        .join('\n'),
      '.shared .align 8 .b64 object;',
    ),
    [results(4 * 21)],
    { block: [1, 1, 1] },
  );

/** Jobs in which copies arrive at the object when they complete. */
const copyArrivals = (): readonly Job[] =>
  ['', '.noinc'].map((noinc) =>
    job(
      `cp.async.mbarrier.arrive${noinc}`,
      moduleOf(
        ['u64 data', 'u64 out'],
        `mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; cvta.to.global.u64 %rd3, %data;
@!%p1 mbarrier.init.shared::cta.b64 [object], 32; bar.sync 0;
mad.lo.u32 %r3, %r2, 16, %r1; mul.wide.u32 %rd4, %r2, 16; add.u64 %rd4, %rd4, %rd3;
cp.async.cg.shared.global [%r3], [%rd4], 16; cp.async.mbarrier.arrive${noinc}.shared::cta.b64 [object];
${noinc === '' ? 'mbarrier.arrive.shared::cta.b64 _, [object];' : ''}
${boundedWait('object')} ld.shared.b32 %r4, [%r3+12]; mul.wide.u32 %rd5, %r2, 8; add.u64 %rd5, %out, %rd5;
st.global.b32 [%rd5], %r4; st.global.b32 [%rd5+4], %r39;`,
        '.shared .align 16 .b8 tile[512]; .shared .align 8 .b64 object;',
      ),
      [input(Uint8Array.from(times(512))), results(256)],
    ),
  );

export const barrierJobs = (random: Random): readonly Job[] => [inits(), ...sequences(random), ...copyArrivals()];
