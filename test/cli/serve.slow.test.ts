/** Tests the server by sending it requests over streams in this process. One test runs it in a separate process. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { defaultLimits, type Limits } from '../../src/cli/serve/limits.ts';
import { serve } from '../../src/cli/serve/server.ts';
import { moduleOf, start } from './ptxlab.ts';

interface Client {
  readonly ask: (method: string, params?: object) => Promise<Record<string, unknown>>;
  readonly connection: MessageConnection;
  /** Closes the server's input, and resolves when the server has ended. */
  readonly end: () => Promise<void>;
}

const open = new Set<Client>();

afterEach(async () => {
  for (const client of open) await client.end();
  open.clear();
});

function connected(limits: Partial<Limits> = {}): Client {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve({ input, output }, { ...defaultLimits, ...limits }, '1.2.3', new AbortController().signal);
  const connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
  connection.listen();
  const client: Client = {
    connection,
    ask: (method, params = {}) => connection.sendRequest(method, params),
    end: async () => {
      connection.dispose();
      input.end();
      await served;
    },
  };
  open.add(client);
  return client;
}

const doubling = moduleOf(`
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, %r2;
  st.global.u32 [%rd2], %r2;`).replace('k()', 'k(.param .u64 p)');

const endless = moduleOf('.reg .pred %p; L: setp.eq.u32 %p, 1, 1; @%p bra L;');

it('reports its version, folder and limits', async () => {
  const { ask } = connected();
  const { version, limits, folder } = await ask('version');
  expect(version).toBe('1.2.3');
  expect(limits).toEqual(defaultLimits);
  expect(existsSync(String(folder))).toBe(true);
});

it('checks, explains and evaluates as the commands do', async () => {
  const { ask } = connected();
  expect(await ask('check', { source: moduleOf('add.u32 %r1, %r1;') })).toMatchObject({ ok: false });
  expect(await ask('explain', { text: 'add.s32' })).toMatchObject({ explanation: { kind: 'instruction' } });
  const rows = [['3fa66666', 'c3fa0000']];
  expect(await ask('evaluate', { inst: 'cvt.rn.satfinite.e4m3x2.f32', rows })).toMatchObject({ out: ['3afe'] });
});

it('runs a kernel on a buffer', async () => {
  const { ask } = connected();
  const { device } = await ask('device/create', { gpu: 'sm_90' });
  const { module, kernels } = await ask('module/load', { device, source: doubling });
  expect(kernels).toEqual(['k']);
  const base64 = Buffer.from(Uint32Array.of(1, 2, 3).buffer).toString('base64');
  const { buffer } = await ask('buffer/alloc', { device, data: { base64 } });
  const launched = await ask('launch', { device, module, kernel: 'k', block: 3, args: [{ buffer }] });
  expect(launched).toMatchObject({ ok: true });
  const read = await ask('buffer/read', { device, buffer });
  expect(read['base64']).toBe(Buffer.from(Uint32Array.of(2, 4, 6).buffer).toString('base64'));
});

it('allocates, reads and frees several buffers at once', async () => {
  const { ask } = connected({ message: 4096 });
  const { device } = await ask('device/create', { memory: 2 ** 20 });
  const alloc = (...buffers: object[]) => ask('buffer/alloc', { device, buffers });
  const made = await alloc({ data: { base64: 'BQYH' } }, { bytes: 4000 });
  expect(made).toMatchObject({ buffers: [{ bytes: 3 }, { bytes: 4000 }] });
  const [small, large] = made['buffers'] as readonly { readonly buffer: number }[];
  const reads = [
    { buffer: small?.buffer, at: 1 },
    { buffer: large?.buffer, into: { file: 'x' } },
    { buffer: small?.buffer, bytes: 1 },
  ];
  expect(await ask('buffer/read', { device, reads })).toEqual({
    reads: [
      { bytes: 2, base64: 'Bgc=' },
      { bytes: 4000, file: 'x' },
      { bytes: 1, base64: 'BQ==' },
    ],
  });
  const halves = [0, 2000].map((at) => ({ buffer: large?.buffer, at, bytes: 2000 }));
  await expect(ask('buffer/read', { device, reads: halves })).rejects.toMatchObject({ code: -32004 });
  // Nothing is allocated if the last buffer does not fit.
  for (let i = 0; i < 40; i++) await expect(alloc({ bytes: 2 ** 19 }, { bytes: 2 ** 20 })).rejects.toBeDefined();
  await ask('buffer/free', { device, buffers: [small?.buffer, large?.buffer] });
  await expect(ask('buffer/free', { device, buffers: [small?.buffer] })).rejects.toMatchObject({ code: -32003 });
  expect(await alloc({ bytes: 2 ** 19 })).toMatchObject({ buffers: [{ bytes: 2 ** 19 }] });
});

