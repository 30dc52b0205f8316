import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../test/collect-garbage.ts';
import { Device } from '../device.ts';
import { recentModule } from './recent-modules.ts';

const text = `.version 8.0
.target sm_80
.address_size 64
.global .u32 count = 7;
.visible .entry add()
{
  .reg .u32 %r<2>;
  ld.global.u32 %r1, [count];
  add.u32 %r1, %r1, 1;
  st.global.u32 [count], %r1;
  ret;
}
`;

describe('modules that are loaded again', () => {
  test('are shared if the text and the options are the same', () => {
    const { module } = recentModule(text, {});
    expect(recentModule(text, {}).module).toBe(module);
    expect(recentModule(text, { target: 'sm_90' }).module).not.toBe(module);
    expect(recentModule(text, { version: '8.1' }).module).not.toBe(module);
    expect(recentModule(`${text}\n`, {}).module).not.toBe(module);
  });

  test('have variables of their own on each device', async () => {
    const devices = [await Device.create(), await Device.create()];
    const loaded = devices.map((device) => device.load(text));
    await loaded[0]?.kernel('add').launch({});
    await loaded[0]?.kernel('add').launch({});
    await loaded[1]?.kernel('add').launch({});
    expect(loaded.map((module) => module.symbol('count').read('u32')[0])).toEqual([9, 8]);
  });

  test('are not shared if others with long texts were loaded since, or if their text is very long', () => {
    const long = (i: number): string => `${text}// ${'x'.repeat(2 ** 23)}${i}`;
    const { module } = recentModule(text, {});
    recentModule(long(0), {});
    expect(recentModule(text, {}).module).toBe(module);
    for (const i of [1, 2]) recentModule(long(i), {});
    expect(recentModule(text, {}).module).not.toBe(module);
    const longest = `${long(0)}${'x'.repeat(2 ** 23)}`;
    expect(recentModule(longest, {}).module).not.toBe(recentModule(longest, {}).module);
  });

  test('are freed even if the program does not return to the event loop', () => {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 40; i++) recentModule(`${text}// ${'x'.repeat(2 ** 21)}${i}`, {});
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 2 ** 20);
  });

  test('are not shared if they have errors', () => {
    const wrong = text.replace('add.u32', 'add.u33');
    expect([recentModule(wrong, {}).module, recentModule(wrong, {}).module]).toEqual([null, null]);
  });
});
