import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type NpyArray, readNpy, writeNpy } from '../../src/tensors/npy/npy.ts';
import { built, ptxlab, put, root, scratch, spawned, start } from './ptxlab.ts';

const folder = scratch();
afterAll(() => rmSync(folder, { recursive: true }));

const vecadd = join(root, 'examples/kernels/bench_vecadd.ptx');

function kernel(body: string, parameters = '.param .u64 out'): string {
  return `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(${parameters})\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n${body}\nret;\n}\n`;
}

const increment = kernel(
  'ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;',
);

const threeBuffers = ['--arg', 'zeros:4', '--arg', 'zeros:4', '--arg', 'zeros:4'];

function floats(...values: readonly number[]): NpyArray {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return { type: 'f4', shape: [values.length], bytes };
}

const hexOf = (array: NpyArray): string => Buffer.from(array.bytes).toString('hex');

describe('a .version that is too low', () => {
  const packed = kernel('cvt.rn.satfinite.e4m3x2.f32 %h1, 0f3f800000, 0f40000000;')
    .replace('.reg .b32', '.reg .b16 %h<2>; .reg .b32')
    .replace('sm_80', 'sm_89');
  const needed = 'needs .version 8.1 or later; this module is 8.0';

  test('is a warning on stderr', async () => {
    const file = put(folder, 'low.ptx', packed);
    const { code, stderr } = await ptxlab(['run', file, '--arg', 'zeros:4', '--quiet']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(needed)]);
    expect(stderr).toMatch(/^ptxlab: warning: .* It ran under the rules of 8\.1\.\n$/);
  });

  test("is in a job's answer, and an error if the job names an isa", async () => {
    const request = { source: packed, args: [{ buffer: { zeros: 4 } }] };
    const raised = await job(request);
    const named = await job({ ...request, isa: '8.0' });
    expect(raised.answer).toMatchObject({
      ok: true,
      version: '8.1',
      warnings: [{ code: 'PTX4001', severity: 'warning' }],
    });
    expect(named.answer).toMatchObject({ ok: false, diagnostics: [{ code: 'PTX4001' }] });
  });
});

describe('a pointer to shared memory', () => {
  const source = `.version 7.5 .target sm_75 .address_size 64
    .entry k(.param .u64 out, .param .u64 .ptr .shared s) {
      .reg .b32 %r<2>; .reg .b64 %rd<3>;
      ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [s];
      st.shared.u32 [%rd2+60], 7; ld.shared.u32 %r1, [%rd2+60]; st.global.u32 [%rd1], %r1; ret;
    }`;

  test('gets a part of it from --arg and from a job', async () => {
    const file = put(folder, 'pointer.ptx', source);
    const { code, stdout } = await ptxlab(['run', file, '--arg', 'zeros:u32[1]', '--arg', 'shared:64']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('7')]);
    const { answer } = await job({ source, args: [{ buffer: { zeros: 4 } }, { shared: 64 }] });
    expect(answer).toMatchObject({ ok: true, args: [{ hex: '07000000' }, null] });
  });

  test('needs a number of bytes', async () => {
    const file = put(folder, 'pointer.ptx', source);
    const { code, stderr } = await ptxlab(['run', file, '--arg', 'zeros:u32[1]', '--arg', 'shared:x']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("'shared:x' needs a number of bytes")]);
  });
});