it('finds data races', async () => {
  const { ask } = connected();
  const { device } = await ask('device/create', {});
  const source = doubling.replace('st.global', 'st.global.u32 [%rd1], %r1; st.global');
  const { module } = await ask('module/load', { device, source });
  const { buffer } = await ask('buffer/alloc', { device, bytes: 12 });
  const launch = { device, module, block: 3, args: [{ buffer }] };
  expect(await ask('launch', launch)).toMatchObject({ ok: true, races: [] });
  expect(await ask('launch', { ...launch, races: 'strict' })).toMatchObject({ ok: true, races: [{ code: 'PTX6038' }] });
});

it.each([
  ['not JSON', '{"id": 1, "params": NaN}', null, -32700],
  ['a list', '[{"jsonrpc":"2.0","id":1,"method":"version"}]', null, -32600],
  ['a request without a method', '{"jsonrpc":"2.0","id":7}', 7, -32600],
  ['a number', '7', null, -32600],
  ['null', 'null', null, -32600],
])('answers a message that is %s with an error, and goes on', async (_, message, id, code) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve({ input, output }, defaultLimits, '1.2.3', new AbortController().signal);
  const send = (body: string): boolean => input.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  send(message);
  send('{"jsonrpc":"2.0","id":2,"method":"version"}');
  let text = '';
  for await (const chunk of output) {
    text += String(chunk);
    if (text.includes('"version":"1.2.3"')) break;
  }
  expect(text).toContain(`"id":${id},"error":{"code":${code},`);
  input.end();
  await served;
});

it('makes textures and surfaces for a launch, and frees them', async () => {
  const { ask } = connected();
  // The description of a texture takes 144 bytes, so the memory cannot hold the descriptions for all launches at once.
  const { device } = await ask('device/create', { memory: 4096 });
  const source = `.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 image, .param .u64 out) {
    .reg .b64 %image, %out; .reg .b32 %r, %d<4>;
    ld.param.u64 %image, [image]; ld.param.u64 %out, [out]; mov.u32 %r, %tid.x;
    tex.1d.v4.u32.s32 {%d0, %d1, %d2, %d3}, [%image, {%r}]; sust.b.1d.b8.trap [%out, {%r}], {%d0}; ret; }`;
  const { module } = await ask('module/load', { device, source });
  const { buffer } = await ask('buffer/alloc', { device, data: { base64: 'BQYH' } });
  const { buffer: out } = await ask('buffer/alloc', { device, bytes: 3 });
  const texels = { type: 'u8', size: [3] };
  const args = [{ texture: { buffer, ...texels } }, { surface: { buffer: out, ...texels } }];
  for (let i = 0; i < 400; i++) await ask('launch', { device, module, block: 3, args });
  expect(await ask('buffer/read', { device, buffer: out })).toMatchObject({ base64: 'BQYH' });
});

it('binds textures to variables, and frees their descriptions', async () => {
  const { ask } = connected();
  const { device } = await ask('device/create', { memory: 4096 });
  const source = `.version 8.0\n.target sm_90\n.address_size 64\n.global .texref image; .global .surfref canvas;
    .visible .entry k() { .reg .b32 %r, %d<4>; mov.u32 %r, %tid.x;
    tex.1d.v4.u32.s32 {%d0, %d1, %d2, %d3}, [image, {%r}]; sust.b.1d.b8.trap [canvas, {%r}], {%d0}; ret; }`;
  const { module } = await ask('module/load', { device, source });
  const { buffer } = await ask('buffer/alloc', { device, data: { base64: 'BQYH' } });
  const { buffer: out } = await ask('buffer/alloc', { device, bytes: 3 });
  const texels = { type: 'u8', size: [3] };
  const bind = { image: { texture: { buffer, ...texels } }, canvas: { surface: { buffer: out, ...texels } } };
  for (let i = 0; i < 100; i++) await ask('launch', { device, module, block: 3, bind });
  expect(await ask('buffer/read', { device, buffer: out })).toMatchObject({ base64: 'BQYH' });
  await expect(ask('launch', { device, module, bind: { image: {} } })).rejects.toThrow('bind.image');
});

