/**
 * Measures three things about the server: its memory use over many launches, and the speed of small requests and of
 * large buffers. Runs the built program.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { Row } from './run-kernels.ts';

const program = fileURLToPath(new URL('../../dist/bin/ptxlab.js', import.meta.url));

const source = (i: number): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, ${i};
  st.global.u32 [%rd1], %r1;
  ret;
}
`;

type Ask = <T>(method: string, params?: object) => Promise<T>;

export async function serveRows(): Promise<readonly Row[]> {
  return [
    await withServer((ask, pid) => memoryRow('RSS over launches of one module', 1, ask, pid)),
    await withServer((ask, pid) => memoryRow('RSS over launches of 1,000 modules', 1000, ask, pid)),
    await withServer(requestsRow),
    ...(await withServer(bufferRows)),
  ];
}

async function withServer<T>(measure: (ask: Ask, pid: number) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [program, 'serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  try {
    return await measure((method, params = {}) => connection.sendRequest(method, params), child.pid ?? 0);
  } finally {
    connection.dispose();
    child.stdin.end();
  }
}

/** Resident memory of a process in bytes, on Linux. */
function rss(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/**
 * Measures the memory of the server over many launches. For each launch, a module is loaded and three buffers are
 * allocated. After the launch, the module and the buffers are freed.
 */
async function memoryRow(what: string, modules: number, ask: Ask, pid: number): Promise<Row> {
  const { device } = await ask<{ device: number }>('device/create', {});
  const sizes: number[] = [];
  for (let i = 1; i <= 10_000; i++) {
    const { module } = await ask<{ module: number }>('module/load', { device, source: source(i % modules) });
    const buffers: number[] = [];
    for (let j = 0; j < 3; j++) {
      buffers.push((await ask<{ buffer: number }>('buffer/alloc', { device, bytes: 4096 })).buffer);
    }
    await ask('launch', { device, module, args: [{ buffer: buffers[0] }] });
    for (const buffer of buffers) await ask('buffer/free', { device, buffer });
    await ask('module/unload', { device, module });
    if (i === 1000 || i === 10_000) sizes.push(rss(pid) / 2 ** 20);
  }
  const [early = 0, late = 0] = sizes;
  const figure = `${(late / early).toFixed(3)} x (${early.toFixed(0)} to ${late.toFixed(0)} MiB)`;
  return { what, figure, beside: 'after 10,000 by after 1,000; at most 1.05' };
}

async function requestsRow(ask: Ask): Promise<Row> {
  const params = { inst: 'cvt.rn.satfinite.e4m3x2.f32', rows: [['3fa66666', 'c3fa0000']] };
  const depth = 32;
  const times: number[] = [];
  const one = async (): Promise<void> => {
    const begun = performance.now();
    await ask('evaluate', params);
    times.push(performance.now() - begun);
  };
  const lane = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await one();
  };
  await lane(2000);
  times.length = 0;
  const begun = performance.now();
  await Promise.all(Array.from({ length: depth }, () => lane(1000)));
  const seconds = (performance.now() - begun) / 1000;
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  const figure = `${Math.round(times.length / seconds)} per second, p99 ${p99.toFixed(1)} ms`;
  return { what: `small requests, ${depth} at a time`, figure, beside: 'at least 5,000; p99 at most 10 ms' };
}

async function bufferRows(ask: Ask): Promise<readonly Row[]> {
  const { folder } = await ask<{ folder: string }>('version');
  const { device } = await ask<{ device: number }>('device/create', {});
  const bytes = 2 ** 26;
  writeFileSync(join(folder, 'data'), new Uint8Array(bytes).fill(7));
  const { buffer } = await ask<{ buffer: number }>('buffer/alloc', { device, bytes });
  const ways: readonly (readonly [what: string, method: string, params: object])[] = [
    ['64 MiB into a buffer', 'buffer/write', { device, buffer, data: { file: 'data' } }],
    ['64 MiB out of a buffer', 'buffer/read', { device, buffer, into: { file: 'data' } }],
  ];
  const rows: Row[] = [];
  for (const [what, method, params] of ways) {
    const rates: number[] = [];
    for (let i = 0; i < 9; i++) {
      const begun = performance.now();
      await ask(method, params);
      rates.push(bytes / (performance.now() - begun) / 1e6);
    }
    const middle = rates.toSorted((a, b) => a - b)[4] ?? 0;
    rows.push({ what, figure: `${middle.toFixed(2)} GB/s`, beside: 'at least 1 GB/s' });
  }
  return rows;
}
