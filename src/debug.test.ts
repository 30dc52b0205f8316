import { describe, expect, it } from 'vitest';
import { recordWarp } from './debug.ts';
import { Device } from './device.ts';

/**
 * Each thread with an index below 4 counts up to its index in a loop. All other threads skip the loop. Every thread
 * stores its count.
 */
const loop = `
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 p) {
  .reg .pred %q; .reg .b32 %t, %n; .reg .b64 %a, %o;
  ld.param.u64 %a, [p];
  mov.u32 %t, %tid.x;
  mov.u32 %n, 0;
  setp.ge.u32 %q, %t, 4;
  @%q bra join;
again:
  add.u32 %n, %n, 1;
  setp.le.u32 %q, %n, %t;
  @%q bra again;
join:
  mul.wide.u32 %o, %t, 4;
  add.s64 %a, %a, %o;
  st.global.u32 [%a], %n;
  ret;
}`;

async function record(options: Parameters<typeof recordWarp>[1]): ReturnType<typeof recordWarp> {
  const device = await Device.create({ memory: 2 ** 20 });
  const buffer = device.alloc(4 * 64);
  return recordWarp(device.load(loop).kernel('k'), { args: [buffer], ...options });
}

describe('recordWarp', () => {
  it('shows diverged threads group by group, and together where they rejoin', async () => {
    const { steps, lanes } = await record({ block: 8 });
    expect(lanes).toBe(8);
    const masks = steps.filter(({ text }) => /^(add\.u32|st\.)/.test(text)).map(({ line, mask }) => [line, mask]);
    expect(masks).toEqual([
      [13, 0b1111],
      [13, 0b1110],
      [13, 0b1100],
      [13, 0b1000],
      [19, 0xff],
    ]);
  });

  it('gives the registers of any step, in any order', async () => {
    const recording = await record({ block: 8 });
    const count = (index: number): unknown => recording.registersAfter(index).find(({ name }) => name === '%n')?.values;
    const last = recording.steps.length - 1;
    expect(count(last)).toEqual([1, 2, 3, 4, 0, 0, 0, 0]);
    expect(count(-1)).toBeUndefined();
    const start = recording.steps.findIndex(({ text }) => text.startsWith('mov.u32 %n'));
    expect(count(start)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(count(last)).toEqual([1, 2, 3, 4, 0, 0, 0, 0]);
  });

  it('gives the registers of any step of a long recording with many registers', async () => {
    const moves = Array.from({ length: 500 }, (_, i) => `mov.u32 %r${(i * 7) % 200}, ${i};`);
    const text = `.version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<200>;\n${moves.join('\n')}\nret; }`;
    const device = await Device.create({ memory: 2 ** 20 });
    const recording = await recordWarp(device.load(text).kernel('k'));
    for (const index of [499, 63, 64, 127, 330, 65, 0, 199, 471, 200, 498]) {
      const expected = new Map<string, unknown>();
      for (let i = 0; i <= index; i++) expected.set(`%r${(i * 7) % 200}`, [i]);
      const found = recording.registersAfter(index).map(({ name, values }) => [name, values]);
      expect.soft(found, `after step ${index}`).toEqual([...expected]);
    }
  });

  it('finds the step that wrote a value', async () => {
    const recording = await record({ block: 8 });
    const last = recording.steps.length - 1;
    const writer = recording.writerOf('%n', 1, last);
    expect(writer).not.toBeNull();
    expect(recording.steps[writer ?? 0]).toMatchObject({ line: 13, mask: 0b1110 });
    expect(recording.writerOf('%n', 0, 0)).toBeNull();
  });

  it('has the addresses of each lane', async () => {
    const { steps } = await record({ block: 8 });
    const [first = 0n, second = 0n] = steps.find(({ text }) => text.startsWith('st.global'))?.addresses ?? [];
    expect(Number(second) - Number(first)).toBe(4);
  });

  it('records any warp of any block', async () => {
    const { steps, lanes } = await record({ block: [16, 4], warp: 1, grid: 2, of: 1 });
    expect(lanes).toBe(32);
    expect(steps.at(-1)?.mask).toBe(0xffffffff);
    await expect(record({ block: 8, warp: 1 })).rejects.toThrow('no thread');
  });

  it('is cut off when it is full', async () => {
    const recording = await record({ block: 8, limit: 20 });
    expect(recording).toMatchObject({ isCut: true, fault: null });
    expect(recording.steps.length).toBeLessThanOrEqual(20);
  });

  it('ends at a fault', async () => {
    const device = await Device.create({ memory: 2 ** 20 });
    const recording = await recordWarp(device.load(loop).kernel('k'), { args: [0n], block: 8 });
    expect(recording.fault).toMatchObject({ code: 'PTX6005', line: 19 });
    expect(recording.steps.at(-1)?.line).toBe(19);
  });
});