it('answers pipelined requests to a device in their order', async () => {
  const { ask } = connected();
  const { device } = await ask('device/create');
  const { module } = await ask('module/load', { device, source: doubling });
  const { buffer } = await ask('buffer/alloc', { device, data: { base64: 'AQAAAA==' } });
  const launches = Array.from({ length: 10 }, () => ask('launch', { device, module, args: [{ buffer }] }));
  expect(await ask('buffer/read', { device, buffer })).toMatchObject({ base64: 'AAQAAA==' });
  await Promise.all(launches);
});

it('exchanges bytes through files of its folder', async () => {
  const { ask } = connected();
  const folder = String((await ask('version'))['folder']);
  const { device } = await ask('device/create');
  const bytes = new Uint8Array(3 * 2 ** 20 + 1).map((_, i) => i * 7);
  writeFileSync(join(folder, 'in'), bytes);
  const { buffer } = await ask('buffer/alloc', { device, data: { file: 'in' } });
  await ask('buffer/read', { device, buffer, at: 1, into: { file: 'out' } });
  expect(Buffer.compare(readFileSync(join(folder, 'out')), bytes.subarray(1))).toBe(0);
  await ask('convert', { data: { file: 'in', bytes: 8 }, from: 'f32', to: 'f16', into: { file: 'halves' } });
  expect(readFileSync(join(folder, 'halves'))).toHaveLength(4);
});

it('quantizes, and reads the result back', async () => {
  const { ask } = connected();
  const base64 = Buffer.from(Float32Array.from({ length: 64 }, (_, i) => i).buffer).toString('base64');
  const made = await ask('quantize', { data: { base64 }, to: 'mxfp8', shape: [2, 32] });
  expect(made).toMatchObject({ scheme: 'mxfp8_e4m3', scaleShape: [2, 1], codes: { bytes: 64 }, scales: { bytes: 2 } });
  const { scheme, packing, codes, scales } = made;
  const back = await ask('dequantize', {
    scheme,
    packing,
    shape: [2, 32],
    codes: onlyData(codes),
    scales: onlyData(scales),
  });
  expect(back['bytes']).toBe(256);
});

function onlyData(answer: unknown): object {
  const text = JSON.stringify(answer, ['base64']);
  return JSON.parse(text) as object;
}

it.each([
  ['../secret', 'is not the name'],
  ['/etc/passwd', 'is not the name'],
  ['.hidden', 'is not the name'],
  ['missing', 'ENOENT'],
  ['link', 'ELOOP'],
  ['folder', 'is not a regular file'],
])('refuses the file %s', async (file, why) => {
  const { ask } = connected();
  const folder = String((await ask('version'))['folder']);
  symlinkSync('/etc/hostname', join(folder, 'link'));
  mkdirSync(join(folder, 'folder'));
  const asked = ask('convert', { data: { file }, from: 'f32', to: 'f16' });
  await expect(asked).rejects.toMatchObject({ code: -32005, message: expect.stringContaining(why) });
});

it.each([
  ['check', {}, -32602, 'bad-params'],
  ['check', { source: 1 }, -32602, 'bad-params'],
  ['check', { source: '', sorce: '' }, -32602, 'bad-params'],
  ['check', { source: '', target: 'sm_1' }, -32000, 'unknown-target'],
  ['evaluate', { inst: 'add.u33', rows: [['1', '2']] }, -32000, 'PTX2010'],
  ['module/load', { device: 7, source: '' }, -32003, 'unknown-handle'],
  ['device/create', { memory: 2 ** 32 }, -32004, 'limit-exceeded'],
])('%s of %o is an error %d, %s', async (method, params, code, own) => {
  const { ask } = connected();
  await expect(ask(method, params)).rejects.toMatchObject({ code, data: { code: own } });
});

