/**
 * Warps on the device: which threads wait for which other threads, masks, divergence, and the effect of atomics on
 * memory.
 */
import { describe, expect, test } from 'vitest';
import { Device, type LaunchResult } from '../../src/device.ts';
import { ways } from './run.ts';

describe.each(Object.entries(ways))('%s', (_way, way) => {
  async function run(
    body: string,
    threads: number,
    room: number,
    budget = 1e6,
    grid = 1,
  ): Promise<{ readonly result: LaunchResult; readonly out: Uint32Array }> {
    const source = `.version 8.1
.target sm_90
.address_size 64 .func (.reg .b32 r) peek(.reg .b64 a) { ld.volatile.global.u32 r, [a]; ret; }
.func (.reg .b32 r) lanes() { activemask.b32 r; ret; }
.func (.reg .b32 r) deeper() { call (r), lanes, (); ret; }
.func (.reg .b32 r) nested(.reg .b32 n)
{
  .reg .pred p; .reg .b32 m; setp.eq.u32 p, n, 0; @p bra last;
  sub.u32 m, n, 1; call (r), nested, (m); ret;
last:
  activemask.b32 r; ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  ${body}
  ret;
}`;
    const device = await Device.create();
    const buffer = device.alloc(4 * room);
    const result = await device
      .load(source)
      .kernel('k')
      .launch({ block: threads, args: [buffer], budget, grid, ...way });
    return { result, out: new Uint32Array(buffer.read().buffer) };
  }

  async function words(
    body: string,
    threads: number,
    count: number = threads,
    budget = 1e6,
    grid = 1,
  ): Promise<readonly number[]> {
    const { result, out } = await run(body, threads, count, budget, grid);
    expect(result.ok ? null : result.fault).toBeNull();
    return [...out];
  }

  describe('collectives', () => {
    test('the masks bring both sides of a branch together at the same shfl', async () => {
      const body = `
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra low;
  add.u32 %r2, %r1, 100;
  shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xffff0000;
  bra join;
low:
  add.u32 %r2, %r1, 200;
  shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0x0000ffff;
join:
  st.global.u32 [%rd3], %r3;`;
      const expected = Array.from({ length: 32 }, (_, lane) => (lane ^ 1) + (lane < 16 ? 200 : 100));
      expect(await words(body, 32)).toEqual(expected);
    });

    test('a partial warp, and lanes that have exited, are not waited for', async () => {
      const body = `
  setp.eq.u32 %p1, %r1, 3;
  @%p1 exit;
  setp.ne.u32 %p2, %r1, 99;
  vote.sync.ballot.b32 %r2, %p2, 0xffffffff;
  st.global.u32 [%rd3], %r2;`;
      expect(await words(body, 5)).toEqual([0b10111, 0b10111, 0b10111, 0, 0b10111]);
    });

    test('activemask sees the threads that arrive together, earliest position first', async () => {
      const body = `
  setp.lt.u32 %p1, %r1, 4;
  @%p1 bra few;
  activemask.b32 %r2;
  bra join;
few:
  activemask.b32 %r2;
join:
  st.global.u32 [%rd3], %r2;`;
      expect(await words(body, 8)).toEqual([...Array<number>(4).fill(0x0f), ...Array<number>(4).fill(0xf0)]);
    });

    test('activemask in a function sees only the threads that called it from the same place', async () => {
      const body = `
  setp.lt.u32 %p1, %r1, 10; @%p1 bra low;
  setp.lt.u32 %p1, %r1, 20; @%p1 bra middle;
  call (%r2), lanes, (); bra join;
low:
  call (%r2), lanes, (); bra join;
middle:
  call (%r2), deeper, ();
join:
  call (%r3), lanes, ();
  add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;`;
      const seen = (lane: number): number => (lane < 10 ? 0x3ff : lane < 20 ? 0xf_fc00 : 0xfff0_0000);
      // After the branches, all threads arrive at the same call.
      expect(await words(body, 32)).toEqual(Array.from({ length: 32 }, (_, lane) => (seen(lane) + 2 ** 32 - 1) >>> 0));
    });

    test('activemask sees only the threads that are in the same depth of a recursion', async () => {
      const body = `
  and.b32 %r2, %r1, 3;
  call (%r3), nested, (%r2);
  st.global.u32 [%rd3], %r3;`;
      expect(await words(body, 32)).toEqual(Array.from({ length: 32 }, (_, lane) => (0x1111_1111 << (lane & 3)) >>> 0));
    });

    test('groups formed by votes inside groups formed by votes', async () => {
      const body = `
  and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; and.b32 %r2, %r1, 4; setp.ne.u32 %p2, %r2, 0; mov.u32 %r3, 0;
  vote.sync.ballot.b32 %r4, %p1, 0xffffffff;
  @!%p1 bra join;
  vote.sync.ballot.b32 %r5, %p2, %r4;
  @!%p2 bra inner;
  redux.sync.add.u32 %r3, %r1, %r5;
inner:
  shfl.sync.bfly.b32 %r6, %r1, 2, 31, %r4;
  mad.lo.u32 %r3, %r6, 1000, %r3;
join:
  st.global.u32 [%rd3], %r3;`;
      const lanes = Array.from({ length: 32 }, (_, lane) => lane);
      const sum = lanes.filter((lane) => (lane & 5) === 5).reduce((a, b) => a + b);
      const expected = lanes.map((lane) => ((lane & 1) === 0 ? 0 : 1000 * (lane ^ 2) + ((lane & 4) === 0 ? 0 : sum)));
      expect(await words(body, 32)).toEqual(expected);
    });

    test('lanes leave a loop one after the other, and the remaining lanes compute a sum', async () => {
      const body = `
  mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0xffffffff;
round:
  setp.le.u32 %p1, %r2, %r1;
  vote.sync.ballot.b32 %r4, %p1, %r4;
  @!%p1 bra left;
  redux.sync.add.u32 %r5, %r2, %r4; add.u32 %r3, %r3, %r5; add.u32 %r2, %r2, 1;
  bra round;
left:
  st.global.u32 [%rd3], %r3;`;
      const sum = (lane: number): number => (lane < 0 ? 0 : sum(lane - 1) + lane * (32 - lane));
      expect(await words(body, 32)).toEqual(Array.from({ length: 32 }, (_, lane) => sum(lane)));
    });

    test('lanes that exit in a loop are not waited for by the others', async () => {
      const body = `
  mov.u32 %r2, 0;
round:
  setp.eq.u32 %p1, %r2, %r1; @%p1 st.global.u32 [%rd3], %r3; @%p1 exit;
  setp.ne.u32 %p2, %r1, 999; vote.sync.ballot.b32 %r3, %p2, 0xffffffff;
  add.u32 %r2, %r2, 1; bra round;`;
      const fromLane = Array.from({ length: 32 }, (_, lane) => (lane === 0 ? 0 : (-1 << lane) >>> 0));
      expect(await words(body, 32)).toEqual(fromLane);
    });

    test('lanes that exit before a barrier do not continue after it', async () => {
      const body = `mov.u32 %r2, 7; st.global.u32 [%rd3], %r2; setp.ge.u32 %p1, %r1, 20; @%p1 exit;
        and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 1; @%p2 bra odd;
        shfl.sync.bfly.b32 %r4, %r1, 2, 31, 0x55555; bra meet;
        odd: shfl.sync.bfly.b32 %r4, %r1, 4, 31, 0xaaaaa;
        meet: bar.sync 0; add.u32 %r2, %r4, 100; st.global.u32 [%rd3], %r2;`;
      const expected = (lane: number): number => (lane >= 20 ? 7 : 100 + (lane ^ (lane & 1 ? 4 : 2)));
      // The values of lanes 17 and 19 are not defined, because their partners have exited.
      const defined = Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => lane !== 17 && lane !== 19);
      const found = await words(body, 32);
      expect(defined.map((lane) => found[lane])).toEqual(defined.map(expected));
    });

    test('part of a warp exchanges values between two barriers, as in a scan of a block', async () => {
      const body = `.shared .align 4 .b32 sums[8]; mov.u32 %r2, sums; and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5;
        shfl.sync.down.b32 %r5, %r1, 16, 31, -1; add.u32 %r5, %r5, %r1; setp.ne.u32 %p1, %r3, 0;
        mad.lo.u32 %r6, %r4, 4, %r2; @!%p1 st.shared.u32 [%r6], %r5; bar.sync 0;
        setp.ge.u32 %p2, %r1, 4; @%p2 bra meet; mad.lo.u32 %r7, %r1, 4, %r2; ld.shared.u32 %r8, [%r7];
        shfl.sync.bfly.b32 %r9, %r8, 1, 31, 15; add.u32 %r8, %r8, %r9; shfl.sync.bfly.b32 %r9, %r8, 2, 31, 15;
        add.u32 %r8, %r8, %r9; st.shared.u32 [%r7], %r8;
        meet: bar.sync 0; ld.shared.u32 %r10, [%r2]; add.u32 %r10, %r10, %r1; st.global.u32 [%rd3], %r10;`;
      const sum = [0, 32, 64, 96].reduce((total, first) => total + 2 * first + 16, 0);
      expect(await words(body, 128)).toEqual(Array.from({ length: 128 }, (_, thread) => sum + thread));
    });

    test('tiles diverge, each with its own mask, and do the same work in several places', async () => {
      const body = `
  and.b32 %r2, %r1, 28; shl.b32 %r4, 15, %r2; and.b32 %r5, %r1, 4; setp.ne.u32 %p1, %r5, 0; and.b32 %r6, %r1, 1; setp.ne.u32 %p2, %r6, 0;
  @%p1 bra odd;
  @%p2 bra even_odd;
  shfl.sync.idx.b32 %r3, %r1, 3, 0x1c1f, %r4; bra join;
even_odd:
  shfl.sync.idx.b32 %r3, %r1, 0, 0x1c1f, %r4; bra join;
odd:
  match.any.sync.b64 %r3, %rd2, %r4;
join:
  st.global.u32 [%rd3], %r3;`;
      const expected = Array.from({ length: 32 }, (_, lane) => {
        if ((lane & 4) !== 0) return (1 << lane) >>> 0;
        return (lane & 28) + ((lane & 1) === 0 ? 3 : 0);
      });
      expect(await words(body, 32)).toEqual(expected);
    });

    test('64-bit values that differ only in the upper half do not match', async () => {
      const body = `
  and.b32 %r2, %r1, 2; mov.b64 %rd4, {7, %r2};
  match.any.sync.b64 %r3, %rd4, 0xffffffff;
  match.all.sync.b64 %r4|%p1, %rd4, 0xffffffff; selp.u32 %r4, 1, %r4, %p1; xor.b32 %r3, %r3, %r4;
  st.global.u32 [%rd3], %r3;`;
      const expected = Array.from({ length: 32 }, (_, lane) => ((lane & 2) === 0 ? 0x33333333 : 0xcccccccc));
      expect(await words(body, 32)).toEqual(expected);
    });

    test('many registers stay live across operations of groups of lanes', async () => {
      const names = Array.from({ length: 40 }, (_, i) => `%v${i}`);
      const body = `
  .reg .b32 ${names.join(', ')};
  ${names.map((name, i) => `mad.lo.u32 ${name}, %r1, ${i + 1}, ${i};`).join(' ')}
  and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 0; @%p1 bra join;
  ${names.map((name) => `shfl.sync.bfly.b32 %r4, ${name}, 2, 31, 0xaaaaaaaa; add.u32 ${name}, ${name}, %r4;`).join(' ')}
  ${names.map((name) => `add.u32 %r3, %r3, ${name};`).join(' ')}
join:
  st.global.u32 [%rd3], %r3;`;
      const value = (lane: number): number => names.reduce((sum, _, i) => sum + lane * (i + 1) + i, 0);
      const expected = Array.from({ length: 32 }, (_, lane) => (lane % 2 === 0 ? 0 : value(lane) + value(lane ^ 2)));
      expect(await words(body, 32)).toEqual(expected);
    });

    test('a thread outside its own mask and a thread that waits forever are faults', async () => {
      const outside = await run('shfl.sync.idx.b32 %r2, %r1, 0, 31, 1;', 2, 2);
      expect(outside.result).toMatchObject({ ok: false, fault: { code: 'PTX6012', thread: [1, 0, 0] } });
      const alone = await run(
        'setp.eq.u32 %p1, %r1, 0; @%p1 bra wait; bar.sync 1; ret; wait: vote.sync.any.pred %p2, %p1, 3;',
        2,
        2,
      );
      expect(alone.result).toMatchObject({ ok: false, fault: { code: 'PTX6010' } });
    });
  });

  describe('atomics', () => {
    const cases: readonly (readonly [what: string, body: string, expected: readonly number[]])[] = [
      [
        'add returns the previous value to each thread',
        'atom.global.add.u32 %r2, [%rd1+128], 2; st.global.u32 [%rd3], %r2;',
        [0, 2, 4, 6],
      ],
      ['inc wraps above its bound', 'atom.global.inc.u32 %r2, [%rd1+128], 1; st.global.u32 [%rd3], %r2;', [0, 1, 0, 1]],
      ['dec wraps below zero', 'atom.global.dec.u32 %r2, [%rd1+128], 2; st.global.u32 [%rd3], %r2;', [0, 2, 1, 0]],
      [
        'cas stores only if it finds what it expects',
        'add.u32 %r4, %r1, 1; atom.global.cas.b32 %r2, [%rd1+128], %r1, %r4; st.global.u32 [%rd3], %r2;',
        [0, 1, 2, 3],
      ],
      ['exch', 'atom.global.exch.b32 %r2, [%rd1+128], %r1; st.global.u32 [%rd3], %r2;', [0, 0, 1, 2]],
      [
        'signed maximum',
        'sub.u32 %r4, %r1, 2; atom.global.max.s32 %r2, [%rd1+128], %r4; bar.sync 0; ld.global.u32 %r5, [%rd1+128]; st.global.u32 [%rd3], %r5;',
        [1, 1, 1, 1],
      ],
      [
        'f32',
        'atom.global.add.f32 %f1, [%rd1+128], 0f3F800000; mov.b32 %r2, %f1; st.global.u32 [%rd3], %r2;',
        [0, 0x3f800000, 0x40000000, 0x40400000],
      ],
      [
        'a pair of f16',
        'mov.b32 %r4, 0x3C004000; red.global.add.noftz.f16x2 [%rd1+128], %r4; bar.sync 0; ld.global.u32 %r5, [%rd1+128]; st.global.u32 [%rd3], %r5;',
        [0x44004800, 0x44004800, 0x44004800, 0x44004800],
      ],
    ];
    test.each(cases)('%s', async (_, body, expected) => {
      expect((await words(body, 4, 33)).slice(0, 4)).toEqual(expected);
    });

    test('the result may be the register that is added', async () => {
      const body = 'mov.u32 %r2, 5; atom.global.add.u32 %r2, [%rd1+128], %r2; st.global.u32 [%rd3], %r2;';
      expect((await words(body, 3, 33)).slice(0, 3)).toEqual([0, 5, 10]);
    });

    test('trap ends the launch', async () => {
      expect((await run('trap;', 1, 1)).result).toMatchObject({ ok: false, fault: { code: 'PTX6031', line: 20 } });
    });
  });

  describe('barriers of the block', () => {
    test('bar.arrive continues at once, and bar.sync sees what was written before it', async () => {
      const body = `
    .shared .b32 s[64];
    mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r4, %r4, %r5;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra consume;
    add.u32 %r2, %r1, 1000; st.shared.u32 [%r4+-128], %r2;
    bar.arrive 1, 64;
    bra join;
  consume:
    bar.sync 1, 64;
    ld.shared.u32 %r2, [%r4];
  join:
    st.global.u32 [%rd3], %r2;`;
      expect(await words(body, 64)).toEqual(Array.from({ length: 64 }, (_, i) => (i < 32 ? 1032 + i : 1000 + i)));
    });

    test('reductions over all threads', async () => {
      const body = `
    setp.lt.u32 %p1, %r1, 5;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.or.pred %p2, 0, %p1; selp.u32 %r3, 100, 0, %p2; add.u32 %r2, %r2, %r3;
    bar.red.and.pred %p2, 0, !%p1; selp.u32 %r3, 1000, 0, %p2; add.u32 %r2, %r2, %r3;
    bar.red.and.pred %p2, 1, 64, 1; selp.u32 %r3, 10000, 0, %p2; add.u32 %r2, %r2, %r3;
    st.global.u32 [%rd3], %r2;`;
      expect(await words(body, 64)).toEqual(Array<number>(64).fill(10_105));
    });

    test('a barrier in a loop, and threads that have exited', async () => {
      const body = `
    .shared .b32 s[64];
    mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r4, %r4, %r5;
    mov.u32 %r2, 0; mov.u32 %r6, 0;
    setp.ge.u32 %p1, %r1, 40; @%p1 exit;
  again:
    st.shared.u32 [%r4], %r2;
    bar.sync 0;
    xor.b32 %r7, %r5, 4; mov.u32 %r8, s; add.u32 %r8, %r8, %r7;
    ld.shared.u32 %r9, [%r8]; add.u32 %r2, %r9, %r1;
    bar.sync 0;
    add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 3; @%p2 bra again;
    st.global.u32 [%rd3], %r2;`;
      const value = (thread: number, rounds: number): number =>
        rounds === 0 ? 0 : value(thread ^ 1, rounds - 1) + thread;
      expect(await words(body, 64)).toEqual(Array.from({ length: 64 }, (_, i) => (i < 40 ? value(i, 3) : 0)));
    });
  });

  describe('threads that wait for others to write', () => {
    test('a lane spins on a flag that a later warp sets', async () => {
      const body = `
    setp.eq.u32 %p1, %r1, 63; @%p1 bra set;
  wait:
    ld.volatile.global.u32 %r2, [%rd1+256];
    setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;
    bra join;
  set:
    mov.u32 %r2, 7; st.volatile.global.u32 [%rd1+256], %r2;
  join:
    st.global.u32 [%rd3], %r2;`;
      expect(await words(body, 64, 65, 2e8)).toEqual(Array<number>(65).fill(7));
    });

    test('a block waits for a store of the last block', async () => {
      const body = `
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; sub.u32 %r3, %r3, 1;
    setp.eq.u32 %p1, %r2, %r3; @%p1 st.release.gpu.global.u32 [%rd1+16], 9;
  wait:
    ld.acquire.gpu.global.u32 %r4, [%rd1+16];
    setp.ne.u32 %p2, %r4, 9; @%p2 bra wait;
    atom.global.add.u32 %r5, [%rd1], 1;`;
      expect((await words(body, 1, 5, 1e9, 4))[0]).toBe(4);
    });

    test.each([
      ['a lane of its warp', '%tid.x', 31, 32, 1],
      ['a later warp', '%tid.x', 63, 64, 1],
      ['the last block', '%ctaid.x', 3, 32, 4],
    ])('a function that a loop calls reads what %s writes', async (_, register, last, threads, grid) => {
      const body = `
    activemask.b32 %r6;
    mov.u32 %r2, ${register}; add.u64 %rd1, %rd1, ${4 * threads};
    setp.eq.u32 %p1, %r2, ${last}; @%p1 st.volatile.global.u32 [%rd1], 9;
  wait:
    call (%r4), peek, (%rd1);
    setp.ne.u32 %p2, %r4, 9; @%p2 bra wait;
    st.global.u32 [%rd3], %r4;`;
      expect(await words(body, threads, threads + 1, 1e8, grid)).toEqual(Array<number>(threads + 1).fill(9));
    });

    test('lanes at an instruction without a mask do not wait for a lane that waits for them', async () => {
      const body = `
    setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;
    activemask.b32 %r2; st.volatile.global.u32 [%rd1+128], %r2; bra join;
  wait:
    ld.volatile.global.u32 %r2, [%rd1+128];
    setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;
  join:
    st.global.u32 [%rd3], %r2;`;
      expect(await words(body, 32, 33)).toEqual(Array<number>(33).fill(0xffff_fffe));
    });

    test('a lock that every thread takes', async () => {
      const body = `
  take:
    atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
    setp.ne.u32 %p1, %r2, 0; @%p1 bra take;
    ld.volatile.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1], %r3;
    atom.global.exch.b32 %r2, [%rd1+4], 0;`;
      expect((await words(body, 64, 64, 1e8))[0]).toBe(64);
    });
  });
});
