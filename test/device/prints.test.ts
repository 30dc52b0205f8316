/**
 * Tests that the output of printf is passed on as soon as it is printed, that it is also stored up to a limit, and that
 * it is not lost if the launch fails.
 */
import { describe, expect, test } from 'vitest';
import { Device, type Kernel, type LaunchOptions, type LaunchResult } from '../../src/device.ts';
import { moduleOf, ways } from './run.ts';

const module = '.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);';

const asBytes = (text: string): string => [...Buffer.from(`${text}\0`)].join(', ');

/** A kernel that calls printf `count` times with the given format, and with 7 as the argument. */
async function printing(format: string, count: number): Promise<Kernel> {
  const source = moduleOf({
    module: `${module} .global .align 1 .b8 format[] = {${asBytes(format)}};`,
    parameters: '',
    body: `.local .align 8 .b8 list[8]; st.local.u64 [list], 7; cvta.local.u64 %rd2, list; mov.u64 %rd1, format;
mov.u32 %r1, 0;
again: call (%r2), vprintf, (%rd1, %rd2); add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, ${count}; @%p1 bra again;`,
  });
  return (await Device.create()).load(source).kernel('k');
}

async function printed(format: string, count: number, options: LaunchOptions): Promise<LaunchResult> {
  return (await printing(format, count)).launch(options);
}

describe.each(Object.entries(ways))('on %s', (_, way) => {
  test('is passed on call by call', async () => {
    const texts: string[] = [];
    const result = await printed('%d é\n', 3, { ...way, onPrint: (text) => texts.push(text) });
    expect(texts).toEqual(['7 é\n', '7 é\n', '7 é\n']);
    expect(result).toMatchObject({ ok: true, printed: texts.join(''), printsDropped: 0 });
  });

  test('beyond the limit is dropped and counted; the output of a call is never truncated', async () => {
    const texts: string[] = [];
    const result = await printed('%04d\n', 10, { ...way, printLimit: 17, onPrint: (text) => texts.push(text) });
    expect(texts).toEqual(['0007\n', '0007\n', '0007\n']);
    expect(result).toMatchObject({ ok: true, printed: '0007\n0007\n0007\n', printsDropped: 7 });
  });

  test('cannot exceed the limit with a single call, however wide', async () => {
    const result = await printed('%65536d%65536d', 1, { ...way, printLimit: 2 ** 16 });
    expect(result).toMatchObject({ ok: true, printed: '', printsDropped: 1 });
  });

  test('of a kernel that never ends is kept when its time limit is reached', async () => {
    const kernel = await printing('%d\n', 2 ** 31);
    // This launch only compiles the kernel, so that the time limit of the next launch is reached in the loop and not
    // during compilation.
    await kernel.launch({ ...way, budget: 1 });
    const result = await kernel.launch({ ...way, timeout: 0.3, printLimit: 100 });
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6021' }, printed: '7\n'.repeat(50) });
  });

  test('of an unterminated string is bounded', async () => {
    const endless = moduleOf({
      module: `${module} .global .align 1 .b8 format[3] = {37, 115, 0};`,
      body: `.local .align 8 .b8 list[8]; ld.param.u64 %rd3, [out]; st.local.u64 [list], %rd3;
cvta.local.u64 %rd2, list; mov.u64 %rd1, format; call (%r2), vprintf, (%rd1, %rd2);`,
    });
    const device = await Device.create();
    const text = device.alloc(new Uint8Array(2 ** 20).fill(65));
    const result = await device
      .load(endless)
      .kernel('k')
      .launch({ ...way, args: [text], printLimit: 1000 });
    expect(result).toMatchObject({ ok: true, printed: '', printsDropped: 1 });
  });
});