it.each(['AQID\nBA==', 'AQIDBA==garbage', '!!!!', 'AQI=AQI=', 'AQIDBA'])('refuses %j as base64', async (base64) => {
  const asked = connected().ask('convert', { data: { base64 }, from: 'u8', to: 's8' });
  await expect(asked).rejects.toMatchObject({ code: -32602, data: { code: 'bad-params' } });
});

it('returns the findings of a module that it refuses', async () => {
  const { ask } = connected();
  const { device } = await ask('device/create');
  const asked = ask('module/load', { device, source: moduleOf('add.u32 %r1, %r1;') });
  await expect(asked).rejects.toMatchObject({
    code: -32001,
    data: { code: 'refused-module', diagnostics: expect.any(Array) },
  });
});

it('refuses an unknown method', async () => {
  await expect(connected().ask('nothing')).rejects.toMatchObject({ code: -32601 });
});

it('stops a launch after the time limit', async () => {
  const { ask } = connected({ timeout: 0.1 });
  const { device } = await ask('device/create');
  const { module } = await ask('module/load', { device, source: endless });
  const result = await ask('launch', { device, module, timeout: 100 });
  expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6021' } });
});

it('stops a cancelled launch, and answers other requests in the meantime', async () => {
  const { ask, connection } = connected();
  const { device } = await ask('device/create');
  const { module } = await ask('module/load', { device, source: endless });
  const { CancellationTokenSource } = await import('vscode-jsonrpc/node');
  const source = new CancellationTokenSource();
  const params = { device, module, engine: 'interp' };
  const launched = connection.sendRequest('launch', params, source.token);
  const refused = expect(launched).rejects.toMatchObject({ code: -32800 });
  expect(await ask('explain', { text: 'add.s32' })).toHaveProperty('text');
  source.cancel();
  await refused;
});

it('limits devices, modules and files', async () => {
  const { ask } = connected({ devices: 1, modules: 1, file: 10 });
  const { device } = await ask('device/create');
  await expect(ask('device/create')).rejects.toMatchObject({ code: -32004 });
  const { module } = await ask('module/load', { device, source: doubling });
  await expect(ask('module/load', { device, source: doubling })).rejects.toMatchObject({ code: -32004 });
  await ask('module/unload', { device, module });
  await ask('module/load', { device, source: doubling });
  const { buffer } = await ask('buffer/alloc', { device, bytes: 100 });
  await expect(ask('buffer/read', { device, buffer, into: { file: 'x' } })).rejects.toMatchObject({ code: -32004 });
});

it('ends at a message that is too long', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const limits = { ...defaultLimits, message: 1000 };
  const served = serve({ input, output }, limits, '1.2.3', new AbortController().signal);
  input.write(`Content-Length: 100000\r\n\r\n${'x'.repeat(2000)}`);
  await expect(served).resolves.toBe('a message is longer than the limit of 1000 bytes');
});

it('ends at a message whose length is not known', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve({ input, output }, defaultLimits, '1.2.3', new AbortController().signal);
  input.write('Length: 100\r\n\r\n{}');
  await expect(served).resolves.toBe('Header must provide a Content-Length property.');
});

it('removes its folder when its input ends, and those of servers that crashed', async () => {
  const child = await start(['serve']);
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const { folder } = await connection.sendRequest<{ folder: string }>('version', {});
  expect(existsSync(folder)).toBe(true);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  connection.dispose();
  expect(existsSync(folder)).toBe(true);
  const next = connected();
  const own = String((await next.ask('version'))['folder']);
  expect(dirname(own)).toBe(dirname(folder));
  expect(existsSync(folder)).toBe(false);
  await next.end();
  open.delete(next);
  expect(existsSync(own)).toBe(false);
});

it('ends with its input', async () => {
  const child = await start(['serve']);
  child.stdin.end();
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});

it('exits within a message that is too long, although its input stays open', async () => {
  const child = await start(['serve', '--message-limit', '1000']);
  child.stdin.write(`Content-Length: 100000\r\n\r\n${'x'.repeat(2000)}`);
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(2);
});
