/**
 * Shuffles within a group of lanes, with every kind of bounds. The group consists of the odd lanes, and each lane names
 * the lane that it wants to read.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from './run.ts';

const modes = ['up', 'down', 'bfly', 'idx'] as const;
const allBounds = [31, 0, 7, 15, 0x1c00, 0x1c1f, 0x1c03, 0x181f, 0x1f1f, 0xffff_e01f];
const threads = 50;

/** The number that a thread passes as its lane operand. */
const wanted = (thread: number): number => (thread * 7 + (thread >> 3)) & 63;
const valueOf = (thread: number): number => thread * 0x10001 + 5;

/** The result of `shfl` as section 9.7.9.6 of PTX ISA 9.1 defines it. A lane outside the group provides 0. */
function expected(mode: (typeof modes)[number], bounds: number, thread: number): readonly [number, number] {
  const lane = thread & 31;
  const operand = wanted(thread) & 31;
  const segment = (bounds >> 8) & 31;
  const limit = (lane & segment) | (bounds & 31 & ~segment);
  const sources = {
    up: lane - operand,
    down: lane + operand,
    bfly: lane ^ operand,
    idx: (lane & segment) | (operand & ~segment),
  };
  const source = sources[mode];
  const inBounds = mode === 'up' ? source >= limit : source <= limit;
  const from = inBounds ? source : lane;
  const isMember = (from & 1) === 1 && (thread & ~31) + from < threads;
  return [isMember ? valueOf((thread & ~31) + from) : 0, Number(inBounds)];
}

const kernel = (mode: string, bounds: string, to: string): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 bounds)
{
  .reg .b32 %t, %v, %w, %lane, %m, %odd, %in, %b; .reg .b64 %a, %o; .reg .pred %p, %q;
  ld.param.u64 %a, [out];
  ld.param.u32 %b, [bounds];
  mov.u32 %t, %tid.x;
  mad.lo.u32 %v, %t, 0x10001, 5;
  mul.lo.u32 %lane, %t, 7; shr.u32 %w, %t, 3; add.u32 %lane, %lane, %w; and.b32 %lane, %lane, 63;
  and.b32 %odd, %t, 1; setp.eq.u32 %q, %odd, 0; @%q bra done;
  activemask.b32 %m;
  setp.ne.u32 %p, %t, %t;
  shfl.sync.${mode}.b32 ${to}, %v, %lane, ${bounds}, %m;
  selp.u32 %in, 1, 0, %p;
  mul.wide.u32 %o, %t, 8; add.u64 %a, %a, %o;
  st.global.v2.u32 [%a], {%w, %in};
done:
  ret;
}`;

describe.each(Object.entries(ways))('%s', (_way, way) => {
  describe.each(modes)('shfl.sync.%s', (mode) => {
    test.each(allBounds)('bounds %i, as a constant and in a register', async (bounds) => {
      const device = await Device.create();
      const run = async (operand: string, to: string): Promise<readonly number[]> => {
        const out = device.alloc(8 * threads);
        const result = await device
          .load(kernel(mode, operand, to))
          .kernel('k')
          .launch({ block: threads, args: [out, bounds >>> 0], ...way });
        expect(result.ok ? null : result.fault).toBeNull();
        return [...new Uint32Array(out.read().buffer)];
      };
      const results = (tells: boolean): readonly number[] =>
        Array.from({ length: threads }, (_, thread) => {
          if ((thread & 1) === 0) return [0, 0];
          const [value, inBounds] = expected(mode, bounds, thread);
          return [value, tells ? inBounds : 0];
        }).flat();
      for (const operand of [String(bounds), '%b']) {
        expect(await run(operand, '%w|%p'), operand).toEqual(results(true));
        expect(await run(operand, '%w'), operand).toEqual(results(false));
      }
    });
  });
});
