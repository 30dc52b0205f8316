/**
 * Tests accesses to local memory beyond the frame of the running function. They must cause faults, so that a function
 * cannot read bytes that earlier calls, blocks or launches have left there.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { faultOf, moduleOf, outcome, ways } from './run.ts';

/** A function that fills the 256 bytes of its own local variable. */
const deep = `.func fill() { .local .align 8 .b8 own[256]; .reg .b32 i; .reg .pred p; .reg .b64 a, s; mov.u64 s, own; mov.u32 i, 0;
L: cvt.u64.u32 a, i; add.u64 a, a, s; st.local.u32 [a], 0x5ec4e7; add.u32 i, i, 4; setp.lt.u32 p, i, 256; @p bra L; ret; }`;

/** Each of these kernels uses a different kind of access to read local memory at an offset from its variable `own`. */
const reads = {
  'a load from local memory': 'mov.u64 %rd2, own; ld.local.u32 %r1, [%rd2+OFFSET];',
  'a load through a generic address': 'cvta.local.u64 %rd2, own; ld.u32 %r1, [%rd2+OFFSET];',
  'two words at once': 'mov.u64 %rd2, own; ld.local.v2.u32 {%r1, %r2}, [%rd2+OFFSET];',
  'a load through a 32-bit address': 'cvta.local.u32 %r2, own; ld.u32 %r1, [%r2+OFFSET];',
} as const;

const own = '.local .align 8 .b8 own[16]; st.local.u64 [own], 0; st.local.u64 [own+8], 0;';

const inKernel = (read: string, offset: number): string =>
  `${own} call fill;\n${read.replace('OFFSET', String(offset))}\nld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1;`;

const registers = '.reg .b32 %r<4>; .reg .b64 %rd<4>;';

const inFunction = (read: string, offset: number): string =>
  `.func (.reg .b32 %v) leaf() { ${registers} ${own} call fill; ${read.replace('OFFSET', String(offset))} mov.u32 %v, %r1; ret; }`;

const callLeaf = 'call (%r1), leaf;\nld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1;';

describe.each(Object.entries(ways))('%s', (_, options) => {
  describe.each(Object.entries(reads))('%s', (__, read) => {
    test('inside the frame of a kernel, and beyond it', async () => {
      const { words } = await outcome({ module: deep, body: inKernel(read, 8) }, 4, options);
      expect(words).toEqual([0]);
      const fault = await faultOf({ module: deep, body: inKernel(read, 128) }, options);
      expect(fault).toMatchObject({ code: 'PTX6001', space: 'local', line: 7 });
    });

    test('inside the frame of a function, and beyond it', async () => {
      const { words } = await outcome({ module: deep + inFunction(read, 8), body: callLeaf }, 4, options);
      expect(words).toEqual([0]);
      const fault = await faultOf({ module: deep + inFunction(read, 128), body: callLeaf }, options);
      expect(fault).toMatchObject({ code: 'PTX6001', space: 'local' });
    });
  });

  test('a function reads its caller’s variables', async () => {
    const module = `${deep} .func (.reg .b32 v) at(.reg .b64 p) { .local .b32 mine; st.local.u32 [mine], 1; ld.u32 v, [p]; ret; }`;
    const body = `${own} st.local.u32 [own+12], 77; cvta.local.u64 %rd2, own; add.u64 %rd2, %rd2, 12; call fill; call (%r1), at, (%rd2);
ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1;`;
    expect((await outcome({ module, body }, 4, options)).words).toEqual([77]);
  });
});

test('the gap between two frames is zero, whatever used it before', async () => {
  const module = `${deep} .func (.reg .b32 v) at(.reg .b64 p) { .local .b32 mine; st.local.u32 [mine], 1; ld.local.u32 v, [p]; ret; }`;
  const body = `${own} mov.u64 %rd2, own; add.u64 %rd2, %rd2, 16; call fill; call (%r1), at, (%rd2);
ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1;`;
  const device = await Device.create();
  const kernel = device.load(moduleOf({ module, body })).kernel('k');
  const out = device.alloc(4);
  for (let launch = 0; launch < 2; launch++) {
    expect(await kernel.launch({ args: [out], engine: 'jit' })).toMatchObject({ ok: true });
    expect([...out.read()]).toEqual([0, 0, 0, 0]);
  }
});
