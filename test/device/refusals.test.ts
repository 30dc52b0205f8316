/** Tests what happens if the platform cannot load the script of a worker, or refuses to provide memory. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { convert, convertAsync } from '../../src/arrays.ts';
import { Device } from '../../src/device.ts';
import { filled } from '../filled.ts';
import { output } from './run.ts';

// The folder with the sources contains no worker scripts.
vi.mock('#host', () => import('../../src/hosts/node.ts'));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1;`;

describe('a worker script that does not load: one thread does the work, with a warning', () => {
  const why = expect.stringMatching(
    /^worker threads did not start, so launches run on one thread: there is no file .*share\.js$/,
  );

  test('for a launch', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    expect(await output({ body }, 16, { grid: 4, workers: 2 })).toEqual([0, 1, 2, 3]);
    expect(warn).toHaveBeenCalledExactlyOnceWith(why);
  });

  test('for an array', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const source = filled(new Float32Array(1000), (i) => i % 449);
    expect(await convertAsync(source, { to: 'e4m3', workers: 2 })).toEqual(convert(source, { to: 'e4m3' }));
    expect(warn).toHaveBeenCalledExactlyOnceWith(why);
  });

  test('in a browser', async () => {
    class Missing extends EventTarget {
      constructor() {
        super();
        queueMicrotask(() => this.dispatchEvent(Object.assign(new Event('error'), { message: '' })));
      }
    }
    const report = vi.fn<(error: Error) => void>();
    vi.stubGlobal('Worker', Missing);
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    vi.stubGlobal('reportError', report);
    const { host } = await import('../../src/hosts/browser.ts');
    expect(await (await host.start(2)).running).toBe(false);
    expect(report).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: 'workers did not start, so launches run on one thread' }),
    );
  });
});

test.each([
  ['RangeError', new RangeError('could not allocate memory')],
  [
    'TypeError, for more memory than the JavaScript engine supports',
    new TypeError('maximum memory size exceeds the limit'),
  ],
])('memory that the host refuses is a typed error: %s', async (_, refusal) => {
  vi.spyOn(WebAssembly, 'Memory').mockImplementation(function refuse() {
    throw refusal;
  });
  await expect(Device.create({ memory: 2 ** 20 })).rejects.toMatchObject({
    name: 'PtxlabError',
    code: 'out-of-memory',
    message: `the host has no room for a device of this size: ${refusal.message}`,
    cause: refusal,
  });
});