describe('run with flags', () => {
  test('reads and writes .npy files, prints what changed, counts on stderr', async () => {
    const a = put(folder, 'a.npy', writeNpy(floats(1, 2.5, -3)));
    const out = join(folder, 'c.npy');
    const args = ['run', vecadd, '--block', '3', '--arg', a, '--arg', 'f32[]:10,20,30', '--arg', 'zeros:f32[3]'];
    const shown = await ptxlab([...args, '--arg', 'u32:3']);
    expect([shown.code, shown.stdout]).toEqual([0, 'arg 2: 11 22.5 27\n']);
    expect(shown.stderr).toMatch(/^60 thread-instructions, 3 threads, [\d.]+ ms\n$/);
    const written = await ptxlab([...args, '--arg', 's32:3', '--out', `2:${out}`, '--quiet']);
    expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readNpy(new Uint8Array(readFileSync(out)))).toEqual({ ok: true, value: floats(11, 22.5, 27) });
  });

  test('takes the module from stdin and raw files in and out', async () => {
    const input = put(folder, 'in.raw', Uint8Array.of(41, 0, 0, 0));
    const out = join(folder, 'out.raw');
    const { code } = await ptxlab(['run', '-', '--arg', `file:${input}`, '--out', `0:${out}`], { input: increment });
    expect([code, [...readFileSync(out)]]).toEqual([0, [42, 0, 0, 0]]);
  });

  test.runIf(process.platform === 'linux')('a device or a pipe is read only up to the requested size', async () => {
    const file = put(folder, 'increment.ptx', increment);
    const endless = await ptxlab(['run', file, '--arg', 'file:/dev/zero']);
    expect([endless.code, endless.stderr]).toEqual([
      2,
      'ptxlab: /dev/zero: not a regular file; file[BYTES]:/dev/zero reads that many bytes from it\n',
    ]);
    expect(await ptxlab(['run', file, '--arg', 'file[4]:/dev/zero'])).toMatchObject({
      code: 0,
      stdout: 'arg 0: 01000000\n',
    });
    expect((await ptxlab(['run', file, '--arg', 'file[4]:/dev/null'])).stderr).toContain('ends after 0 of 4 bytes');
    expect((await ptxlab(['sweep', '--expect', '/dev/zero'])).stderr).toContain('larger than 256 MiB');
  });

  test('buffers larger than the device memory are refused', async () => {
    const file = put(folder, 'increment.ptx', increment);
    const large = put(folder, 'large.raw', new Uint8Array(70_000));
    for (const argument of [`file:${large}`, `file[70000]:${large}`, 'zeros:70000', 'zeros:f32[20000]']) {
      const { code, stderr } = await ptxlab(['run', file, '--memory', '4096', '--arg', argument]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('4096')]);
    }
  });

  test('output is limited, and a line says what was dropped', async () => {
    const body = `mov.u64 %rd1, text;
again: call (%r1), vprintf, (%rd1, 0); bra again;`;
    const source = kernel(body, '').replace(
      '.visible',
      '.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 text[4] = {104, 105, 10, 0};\n.visible',
    );
    const file = put(folder, 'prints.ptx', source);
    const { code, stdout, stderr } = await ptxlab(['run', file, '--timeout', '0.2', '--print-limit', '10']);
    expect([code, stdout]).toEqual([1, 'hi\nhi\nhi\n']);
    expect(stderr).toMatch(/^ptxlab: warning: the output of [\d,]+ calls of printf was dropped; --print-limit is 10\n/);
    expect(stderr).toContain('PTX6021');
    const description = JSON.stringify({ source, timeout: 0.2, printLimit: 10 });
    const { stdout: answer } = await ptxlab(['run', '--job', '-'], { input: description });
    expect(JSON.parse(answer)).toMatchObject({ ok: false, printed: 'hi\nhi\nhi\n', printsDropped: expect.any(Number) });
  });

  test("the kernel's output comes first on stdout", async () => {
    const file = join(root, 'examples/kernels/calls_sm80.ptx');
    const args = ['run', file, '--entry', 'print', '--block', '2', '--arg', '0.5', '--quiet'];
    const { code, stdout } = await ptxlab(args);
    const line = (thread: number, x: string, letter: string): string =>
      `block 0 thread  ${thread}:    ${x} text ${letter} -5000000000 (nil)%\n`;
    expect([code, stdout]).toEqual([0, line(0, '0.500', 'a') + line(1, '1.000', 'b')]);
    const { answer } = await job({ ptx: file, entry: 'print', args: [{ f32: 0.5 }] });
    expect(answer).toMatchObject({ ok: true, args: [null], printed: line(0, '0.500', 'a') });
  });

  test('a fault exits with 1 and says where it happened', async () => {
    const body = '.loc 1 12 5\nld.param.u64 %rd1, [out];\nst.global.u32 [%rd1+4], 1; // too far';
    const file = put(folder, 'fault.ptx', `${kernel(body)}.file 1 "saxpy.cu"\n`);
    const { code, stdout, stderr } = await ptxlab(['run', file, '--arg', 'zeros:4']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('PTX6001');
    const frame = [
      `--> ${file}:9:1`,
      '  |',
      '9 | st.global.u32 [%rd1+4], 1; // too far',
      '  | ^^^^^^^^^^^^^^^^^^^^^^^^^^',
      '  = kernel: k, thread (0, 0, 0) of block (0, 0, 0)',
      '  = source: saxpy.cu:12:5\n',
    ];
    expect(stderr).toContain(frame.join('\n'));
    expect(stderr).not.toContain('    at ');
  });

  test('--races shows both lines of a race, and exits with 1', async () => {
    const file = join(root, 'examples/kernels/reverse_sm75.ptx');
    const args = ['run', file, '--block', '64', '--arg', 'zeros:f32[64]', '--arg', 'zeros:f32[64]', '--arg', '64'];
    expect((await ptxlab(args)).code).toBe(0);
    const { code, stderr } = await ptxlab([...args, '--races']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('race[PTX6038]: variable _ZZ7reverseE4tile')]);
    for (const line of [
      'reverse_sm75.ptx:55:2',
      'reverse_sm75.ptx:49:2',
      'reverse.cu:9:3',
      'reverse.cu:8:3',
      '64 times',
    ])
      expect(stderr).toContain(line);
    expect(await ptxlab([...args, '--races', '--engine', 'jit'])).toMatchObject({
      code: 2,
      stderr: "ptxlab: engine 'jit' cannot find races; omit it or use 'interp'\n",
    });
  });

  test('--races shows races between the same two source lines once', async () => {
    const body = `.file 1 "a.cu"\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n.loc 1 3 1\nst.global.u32 [%rd1], %r1;
st.global.u32 [%rd1+4], %r1;\n.loc 1 4 1\nld.global.u32 %r2, [%rd1];\nld.global.u32 %r2, [%rd1+4];`;
    const file = put(folder, 'twice.ptx', kernel(body).replace('.file 1 "a.cu"\n', '').concat('.file 1 "a.cu"\n'));
    const { code, stderr } = await ptxlab(['run', file, '--block', '2', '--arg', 'zeros:8', '--races']);
    expect([code, stderr.match(/race\[PTX6038\]/g)?.length]).toEqual([1, 2]);
    expect(stderr).toContain('between 1 other pair of PTX lines from the same source lines');
    expect(stderr).toContain('found 4 data races');
  });

  test('--strict-races also shows stores of the same value', async () => {
    const same = kernel('ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], 1;');
    const file = put(folder, 'same.ptx', same);
    const args = ['run', file, '--block', '2', '--arg', 'zeros:4'];
    expect(await ptxlab([...args, '--races'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('found no data races\n') as string,
    });
    expect((await ptxlab([...args, '--strict-races'])).code).toBe(1);
  });

  test('--memory sets the size of the device memory', async () => {
    const file = put(folder, 'memory.ptx', increment);
    const args = ['run', file, '--arg', 'zeros:8192', '--quiet'];
    expect(await ptxlab([...args, '--memory', '8192'])).toMatchObject({ code: 0 });
    const { code, stderr } = await ptxlab([...args, '--memory', '4096']);
    expect([code, stderr]).toEqual([2, 'ptxlab: a buffer of 8192 bytes does not fit; the device has only 4096 left\n']);
  });

  test('traces a thread on stderr', async () => {
    const body = 'mov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %r2, %r1;\nadd.f32 %r2, %r2, 0f3F000000;';
    const file = put(folder, 'trace.ptx', kernel(body, ''));
    const run = ['run', file, '--block', '4', '--quiet'];
    const { code, stdout, stderr } = await ptxlab([...run, '--trace-thread', '3', '--trace-lines', '8..9']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr.split('\n')).toEqual([
      '0,0,0 3,0,0 8: cvt.rn.f32.u32 %r2, %r1;                   %r1=0x00000003 (3) -> %r2=0x40400000 (3)',
      '0,0,0 3,0,0 9: add.f32 %r2, %r2, 0f3F000000;              %r2=0x40400000 (3) -> %r2=0x40600000 (3.5)',
      '',
    ]);
    expect((await ptxlab([...run, '--trace'])).stderr.split('\n')).toHaveLength(5);
    expect(await ptxlab([...run, '--trace', '--engine', 'jit'])).toMatchObject({ code: 2 });
    expect(await ptxlab([...run, '--trace-lines', '9..8'])).toMatchObject({ code: 2 });
    expect(await ptxlab([...run, '--trace-thread', '4'])).toMatchObject({ code: 2 });
    const answered = await job({ source: kernel(body, ''), trace: { lines: [7, 7] } });
    expect(answered).toMatchObject({ code: 0, answer: { ok: true } });
  });

  test('a module with errors exits with 1 and prints the findings', async () => {
    const file = put(folder, 'wrong.ptx', kernel('add.u32 %r1, %rd1, 1;'));
    const { code, stdout, stderr } = await ptxlab(['run', file, '--arg', 'zeros:4']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('PTX3004');
  });

  const endless = kernel('again: bra again;', '');

  test('a kernel that never ends is stopped by its budget or its time limit', async () => {
    const file = put(folder, 'endless.ptx', endless);
    expect(await ptxlab(['run', file, '--budget', '1000'])).toMatchObject({ code: 1, stdout: '' });
    expect((await ptxlab(['run', file, '--timeout', '0.2'])).stderr).toContain('PTX6021');
    expect((await spawned(['run', file, '--timeout', '0.2', '--workers', '2'])).stderr).toContain('PTX6021');
  });

  test.each([[[]], [['--workers', '2']], [['--engine', 'interp']]])('Ctrl-C ends it: %j', async (flags) => {
    const file = put(folder, 'endless.ptx', endless);
    const child = await start(['run', file, ...flags]);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    setTimeout(() => child.kill('SIGINT'), 300);
    const ended = await new Promise((resolve) => child.on('close', (code, signal) => resolve([code, signal])));
    expect([ended, stderr]).toEqual([[null, 'SIGINT'], '']);
  });

  test('a flag or a job can spread blocks over workers', async () => {
    const source = kernel(
      'ld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r1;',
    );
    const file = put(folder, 'blocks.ptx', source);
    const shown = await spawned(['run', file, '--grid', '3', '--workers', '2', '--arg', 'zeros:12', '--quiet']);
    expect([shown.code, shown.stdout]).toEqual([0, 'arg 0: 000000000100000002000000\n']);
    await built();
    const { answer } = await job({ source, grid: [3], workers: 2, args: [{ buffer: { zeros: 12 } }] });
    expect(answer).toMatchObject({
      ok: true,
      args: [{ hex: '000000000100000002000000' }],
      stats: { instructions: 15 },
    });
  });

  test.each<readonly [string, readonly string[], string]>([
    ['no file', [], 'needs a PTX file'],
    ['a file that does not exist', ['nowhere.ptx'], 'nowhere.ptx'],
    ['an argument of an unknown kind', [vecadd, '--arg', 'what'], "'what' is not an argument"],
    ['an argument of an unknown type', [vecadd, '--arg', 'i32:5'], "'i32' is not a type; did you mean 's32'?"],
    ['zeros of an unknown type', [vecadd, '--arg', 'zeros:i32[3]'], "'i32' is not a type; did you mean 's32'?"],
    ['zeros without a size', [vecadd, '--arg', 'zeros:x'], "'zeros:x' needs a number of bytes or a type and a shape"],
    ['a scalar that does not fit', [vecadd, '--arg', 'u8:256'], '256 does not fit in u8'],
    ['a scalar that is not a number', [vecadd, '--arg', 'f32:x'], 'not a number for f32'],
    ['too few arguments', [vecadd, '--arg', 'u64:0'], 'takes 4 arguments'],
    ['a scalar of the wrong size', [vecadd, ...threeBuffers, '--arg', 'u64:1'], '8 bytes'],
    ['an odd number of hex digits', [vecadd, '--arg', 'hex:123'], 'even number of hex digits'],
    ['an output for a missing argument', [vecadd, '--arg', 'zeros:4', '--out', '1:x'], 'there is no argument 1'],
    ['an output for a scalar', [vecadd, '--arg', 'u32:4', '--out', '0:x'], 'not a buffer'],
    ['a block of words', [vecadd, '--block', 'many'], '--block'],
    ['a time of words', [vecadd, '--timeout', 'soon'], 'a number of seconds'],
    [
      'a time that is too long',
      [vecadd, ...threeBuffers, '--arg', 'u32:1', '--timeout', '99999999'],
      'from 0 to 33554432',
    ],
    ['a block too large', [vecadd, ...threeBuffers, '--arg', 'u32:1', '--block', '2000'], '1024'],
    ['a kernel that does not exist', [vecadd, '--entry', 'vecsub'], 'vecsub'],
    ['an engine that does not exist', [vecadd, '--engine', 'cuda'], 'cuda'],
    ['too many workers', [vecadd, '--workers', '65'], '0 to 64'],
  ])('%s is wrong usage', async (_, args, message) => {
    const { code, stdout, stderr } = await ptxlab(['run', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });

  test('for a module with several kernels, one must be named', async () => {
    const file = join(root, 'examples/kernels/quantize_sm89.ptx');
    const { code, stderr } = await ptxlab(['run', file]);
    expect([code, stderr.includes('quantize_s8x4')]).toEqual([2, true]);
  });
});

async function job(description: object): Promise<{ readonly code: number | null; readonly answer: unknown }> {
  const { code, stdout } = await ptxlab(['run', '--job', '-'], { input: JSON.stringify(description) });
  return { code, answer: JSON.parse(stdout) };
}

describe('run --job', () => {
  test('answers with buffers as hex, scalars as null, and statistics', async () => {
    const description = {
      ptx: vecadd,
      entry: 'vecadd',
      grid: [2, 1, 1],
      block: [2, 1, 1],
      args: [
        { buffer: { hex: hexOf(floats(1, 2, 3)) } },
        { buffer: { hex: hexOf(floats(0.5, -2, 4)) } },
        { buffer: { zeros: 12 } },
        { u32: 3 },
      ],
    };
    const { code, answer } = await job(description);
    expect(code).toBe(0);
    expect(answer).toEqual({
      ok: true,
      args: [
        { hex: hexOf(floats(1, 2, 3)) },
        { hex: hexOf(floats(0.5, -2, 4)) },
        { hex: hexOf(floats(1.5, 0, 7)) },
        null,
      ],
      stats: { threads: 4, instructions: 4 * 9 + 1 + 3 * 11, milliseconds: expect.any(Number) as number, slowTiles: 0 },
    });
  });

  test('takes scalars of every basic type, with integers and floats also as strings', async () => {
    const parameters =
      '.param .u64 out, .param .u8 a, .param .s16 b, .param .f32 c, .param .f64 d, .param .b64 e, .param .s64 f, .param .f16 g';
    const load = [
      'u8 %r1, [a]',
      's16 %r2, [b]',
      'u32 %r3, [c]',
      'u64 %rd2, [d]',
      'u64 %rd3, [e]',
      'u64 %rd4, [f]',
      'u16 %r4, [g]',
    ];
    const body = `ld.param.u64 %rd1, [out];\n${load.map((text) => `ld.param.${text};`).join('\n')}
st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v2.u64 [%rd1+16], {%rd2, %rd3}; st.global.u64 [%rd1+32], %rd4;`;
    const args = [
      { buffer: { zeros: 40 } },
      { u8: 255 },
      { s16: -2 },
      { f32: '-inf' },
      { f64: 1.5 },
      { b64: '0x8000000000000001' },
      { s64: '-9223372036854775808' },
      { bytes: '003c' },
    ];
    const { answer } = await job({ source: kernel(body, parameters), args });
    const words = [
      'ff000000',
      'feffffff',
      '000080ff',
      '003c0000',
      '000000000000f83f',
      '0100000000000080',
      '0000000000000080',
    ];
    expect(answer).toMatchObject({
      ok: true,
      args: [{ hex: words.join('') }, null, null, null, null, null, null, null],
    });
  });

  test('describes tensors in shared buffers or in buffers of other arguments', async () => {
    const source = `.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
.shared .align 128 .b8 tile[16]; .shared .align 8 .b64 object; .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
mov.b64 %rd1, map; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [out];
mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 16;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd3, {4}], [object];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra wait;
ld.shared.v4.b32 {%r0,%r1,%r2,%r3}, [tile]; st.global.v4.b32 [%rd2], {%r0,%r1,%r2,%r3}; ret; }
`;
    const box = { type: 'u32', dimensions: [7], box: [4] };
    const buffers = { a: { u32: [1, 2, 3, 4, 5, 6, 7] } };
    const named = await job({
      source,
      buffers,
      args: [{ tensorMap: { tensor: 'a', ...box } }, { buffer: { zeros: 16 } }],
    });
    const words = '05000000060000000700000000000000';
    expect(named.answer).toMatchObject({ ok: true, args: [null, { hex: words }] });
    const own = [{ tensorMap: { tensor: 1, ...box } }, { buffer: { hex: '01'.repeat(28) } }];
    const indexed = await job({ source, args: own });
    expect(indexed.answer).toMatchObject({
      ok: true,
      args: [null, { hex: '01'.repeat(12) + '00000000' + '01'.repeat(12) }],
    });
  });

  test('structures of tensor maps, addresses and numbers', async () => {
    const source = `.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 p[144]) {
.shared .align 128 .b8 tile[16]; .shared .align 8 .b64 object; .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<4>;
mov.b64 %rd1, p; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [p+128]; ld.param.u32 %r2, [p+136];
mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 16;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd3, {4}], [object];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p, [object], 0; @!%p bra wait;
ld.shared.b32 %r1, [tile+4]; add.u32 %r1, %r1, %r2; st.global.b32 [%rd2], %r1; ret; }
`;
    const buffers = { a: { u32: [1, 2, 3, 4, 5, 6, 7] }, out: { zeros: 4 } };
    const map = { at: 0, tensorMap: { tensor: 'a', type: 'u32', dimensions: [7], box: [4] } };
    const parts = [map, { at: 128, buffer: 'out' }, { at: 136, u32: 10 }];
    const made = (struct: object) => job({ source, buffers, args: [{ struct }] });
    expect((await made({ bytes: 144, parts })).answer).toMatchObject({
      ok: true,
      buffers: { out: { hex: '10000000' } },
    });
    const bytes = `${'00'.repeat(136)}2000000000000000`;
    const known = await made({ bytes, parts: parts.slice(0, 2) });
    expect(known.answer).toMatchObject({ ok: true, buffers: { out: { hex: '26000000' } } });
  });

  test('textures and surfaces of buffers', async () => {
    const source = `.version 8.0
      .target sm_90
      .address_size 64
      .visible .entry k(.param .u64 image, .param .u64 out) {
      .reg .b64 %image, %out; .reg .b32 %r, %d<4>;
      ld.param.u64 %image, [image]; ld.param.u64 %out, [out]; mov.u32 %r, %tid.x;
      tex.1d.v4.u32.s32 {%d0, %d1, %d2, %d3}, [%image, {%r}];
      sust.b.1d.b8.zero [%out, {%r}], {%d0}; ret; }`;
    const image = { texture: { texels: 'image', type: 'u8', size: [3] } };
    const out = { surface: { texels: 2, type: 'u8', size: [2] } };
    // The surface's texels are in the third argument, which is a buffer of the job.
    const args = [image, out, { buffer: 'out' }];
    const buffers = { image: { u8: [7, 8, 9] }, out: { zeros: 3 } };
    const two = source.replace('.param .u64 out)', '.param .u64 out, .param .u64 unused)');
    const { answer } = await job({ source: two, buffers, args, block: 5 });
    expect(answer).toMatchObject({ ok: true, buffers: { out: { hex: '070800' } } });
  });

  test('textures and samplers by the names of variables', async () => {
    const source = `.version 8.0
      .target sm_80, texmode_independent
      .address_size 64
      .global .texref image;
      .visible .entry k(.param .u64 out, .param .samplerref way) {
      .reg .b64 %out; .reg .f32 %x, %f<4>;
      ld.param.u64 %out, [out]; mov.f32 %x, 0f3F800000;
      tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, way, {%x}];
      st.global.f32 [%out], %f0; ret; }`;
    const image = { texture: { texels: 'texels', type: 'f32', size: [2] } };
    const given = { source, buffers: { texels: { f32: [1, 2] } } };
    const args = [{ buffer: { zeros: 4 } }, { sampler: { filter: 'linear' } }];
    const { answer } = await job({ ...given, args, bind: { image } });
    expect(answer).toMatchObject({ ok: true, args: [{ hex: '0000c03f' }, null] });
    const mistakes = [
      [{ imag: image }, "bind.imag: the module has no texture, surface or sampler 'imag'; did you mean image?"],
      [{ image: {} }, 'bind.image: must have exactly one key: texture, surface or sampler'],
    ] as const;
    for (const [bind, message] of mistakes) {
      const { stderr } = await ptxlab(['run', '--job', '-'], { input: JSON.stringify({ ...given, args, bind }) });
      expect(stderr).toContain(message);
    }
  });

  test('repeats with the same initial buffers and lists the times', async () => {
    const { answer } = await job({ source: increment, repeat: 3, args: [{ buffer: { hex: '07000000' } }] });
    expect(answer).toMatchObject({ ok: true, args: [{ hex: '08000000' }], stats: { threads: 1, instructions: 4 } });
    const { milliseconds } = (answer as { readonly stats: { readonly milliseconds: readonly number[] } }).stats;
    expect(milliseconds).toHaveLength(3);
  });

  test('paths are relative to the job file', async () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    put(inner, 'k.ptx', increment);
    put(inner, 'in.raw', Uint8Array.of(1, 0, 0, 0));
    const path = put(inner, 'job.json', JSON.stringify({ ptx: 'k.ptx', args: [{ buffer: { file: 'in.raw' } }] }));
    const { code, stdout } = await ptxlab(['run', '--job', path]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, args: [{ hex: '02000000' }] }]);
  });

  test('a fault is JSON, with exit code 1', async () => {
    const source = kernel(
      'ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 st.global.u32 [%rd1+4], 1;',
    );
    const { code, answer } = await job({ source, block: [4, 1, 1], args: [{ buffer: { zeros: 4 } }] });
    expect(code).toBe(1);
    expect(answer).toEqual({
      ok: false,
      fault: {
        code: 'PTX6001',
        message: expect.stringContaining('nearest is buffer 0') as string,
        kernel: 'k',
        block: [0, 0, 0],
        thread: [2, 0, 0],
        line: 10,
        source: null,
        space: 'global',
        address: '0x10004',
      },
    });
  });

  test('the job says what other flags would say', async () => {
    const { code, stderr } = await ptxlab(['run', '--job', '-', '--strict-races'], { input: '{}' });
    expect([code, stderr]).toEqual([
      2,
      'ptxlab: --strict-races cannot be combined with --job; the job itself says how to run\n',
    ]);
  });

  test('races are part of the answer, with exit code 1', async () => {
    const source = kernel('ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;');
    const given = { source, block: 2, races: 'report', args: [{ buffer: { zeros: 4 } }] };
    const { code, answer } = await job(given);
    const store = { access: 'store', line: 9 };
    expect([code, answer]).toMatchObject([1, { ok: true, races: [{ code: 'PTX6038', first: store, second: store }] }]);
  });

  test('a refused module gives diagnostics as JSON, with exit code 1', async () => {
    const { code, answer } = await job({ source: kernel('add.u32 %r1, %r1;'), args: [{ buffer: { zeros: 4 } }] });
    expect(code).toBe(1);
    expect(answer).toMatchObject({ ok: false, diagnostics: [{ code: 'PTX3002', severity: 'error', line: 7 }] });
  });

  test('the target of the job overrides that of the module', async () => {
    const source = kernel('bar.sync 0;', '').replace('sm_80', 'sm_100a').replace('8.0', '8.6');
    expect((await job({ source, target: 'sm_90' })).code).toBe(0);
    const narrow = source.replace(
      'bar.sync 0;',
      '.reg .b16 %h; .reg .b8 %b; .reg .f32 %f; cvt.rn.satfinite.e2m1x2.f32 %b, %f, %f;',
    );
    expect((await job({ source: narrow, target: 'sm_90' })).answer).toMatchObject({ ok: false });
  });

  test('the GPU of the job can be newer than the target', async () => {
    const args = [{ buffer: { hex: '07000000' } }];
    expect((await job({ source: increment, gpu: 'H100', args })).answer).toMatchObject({ ok: true });
  });

  test.each<readonly [string, string]>([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['neither ptx nor source', '{}'],
    ['both', JSON.stringify({ ptx: vecadd, source: increment })],
    ['an unknown key', JSON.stringify({ source: increment, blocks: 1 })],
    ['an argument of two kinds', JSON.stringify({ source: increment, args: [{ u32: 1, s32: 1 }] })],
    ['an argument that does not fit', JSON.stringify({ source: increment, args: [{ u8: 1000 }] })],
    ['a buffer of nothing', JSON.stringify({ source: increment, args: [{ buffer: {} }] })],
    ['a GPU that does not exist', JSON.stringify({ source: increment, gpu: 'H1' })],
    ['a file that does not exist', JSON.stringify({ ptx: 'nowhere.ptx' })],
  ])('%s is wrong usage', async (_, input) => {
    const { code, stdout, stderr } = await ptxlab(['run', '--job', '-'], { input });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/\w/);
    expect(stderr).not.toContain('    at ');
  });
});

