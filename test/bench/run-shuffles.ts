/**
 * Measures the cost of exchanging values between the lanes of a warp, depending on how many registers are live and how
 * many lanes take part.
 */
import { Device } from '../../src/device.ts';
import type { Row } from './run-kernels.ts';

interface Group {
  readonly what: string;
  readonly live: readonly number[];
  /** PTX code that sets %mask. Lanes that do not take part skip the exchange. */
  readonly enter: string;
  /** The instruction that exchanges values: each lane contributes %v and receives %w. */
  readonly shuffle: (round: number) => string;
}

const butterfly = (mask: string) => (round: number) => `shfl.sync.bfly.b32 %w, %v, ${1 << (round % 4)}, 31, ${mask};`;

/**
 * In code for cooperative groups, a lane selects another lane by its rank in the group, and reads the value of that
 * lane.
 */
const byRank = (): string => 'shfl.sync.idx.b32 %w, %v, %next, 31, %mask;';

export const groups: readonly Group[] = [
  { what: 'a full warp', live: [4, 32, 64, 128, 200], enter: '', shuffle: butterfly('-1') },
  {
    what: 'half of a warp',
    live: [8, 32, 128],
    enter: 'setp.ge.u32 %q, %lane, 16; @%q bra done;',
    shuffle: butterfly('0xffff'),
  },
  {
    what: 'tiles of 16',
    live: [8, 32, 128],
    enter: 'and.b32 %mask, %lane, 16; shl.b32 %mask, 0xffff, %mask;',
    shuffle: (round) => `shfl.sync.bfly.b32 %w, %v, ${1 << (round % 4)}, 0x101f, %mask;`,
  },
  {
    what: 'odd lanes',
    live: [8, 32, 128],
    enter:
      'and.b32 %next, %lane, 1; setp.eq.u32 %q, %next, 0; @%q bra done; activemask.b32 %mask; xor.b32 %next, %lane, 2;',
    shuffle: byRank,
  },
];

const rounds = 2048;
/** The number of shuffles in one iteration of the loop. */
const unrolled = 4;

/**
 * Returns a kernel in which each thread has `live` registers whose values are kept from one iteration to the next. The
 * shuffles use these registers in turn.
 */
export function shuffleKernel({ enter, shuffle }: Group, live: number): string {
  const registers = Array.from({ length: live }, (_, i) => `%a${i}`);
  const step = (i: number): string => {
    const own = registers[(i * 5) % live] ?? '%v';
    return `mov.b32 %v, ${own}; ${shuffle(i)} add.u32 ${own}, %v, %w;`;
  };
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %a<${live}>, %v, %w, %i, %lane, %mask, %next; .reg .b64 %rd<3>; .reg .pred %p, %q;
  mov.u32 %lane, %laneid; mov.u32 %v, %tid.x; ld.param.u64 %rd0, [out];
  ${registers.map((to, i) => `mad.lo.u32 ${to}, %v, ${2 * i + 1}, ${i};`).join(' ')}
  ${enter}
  mov.u32 %i, 0;
loop:
  ${Array.from({ length: unrolled }, (_, i) => step(i)).join('\n  ')}
  add.u32 %i, %i, 1; setp.lt.u32 %p, %i, ${rounds}; @%p bra loop;
  mov.u32 %v, 0;
  ${registers.map((from) => `add.u32 %v, %v, ${from};`).join(' ')}
done:
  mov.u32 %i, %tid.x; mul.wide.u32 %rd1, %i, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %v;
  ret; }
`;
}

const warps = 8;
const launches = 7;

export async function shuffleRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const group of groups) {
    for (const live of group.live) {
      const { rate, nanoseconds } = await measure(group, live);
      rows.push({
        what: `shuffles of ${group.what}, ${live} registers`,
        figure: `${rate.toFixed(0)} M thread-instructions/s`,
        beside: `${nanoseconds.toFixed(0)} ns per shuffle of a warp`,
      });
    }
  }
  return rows;
}

async function measure(group: Group, live: number): Promise<{ readonly rate: number; readonly nanoseconds: number }> {
  const device = await Device.create();
  const kernel = device.load(shuffleKernel(group, live)).kernel('k');
  const out = device.alloc(4 * 32 * warps);
  const times: number[] = [];
  let instructions = 0;
  for (let i = 0; i < launches; i++) {
    const result = await kernel.launch({ grid: 4, block: 32 * warps, args: [out], simd: true });
    if (!result.ok) throw new Error(result.fault.message);
    ({ instructions } = result.stats);
    times.push(result.stats.milliseconds);
  }
  const milliseconds = times.sort((a, b) => a - b)[1] ?? 0;
  return {
    rate: instructions / milliseconds / 1000,
    nanoseconds: (milliseconds * 1e6) / (4 * warps * rounds * unrolled),
  };
}
