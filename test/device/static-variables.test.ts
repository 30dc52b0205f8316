/**
 * Variables in `.global` and `.const` that are declared within functions exist only once for all launches, like static
 * variables in C.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { moduleOf, output, ways } from './run.ts';

describe.each(Object.entries(ways))('on %s', (_, way) => {
  test('have their initial values', async () => {
    const body = `.global .u32 g[2] = {3, 4}; .const .u32 c = 5; .global .u64 at = g;
ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [at]; ld.global.u32 %r1, [%rd2+4]; ld.const.u32 %r2, [c];
add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 4, way)).toEqual([9]);
  });

  test('with the same name in several functions and blocks are different variables', async () => {
    const module = `.global .u32 x = 1; .func (.reg .u32 r) f() { .global .u32 x = 2; ld.global.u32 r, [x]; ret; }
.func (.reg .u32 r) g() { .global .u32 x = 30; { .global .u32 x = 400; .global .u64 p = x; .reg .u64 q;
ld.global.u64 q, [p]; ld.global.u32 r, [q]; } .reg .u32 s; ld.global.u32 s, [x]; add.u32 r, r, s; ret; }`;
    const body = `ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [x]; call (%r2), f; call (%r3), g;
add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1;`;
    expect(await output({ module, body }, 4, way)).toEqual([433]);
  });

  test('keep their values from launch to launch', async () => {
    const body =
      '.global .u32 count; ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [count], 1; st.global.u32 [%rd1], %r1;';
    const device = await Device.create();
    const kernel = device.load(moduleOf({ body })).kernel('k');
    const out = device.alloc(4);
    const seen: number[] = [];
    for (let i = 0; i < 3; i++) {
      await kernel.launch({ ...way, args: [out] });
      seen.push(out.read()[0] ?? -1);
    }
    expect(seen).toEqual([0, 1, 2]);
  });
});