describe('a mistake in a job names its path in the file', () => {
  const launch = { grid: 1, args: [{ buffer: { zeros: 4 } }] };

  test.each<readonly [object, string]>([
    [{ grid: 'x' }, "grid: must be a number or a list of one to three numbers, not 'x'"],
    [{ block: [1, 2, 3, 4] }, 'block: must be a number or a list of one to three numbers, not a list of 4'],
    [{ launches: [launch, { grid: {} }] }, 'launches[1].grid: must be a number or a list'],
    [{ launches: [launch, 5] }, 'launches[1]: must be an object, not 5'],
    [{ launches: [] }, 'launches: must have at least one launch'],
    [{ launches: [{ ...launch, sharedBytes: true }] }, 'launches[0].sharedBytes: must be a number, not true'],
    [{ launches: [{ ...launch, engine: 'gpu' }] }, "launches[0].engine: must be 'jit' or 'interp', not 'gpu'"],
    [{ launches: [{ ...launch, engine: 'jit', trace: true }] }, "launches[0].engine: engine 'jit' cannot trace"],
    [{ ...launch, trace: { thread: 'x' } }, 'trace.thread: must be a whole number'],
    [{ ...launch, trace: { lines: [7, 3] } }, 'trace: lines needs two lines'],
    [{ ...launch, trace: { from: 1 } }, "trace: has no key 'from'; it has thread, block, lines"],
    [{ timeout: -1 }, 'timeout: must be a number of seconds from 0 to'],
    [{ budget: 1.5 }, 'budget: must be a whole number from 0 to 2^53 - 1, not 1.5'],
    [{ workers: 65 }, 'workers: must be a whole number from 0 to 64, not 65'],
    [{ repeat: 0 }, 'repeat: must be a whole number from 1 to 2^31, not 0'],
    [{ read: ['a', 5] }, 'read[1]: must be a string, not 5'],
    [{ target: 'sm_1' }, "target: unknown target 'sm_1'"],
    [{ gpu: 90 }, 'gpu: must be a string, not 90'],
    [{ args: [{ u32: 1 }, 5] }, 'args[1]: must be an object, not 5'],
    [{ args: [null] }, 'args[0]: must be an object, not null'],
    [{ args: [{ u8: 1000 }] }, 'args[0].u8: 1000 does not fit in u8'],
    [{ args: [{ u32: [1] }] }, 'args[0].u32: must be a number, or a string'],
    [{ args: [{}] }, 'args[0]: must have exactly one key'],
    [{ args: [{ u32: 1, s32: 1 }] }, 'args[0]: must have exactly one key'],
    [{ args: [{ u33: 1 }] }, "args[0]: has no key 'u33'"],
    [{ args: [{ bytes: '123' }] }, 'args[0].bytes: hex needs an even number of hex digits'],
    [{ args: [{ tensorMap: { type: 'u3' } }] }, "args[0].tensorMap.type: must be 'u8', 'u16'"],
    [{ args: [{ tensorMap: { box: [0] } }] }, 'args[0].tensorMap.box[0]: must be a whole number from 1 to 256, not 0'],
    [
      { args: [{ tensorMap: { tensor: 0 } }] },
      'args[0].tensorMap.tensor: must be the name of a buffer or the index of',
    ],
    [
      { args: [{ tensorMap: { tensor: 'a' } }] },
      'args[0].tensorMap.tensor: must be the name of a buffer or the index of an argument that is a buffer; the job has no',
    ],
    [{ args: [{ struct: { bytes: 'x' } }] }, 'args[0].struct.bytes: hex needs an even number of hex digits'],
    [{ args: [{ struct: { bytes: 2 ** 16 } }] }, 'args[0].struct.bytes: must be a whole number from 0 to 2^15'],
    [{ args: [{ struct: { parts: [{ u8: 1 }] } }] }, 'args[0].struct.parts[0].at: is missing'],
    [{ args: [{ struct: { parts: [{ at: 0 }] } }] }, 'args[0].struct.parts[0]: must have exactly one key beside at'],
    [{ args: [{ struct: { parts: [{ at: 0, u8: 256 }] } }] }, 'args[0].struct.parts[0].u8: 256 does not fit in u8'],
    [{ args: [{ struct: { parts: [{ at: 0, buffer: 'a' }] } }] }, "the job has no buffer 'a'"],
    [
      { args: [{ struct: { bytes: 4, parts: [{ at: 2, u32: 1 }] } }] },
      'args[0].struct: the part at 2 ends at 6, but the structure at 4',
    ],
    [{ args: [{ texture: { filter: 'best' } }] }, "args[0].texture.filter: must be 'point' or 'linear'"],
    [
      { args: [{ surface: { texels: 'a', type: 'u8', size: [1] } }] },
      "args[0].surface.texels: must be the name of a buffer or the index of an argument that is a buffer; the job has no buffer 'a'",
    ],
    [
      { buffers: { a: { u8: [1] } }, args: [{ texture: { texels: 'a', type: 'u8' } }] },
      "args[0].texture: texture: option 'size' is missing",
    ],
    [{ args: [{ buffer: 5 }] }, 'args[0].buffer: must be a string or an object, not 5'],
    [{ args: [{ buffer: { f32: 1 } }] }, 'args[0].buffer.f32: must be a list of numbers, not 1'],
    [{ args: [{ buffer: { f32: [1, {}] } }] }, 'args[0].buffer.f32[1]: must be a number, or a string'],
    [{ args: [{ buffer: { zeros: -1 } }] }, 'args[0].buffer.zeros: must be a whole number from 0'],
    [{ args: [{ buffer: { file: 'nowhere.raw' } }] }, 'args[0].buffer.file: nowhere.raw'],
    [{ launches: [launch, { args: [{ u8: 300 }] }] }, 'launches[1].args[0].u8: 300 does not fit in u8'],
    [{ args: [{ u8: 300 }], launches: [{}] }, 'args[0].u8: 300 does not fit in u8'],
    [{ buffers: { a: { hex: 5 } } }, 'buffers.a.hex: must be a string, not 5'],
    [{ buffers: { 'a b': { zeros: 1, hex: '' } } }, 'buffers["a b"]: must be a buffer of'],
    [{ variables: { v: { hex: 'x' } } }, 'variables.v.hex: hex needs'],
    [{ launches: [{ variables: { v: { u8: [256] } } }] }, 'launches[0].variables.v.u8: 256 does not fit in u8'],
  ])('%j', async (wrong, message) => {
    const input = JSON.stringify({ source: increment, ...wrong });
    const { code, stdout, stderr } = await ptxlab(['run', '--job', '-'], { input });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n').length).toBe(2);
    expect(stderr.startsWith(`ptxlab: ${message}`), stderr).toBe(true);
  });

  test('null counts as absent', async () => {
    const { answer } = await job({ source: increment, block: null, entry: null, trace: null, ...launch });
    expect(answer).toMatchObject({ ok: true });
  });
});

