/**
 * Tests that every mistake in a kernel ends the launch with a fault, and that the fault describes what happened, where,
 * and in which thread. The device must remain usable afterwards.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { faultOf, moduleOf, outcome, output } from './run.ts';

const address = 'ld.param.u64 %rd1, [out];';

describe('memory', () => {
  test('a store past the end of a buffer names it', async () => {
    const fault = await faultOf({ body: `${address}\nst.global.u32 [%rd1+64], 1;` });
    expect(fault).toMatchObject({ code: 'PTX6001', kernel: 'k', block: [0, 0, 0], thread: [0, 0, 0], line: 7 });
    expect(fault).toMatchObject({ space: 'global', address: '0x10040' });
    expect(fault.message).toContain('nearest is buffer 0, 64 bytes at 0x10000: 0 bytes past its end');
  });

  test('an access that begins inside and ends outside is out of bounds', async () => {
    const fault = await faultOf({ body: `${address}\nadd.u64 %rd1, %rd1, 60;\nst.global.u64 [%rd1], %rd1;` });
    expect(fault).toMatchObject({ code: 'PTX6001', line: 8 });
  });

  test.each([
    [0, '0 bytes at 0x10'],
    [8, '8 bytes at 0x10'],
  ])(
    'a store past %i bytes of dynamic shared memory names the option that sets its size',
    async (sharedBytes, size) => {
      const module = '.shared .align 16 .b8 table[16];\n.extern .shared .align 4 .b8 tail[];';
      const body = 'mov.u32 %r1, tail;\nst.shared.u32 [%r1+8], 1;';
      const fault = await faultOf({ module, body }, { sharedBytes });
      expect(fault.message).toContain(`nearest is 'tail', ${size}, the dynamic shared memory (--shared, sharedBytes)`);
    },
  );

  test('a store past dynamic shared memory names none of several variables that begin there', async () => {
    const module = '.extern .shared .align 4 .b8 first[];\n.extern .shared .align 4 .b8 second[];';
    const fault = await faultOf({ module, body: 'mov.u32 %r1, first;\nst.shared.u32 [%r1+8], 1;' }, { sharedBytes: 8 });
    expect(fault.message).toContain('nearest is the dynamic shared memory (--shared, sharedBytes), 8 bytes at 0x0');
  });

  test('a misaligned load', async () => {
    const fault = await faultOf({ body: `${address}\nld.global.u32 %r1, [%rd1+2];` });
    expect(fault).toMatchObject({ code: 'PTX6002', address: '0x10002' });
  });

  test('a vector access must be aligned to its whole size', async () => {
    const fault = await faultOf({ body: `${address}\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+8];` });
    expect(fault).toMatchObject({ code: 'PTX6002' });
    expect(fault.message).toContain('16 bytes');
  });

  test('a null pointer, with and without an offset', async () => {
    const fault = await faultOf({ body: 'mov.u64 %rd2, 0;\nld.global.u32 %r1, [%rd2+128];' });
    expect(fault).toMatchObject({ code: 'PTX6005', address: '0x80' });
  });

  test('an offset below zero wraps in 64 bits before it is checked', async () => {
    const fault = await faultOf({ body: 'mov.u64 %rd2, 0;\nld.global.u32 %r1, [%rd2+-4];' });
    expect(fault).toMatchObject({ code: 'PTX6001', address: '0xfffffffffffffffc' });
  });

  test.each([
    ['atom.global.add.u32 %r1, [%rd1+64], 1;', 'PTX6001', 'atomic of 4 bytes at 0x10040 in global memory'],
    ['red.global.add.u64 [%rd1+4], %rd1;', 'PTX6002', 'atomic of 8 bytes at 0x10004 in global memory'],
    [
      'mov.u32 %r2, 64;\natom.shared.cas.b32 %r1, [%r2], 0, 1;',
      'PTX6001',
      'atomic of 4 bytes at 0x40 in shared memory',
    ],
    ['mov.u64 %rd2, 0;\nred.add.u32 [%rd2], 1;', 'PTX6005', 'atomic of 4 bytes'],
  ])('%s is called an atomic', async (body, code, message) => {
    const fault = await faultOf({ body: `${address}\n${body}` });
    expect(fault).toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  test('a freed buffer', async () => {
    const device = await Device.create({ simd: true });
    const kernel = device.load(moduleOf({ body: `${address}\nld.global.u32 %r1, [%rd1];` })).kernel('k');
    const buffer = device.alloc(64);
    const { address: at } = buffer;
    buffer.free();
    const result = await kernel.launch({ args: [at] });
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6003' } });
  });

  test('a store to constant memory through a generic address', async () => {
    const fault = await faultOf({
      module: '.const .u32 c = 1;',
      body: 'mov.u64 %rd2, c;\ncvta.const.u64 %rd3, %rd2;\nst.u32 [%rd3], 5;',
    });
    expect(fault).toMatchObject({ code: 'PTX6004', space: 'const' });
  });

  test('a store to a kernel parameter through a generic address', async () => {
    const fault = await faultOf({ body: 'mov.u64 %rd2, out;\ncvta.param.u64 %rd3, %rd2;\nst.u32 [%rd3], 5;' });
    expect(fault).toMatchObject({ code: 'PTX6004', space: 'param' });
  });

  test("shared memory past the end of the block's", async () => {
    const fault = await faultOf({
      module: '.shared .align 4 .b8 tile[16];',
      body: 'mov.u32 %r1, tile;\nst.shared.u32 [%r1+16], 1;',
    });
    expect(fault).toMatchObject({ code: 'PTX6001', space: 'shared', address: '0x10' });
    expect(fault.message).toContain("'tile'");
  });

  test('shared memory that was never written', async () => {
    const source = { module: '.shared .u32 x;', body: `${address} ld.shared.u32 %r1, [x]; st.global.u32 [%rd1], %r1;` };
    expect(await faultOf(source, { engine: 'interp' })).toMatchObject({ code: 'PTX6006', space: 'shared' });
  });

  test('local memory that the thread never wrote; padding next to a written byte may be copied', async () => {
    const body = `${address} .local .align 8 .b8 x[8];\nst.local.u8 [x], 1; ld.local.u32 %r1, [x];\nst.global.u32 [%rd1], %r1;
ld.local.u32 %r1, [x+4]; st.global.u32 [%rd1], %r1;`;
    const fault = await faultOf({ body }, { engine: 'interp' });
    expect(fault).toMatchObject({ code: 'PTX6006', space: 'local', line: 9 });
    expect(fault.message).toContain("it is in 'x', 8 bytes at 0x0");
  });

  test('padding may be read if a pragma marks it as unused', async () => {
    const load = `${address} .local .align 8 .b8 x[8];\n.pragma "used_bytes_mask 0";\nld.local.u32 %r1, [x+4];`;
    const store = 'st.global.u32 [%rd1], %r1;';
    const { result } = await outcome({ body: `${load} ${store}` }, 4, { engine: 'interp' });
    expect(result.ok).toBe(true);
    const fault = await faultOf({ body: `${load}\nld.local.u32 %r1, [x+4]; ${store}` }, { engine: 'interp' });
    expect(fault).toMatchObject({ code: 'PTX6006', line: 9 });
    const used = load.replace('mask 0', 'mask 3');
    expect(await faultOf({ body: `${used} ${store}` }, { engine: 'interp' })).toMatchObject({ code: 'PTX6006' });
  });

  test('cvta.to of an address in another window', async () => {
    const fault = await faultOf({ body: `${address}\ncvta.to.shared.u64 %rd2, %rd1;` });
    expect(fault).toMatchObject({ code: 'PTX6007', space: 'generic', address: '0x10000' });
  });

  test.each(['interp', 'jit'] as const)('cvta.to of a null pointer only faults when it is used: %s', async (engine) => {
    const body = `${address} mov.u64 %rd2, 0; cvta.to.shared.u64 %rd2, %rd2; cvta.shared.u64 %rd3, %rd2;
setp.eq.u64 %p1, %rd3, 0; selp.u32 %r1, 1, 2, %p1; st.global.u32 [%rd1], %r1;`;
    expect(await output({ body }, 4, { engine })).toEqual([1]);
    const used = await faultOf({ body: `${body} ld.shared.u32 %r2, [%rd2];` }, { engine });
    expect(used).toMatchObject({ code: 'PTX6001', space: 'shared' });
  });

  test('cvta.to.global of a shared address', async () => {
    const fault = await faultOf({
      module: '.shared .u32 x;',
      body: 'mov.u64 %rd1, x;\ncvta.shared.u64 %rd2, %rd1;\ncvta.to.global.u64 %rd3, %rd2;',
    });
    expect(fault).toMatchObject({ code: 'PTX6007' });
  });
});

describe('the source location', () => {
  const strings = '.section .debug_str { $L__info_string0: .b8 95,90,53 .b8 105,110,110,101,114,0 }';
  const file = `.file 1 "kernel.cu" ${strings}`;

  test.each(['interp', 'jit'] as const)('a fault names file, line and column (%s)', async (engine) => {
    const body = '.loc 1 12 5\nmov.u32 %r1, 0;\n.loc 1 13 7\ntrap;\n.loc 1 14 1';
    const { line, source } = await faultOf({ module: file, body }, { engine });
    expect({ line, source }).toEqual({ line: 9, source: { file: 'kernel.cu', line: 13, column: 7, inlined: null } });
  });

  test('and the call sites of inlined code, outermost last', async () => {
    const body = `.loc 1 20 3
.loc 1 9 2, function_name $L__info_string0, inlined_at 1 20 3
.loc 1 5 1, function_name $L__info_string0+3, inlined_at 1 9 2
trap;`;
    const outer = { file: 'kernel.cu', line: 20, column: 3, inlined: null };
    const inner = { file: 'kernel.cu', line: 9, column: 2, inlined: { function: '_Z5inner', at: outer } };
    const { source } = await faultOf({ module: file, body });
    expect(source).toEqual({ file: 'kernel.cu', line: 5, column: 1, inlined: { function: 'inner', at: inner } });
  });

  test('line 0 means no source line', async () => {
    expect(await faultOf({ module: file, body: '.loc 1 12 5\n.loc 1 0 0\ntrap;' })).toMatchObject({ source: null });
  });
});

describe('threads', () => {
  test('the fault names block and thread', async () => {
    const body = `${address}
mov.u32 %r1, %ctaid.y;
mov.u32 %r2, %tid.x;
setp.eq.u32 %p1, %r1, 1;
setp.eq.and.u32 %p1, %r2, 3, %p1;
@%p1 st.global.u32 [%rd1+1024], 1;`;
    expect(await faultOf({ body }, { grid: [1, 2], block: 8 })).toMatchObject({
      block: [0, 1, 0],
      thread: [3, 0, 0],
      line: 11,
    });
  });

  test('threads that wait at different barriers', async () => {
    const body = 'mov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, 1;\nbar.sync %r1;';
    const fault = await faultOf({ body }, { block: 64 });
    expect(fault).toMatchObject({ code: 'PTX6010' });
    expect(fault.message).toContain('32 of 64 at barrier 0 (line 8: threads 0, 2, 4, 6 and 28 more)');
    expect(fault.message).toContain('32 of 64 at barrier 1 (line 8: threads 1, 3, 5, 7 and 28 more)');
  });

  test.each(['interp', 'jit'] as const)(
    'threads of a warp that reach a shuffle without the others (%s)',
    async (engine) => {
      const body = `mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 30;
@!%p1 bra high;
shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;
bra done;
high:
bar.sync 2;
done:`;
      const { message, line, thread } = await faultOf({ body }, { block: 32, engine });
      expect(message).toContain('2 of 32 at barrier 2 (line 12: threads 30, 31)');
      expect(message).toContain(
        '30 of warp 0 at shfl.idx, without lanes 30, 31 (line 9: threads 0, 1, 2, 3 and 26 more)',
      );
      expect({ line, thread }).toEqual({ line: 9, thread: [0, 0, 0] });
    },
  );

  test('a barrier number that does not exist', async () => {
    expect(await faultOf({ body: 'mov.u32 %r1, 16;\nbar.sync %r1;' })).toMatchObject({ code: 'PTX6011', line: 7 });
  });

  test('a thread count that is not a multiple of a warp', async () => {
    expect(await faultOf({ body: 'mov.u32 %r1, 33;\nbar.sync 0, %r1;' })).toMatchObject({ code: 'PTX6011' });
  });

  test('an instruction that is checked but not executed', async () => {
    const body = 'mov.u32 %r1, 0;\ntcgen05.shift.cta_group::1.down [0];';
    const fault = await faultOf({ body }, { unsupported: 'fault' });
    expect(fault).toMatchObject({ code: 'PTX6030', line: 7 });
    expect(fault.message).toContain('tcgen05.shift');
  });

  test('an instruction that no thread reaches is not a fault', async () => {
    const device = await Device.create({ simd: true });
    const body = 'bra done;\nbar.arrive 0, 32;\ndone:';
    const kernel = device.load(moduleOf({ body, parameters: '' })).kernel('k');
    expect(await kernel.launch()).toMatchObject({ ok: true });
  });
});

describe('a kernel that never ends', () => {
  const endless = { body: 'again:\nadd.u32 %r1, %r1, 1;\nbra again;' };

  test('is stopped by its budget', async () => {
    const fault = await faultOf(endless, { budget: 1000 });
    expect(fault).toMatchObject({ code: 'PTX6020', kernel: 'k', thread: [0, 0, 0] });
  });

  test('is stopped by its time limit', async () => {
    expect(await faultOf(endless, { timeout: 0.05 })).toMatchObject({ code: 'PTX6021' });
  });

  test('is stopped when the caller aborts', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    expect(await faultOf(endless, { signal: stop.signal, engine: 'interp' })).toMatchObject({ code: 'PTX6022' });
  });

  test('is stopped even if the guards in its loop never hold', async () => {
    const body = 'again:\n@!%p1 bra again;\n@%p1 bra again;';
    expect(await faultOf({ body }, { timeout: 0.05 })).toMatchObject({ code: 'PTX6021' });
  });

  test('is stopped even if no instruction in its loop is counted', async () => {
    const body = 'setp.eq.u32 %p1, 0, 0;\nagain:\n@!%p1 add.u32 %r1, %r1, 1;\n@%p1 bra again;';
    expect(await faultOf({ body }, { budget: 500 })).toMatchObject({ code: 'PTX6020' });
  });
});

test('a buffer can be freed only once', async () => {
  const device = await Device.create({ simd: true });
  const buffer = device.alloc(4);
  buffer.free();
  expect(() => buffer.free()).toThrow('buffer 0 was freed');
});

test('a device can run another launch after a fault', async () => {
  const device = await Device.create({ simd: true });
  const module = device.load(moduleOf({ body: `${address}\nst.global.u32 [%rd1], 7;` }));
  const buffer = device.alloc(4);
  expect(await module.kernel('k').launch({ args: [0n] })).toMatchObject({ ok: false });
  expect(await module.kernel('k').launch({ args: [buffer] })).toMatchObject({ ok: true });
  expect(buffer.read()).toEqual(Uint8Array.of(7, 0, 0, 0));
});
