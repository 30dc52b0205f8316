/** Tests 256-bit stores in which `_` replaces some elements. The memory of these elements is not accessed. */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from './run.ts';

const threads = 8;
const untouched = 0xaaaa_aaaa;

/**
 * Each thread stores eight words, except those that are `_` in the list. The value of word i in thread t is 16 * t + i.
 */
function source(type: 'b32' | 'b64', list: string): string {
  const values = Array.from({ length: 8 }, (_, i) => `add.u32 %r${i}, %r9, ${i};`).join(' ');
  const pairs = [0, 1, 2, 3].map((i) => `mov.b64 %q${i}, {%r${2 * i}, %r${2 * i + 1}};`).join(' ');
  return `.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out) { .reg .b32 %r<10>; .reg .b64 %q<4>, %at, %own;
ld.param.u64 %at, [out]; mov.u32 %r9, %tid.x; mul.wide.u32 %own, %r9, 32; add.u64 %at, %at, %own; shl.b32 %r9, %r9, 4;
${values} ${pairs}
st.global.${type === 'b32' ? 'v8.b32' : 'v4.b64'} [%at], {${list}};
ret; }`;
}

describe.each(Object.entries(ways))('%s', (_, options) => {
  test.each([
    ['b32', '%r0, _, _, %r3, %r4, %r5, %r6, _', 0b0111_1001],
    ['b32', '_, _, _, _, %r4, %r5, %r6, %r7', 0b1111_0000],
    ['b32', '_, %r1, %r2, %r3, _, _, _, %r7', 0b1000_1110],
    ['b64', '%q0, _, _, %q3', 0b1100_0011],
    ['b64', '_, _, %q2, _', 0b0011_0000],
  ] as const)('%s: {%s}', async (type, list, mask) => {
    const device = await Device.create();
    const out = device.alloc(new Uint32Array(8 * threads).fill(untouched));
    const kernel = device.load(source(type, list)).kernel('k');
    expect(await kernel.launch({ block: threads, args: [out], ...options })).toMatchObject({ ok: true });
    const expected = Array.from({ length: 8 * threads }, (__, at) => {
      const [thread, word] = [at >> 3, at & 7];
      return (mask >> word) & 1 ? 16 * thread + word : untouched;
    });
    expect([...out.read('u32')]).toEqual(expected);
  });

  test('elements beyond the end of a buffer may be masked', async () => {
    const device = await Device.create();
    const launch = (list: string, words: number) => {
      const out = device.alloc(4 * words);
      return device
        .load(source('b32', list))
        .kernel('k')
        .launch({ block: 1, args: [out], ...options });
    };
    expect(await launch('%r0, %r1, %r2, %r3, %r4, _, _, _', 5)).toMatchObject({ ok: true });
    expect(await launch('%r0, %r1, %r2, %r3, %r4, %r5, _, _', 5)).toMatchObject({ fault: { code: 'PTX6001' } });
  });
});