describe('a job with several launches', () => {
  const module = `.version 8.0
.target sm_80
.address_size 64
.global .u32 count = 1;
.const .u32 step[2] = {10, 20};
.visible .entry add(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; ld.const.u32 %r2, [step]; add.u32 %r1, %r1, %r2;
st.global.u32 [%rd1], %r1; ld.global.u32 %r3, [count]; add.u32 %r3, %r3, 1; st.global.u32 [count], %r3; ret; }
.visible .entry double(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, %r1; st.global.u32 [%rd1], %r1; ret; }
`;
  const shared = { source: module, buffers: { a: { u32: [1] } }, args: [{ buffer: 'a' }] };

  test.each(['jit', 'interp'])('shares buffers and variables on %s', async (engine) => {
    const { code, answer } = await job({
      ...shared,
      engine,
      variables: { step: { u32: [5] } },
      launches: [{ entry: 'add' }, { entry: 'double' }, { entry: 'add', variables: { step: { hex: '64000000' } } }],
      read: ['count', 'step'],
    });
    expect([code, answer]).toMatchObject([
      0,
      {
        ok: true,
        launches: [{ args: [null] }, { args: [null], stats: { threads: 1 } }, {}],
        buffers: { a: { hex: '70000000' } },
        variables: { count: { hex: '03000000' }, step: { hex: '6400000014000000' } },
      },
    ]);
  });

  test('a single launch can have buffers and variables, too, which are restored before each repetition', async () => {
    const { answer } = await job({
      ...shared,
      entry: 'add',
      variables: { count: { u32: [7] } },
      read: ['count'],
      repeat: 3,
    });
    expect(answer).toMatchObject({ buffers: { a: { hex: '0b000000' } }, variables: { count: { hex: '08000000' } } });
  });

  test('a fault names its launch', async () => {
    const { code, answer } = await job({ ...shared, buffers: { a: { hex: '00' } }, launches: [{ entry: 'add' }] });
    expect([code, answer]).toMatchObject([1, { ok: false, launch: 0, fault: { code: 'PTX6001', kernel: 'add' } }]);
  });

  test.each<readonly [string, object, RegExp]>([
    ['a buffer that does not exist', { entry: 'add', args: [{ buffer: 'b' }] }, /no buffer 'b'/],
    [
      'a kernel that does not exist',
      { launches: [{ entry: 'add' }, { entry: 'sub' }] },
      /^ptxlab: launches\[1\]: .*sub/,
    ],
    ['too few arguments', { launches: [{ entry: 'add', args: [] }] }, /^ptxlab: launches\[0\]: .*1 argument/],
    ['a variable that does not exist', { entry: 'add', read: ['steps'] }, /did you mean step/],
    ['a variable that is too small', { entry: 'add', variables: { count: { zeros: 8 } } }, /do not fit/],
    ['launches that are not a list', { launches: {} }, /launches: must be a list of launches, not an object/],
    [
      'a key that a launch cannot have',
      { launches: [{ entry: 'add', memory: 5 }] },
      /launches\[0\]: has no key 'memory'; it has entry, grid/,
    ],
    ['repeat and launches', { launches: [{ entry: 'add' }], repeat: 2 }, /both 'repeat' and 'launches'/],
  ])('%s is wrong usage', async (_, more, message) => {
    const { code, stderr } = await ptxlab(['run', '--job', '-'], { input: JSON.stringify({ ...shared, ...more }) });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

test('instructions that cannot be run are refused before a launch, or fault when reached', async () => {
  const shift = 'setp.ne.u32 %p1, %r1, %r1;\n@%p1 tcgen05.shift.cta_group::1.down [0];';
  const source = kernel(shift, '').replace('.version 8.0\n.target sm_80', '.version 9.0\n.target sm_100a');
  const refused = await ptxlab(['run', '-'], { input: source });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/fault\[PTX6030\].*tcgen05\.shift.*line 8/s),
  ]);
  expect(await ptxlab(['run', '-', '--unsupported', 'fault'], { input: source })).toMatchObject({ code: 0 });
});
