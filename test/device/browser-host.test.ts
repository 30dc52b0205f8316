/** Tests launches and conversions on Web Workers, which are simulated by Node threads with the same interface. */
import { Worker as Thread } from 'node:worker_threads';
import { beforeAll, expect, test, vi } from 'vitest';
import { convert, convertAsync } from '../../src/arrays.ts';
import { built } from '../cli/ptxlab.ts';
import { filled } from '../filled.ts';
import { faultOf, output } from './run.ts';

const scope = `
const { parentPort, workerData } = require('node:worker_threads');
globalThis.self = {
  postMessage: (data) => parentPort.postMessage(data),
  addEventListener: (kind, then) => parentPort.on(kind, (data) => then({ data })),
};
import(workerData);`;

let started = 0;

class FakeWorker extends EventTarget {
  private readonly thread: Thread;

  constructor(url: URL) {
    super();
    started++;
    this.thread = new Thread(scope, { eval: true, workerData: url.href });
    this.thread.on('message', (data: unknown) => this.dispatchEvent(new MessageEvent('message', { data })));
    this.thread.unref();
  }

  postMessage(data: unknown): void {
    this.thread.postMessage(data);
  }
}

const hostFile = new URL('../../dist/hosts/browser.js', import.meta.url).href;
vi.mock('#host', () => import(hostFile) as Promise<object>);
vi.stubGlobal('Worker', FakeWorker);
vi.stubGlobal('navigator', { hardwareConcurrency: 2 });

beforeAll(built, 120_000);

const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1;`;

test('browser workers run shares one after the other, and report faults', async () => {
  for (let i = 0; i < 3; i++) {
    expect(await output({ body }, 16, { grid: 4, workers: 2 })).toEqual([0, 1, 2, 3]);
    const fault = await faultOf({ body }, { grid: 20, workers: 2 });
    expect(fault).toMatchObject({ code: 'PTX6001', block: [16, 0, 0] });
  }
  expect(started).toBe(2);
});

test('browser workers convert arrays', async () => {
  const source = filled(new Float32Array(new SharedArrayBuffer(4 * 2 ** 21)), (i) => i % 449);
  const shared = new Float32Array(new SharedArrayBuffer(source.byteLength));
  shared.set(source);
  const out = new Uint8Array(new SharedArrayBuffer(source.length));
  await convertAsync(shared, { to: 'e4m3', out });
  expect(Buffer.from(out).equals(convert(source, { to: 'e4m3' }))).toBe(true);
  expect(started).toBe(2);
});

test('browser workers survive a failure and report it as an error', async () => {
  const { host } = (await import(hostFile)) as typeof import('../../src/jit/launch/worker-host.ts');
  await expect(host.run({} as never)).rejects.toThrow(/undefined/);
  expect(await output({ body }, 16, { grid: 4, workers: 2 })).toEqual([0, 1, 2, 3]);
  expect(started).toBe(2);
});
