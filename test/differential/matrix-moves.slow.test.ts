/**
 * Tests, on both engines, instructions that move matrices between memory and lanes. Each lane must get the elements
 * that the ISA's formulas specify, and a matrix that is moved back and forth must stay the same.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';

const engines = ['interp', 'jit'] as const;

interface Run {
  readonly version?: string;
  readonly target?: string;
  readonly registers: string;
  readonly body: string;
  readonly input: Uint8Array;
  readonly output: number;
  readonly engine: (typeof engines)[number];
}

/**
 * Runs one warp. The input is copied to address 0 of shared memory; `body` must store the results at address 8192, from
 * which they are copied to the output.
 */
async function run({
  version = '9.0',
  target = 'sm_120a',
  registers,
  body,
  input,
  output,
  engine,
}: Run): Promise<Uint8Array> {
  const source = `.version ${version}\n.target ${target}\n.address_size 64
.shared .align 16 .b8 s[16384];
.visible .entry k(.param .u64 pi, .param .u64 po) {
.reg .b32 %i, %n, %a, %b, %lane; .reg .b64 %pi, %po, %p, %q; .reg .b32 %w; .reg .pred %go; ${registers}
ld.param.u64 %pi, [pi]; ld.param.u64 %po, [po]; mov.u32 %lane, %tid.x; mov.u32 %a, s;
mov.u32 %i, %lane;
L0: shl.b32 %n, %i, 2; cvt.u64.u32 %p, %n; add.u64 %q, %pi, %p; ld.global.u32 %w, [%q];
add.u32 %b, %a, %n; st.shared.u32 [%b], %w; add.u32 %i, %i, 32; setp.lt.u32 %go, %i, ${input.length / 4}; @%go bra L0;
bar.sync 0;
${body}
bar.sync 0;
mov.u32 %i, %lane;
L1: shl.b32 %n, %i, 2; add.u32 %b, %a, %n; ld.shared.u32 %w, [%b+8192]; cvt.u64.u32 %p, %n; add.u64 %q, %po, %p;
st.global.u32 [%q], %w; add.u32 %i, %i, 32; setp.lt.u32 %go, %i, ${output / 4}; @%go bra L1;
ret; }`;
  const device = await Device.create();
  const [from, to] = [device.alloc(input), device.alloc(output)];
  const module = device.load(source);
  const result = await module.kernel('k').launch({ grid: 1, block: 32, args: [from, to], engine });
  if (!result.ok) throw new Error(result.fault.message);
  return Uint8Array.from(to.read('u8'));
}

const counted = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
/**
 * The byte that ldmatrix produces from an element. Each row of the input has 16 bytes, in which an element occupies 8,
 * 6 or 4 bits.
 */
function elementAt(input: Uint8Array, format: string, row: number, column: number): number {
  const bytes = input.slice(row * 16, row * 16 + 16);
  if (format === 'b8') return bytes[column] ?? 0;
  const bits = format.includes('b6') ? 6 : 4;
  const number = bytes.reduce((sum, byte, i) => sum | (BigInt(byte) << BigInt(8 * i)), 0n);
  const code = Number((number >> BigInt(column * bits)) & ((1n << BigInt(bits)) - 1n));
  return bits === 6 ? code : code << 2;
}

/** Code that makes each lane store its registers in consecutive words. */
const storeWords = (names: readonly string[]): string =>
  `mul.lo.u32 %b, %lane, ${names.length * 4}; add.u32 %b, %b, %a;\n${names.map((name, i) => `st.shared.b32 [%b+${8192 + 4 * i}], ${name};`).join('\n')}`;

describe.each(engines)('on %s', (engine) => {
  test.each([1, 2, 4])('ldmatrix.x%i: lane 4r + c has the elements 2c and 2c + 1 of row r', async (count) => {
    const input = counted(count * 128);
    const names = Array.from({ length: count }, (_, i) => `%r${i}`);
    const body = `shl.b32 %n, %lane, 4; and.b32 %n, %n, ${count * 128 - 1}; add.u32 %b, %a, %n;
ldmatrix.sync.aligned.m8n8.x${count}.shared.b16 {${names.join(', ')}}, [%b];\n${storeWords(names)}`;
    const out = await run({ registers: '.reg .b32 %r<4>;', body, input, output: 128 * count, engine });
    for (let lane = 0; lane < 32; lane++) {
      for (let i = 0; i < count; i++) {
        const at = i * 128 + (lane >> 2) * 16 + (lane & 3) * 4;
        expect(out.slice((lane * count + i) * 4, (lane * count + i) * 4 + 4)).toEqual(input.slice(at, at + 4));
      }
    }
  });

  test('ldmatrix.trans: lane 4r + c has element r of rows 2c and 2c + 1', async () => {
    const input = counted(128);
    const body = `shl.b32 %n, %lane, 4; and.b32 %n, %n, 127; add.u32 %b, %a, %n;
ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r0}, [%b];\n${storeWords(['%r0'])}`;
    const out = await run({ registers: '.reg .b32 %r<4>;', body, input, output: 128, engine });
    for (let lane = 0; lane < 32; lane++) {
      for (const half of [0, 1]) {
        const at = (2 * (lane & 3) + half) * 16 + (lane >> 2) * 2;
        expect(out.slice(lane * 4 + half * 2, lane * 4 + half * 2 + 2)).toEqual(input.slice(at, at + 2));
      }
    }
  });

  test.each([
    ['ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%b];', 7, 4],
    ['ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%b];', 15, 1],
    ['ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%r0, %r1}, [%b];', 15, 8],
    ['ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r0}, [%b];', 7, 1],
    ['ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r0}, [%b];', 7, 8],
    ['stmatrix.sync.aligned.m8n8.x1.shared.b16 [%b], {%r0};', 7, 4],
    ['stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%b], {%r0};', 7, 1],
  ] as const)('%s faults if the address of row %i is %i beyond a multiple of 16', async (line, row, bytes) => {
    const moved = (lanes: string) => {
      const body = `mov.b32 %r0, 0; shl.b32 %n, %lane, 4; and.b32 %n, %n, 255; add.u32 %b, %a, %n;
setp.${lanes} %go, %lane, ${row}; @%go add.u32 %b, %b, ${bytes};\n${line}\n${storeWords(['%r0'])}`;
      return run({ registers: '.reg .b32 %r<4>;', body, input: counted(512), output: 128, engine });
    };
    await expect(moved('eq.u32')).rejects.toThrow('aligned');
    // In this case, only lanes whose addresses are not used have misaligned addresses.
    await expect(moved('gt.u32')).resolves.toHaveLength(128);
  });

  test.each([
    ['m8n8.x4.shared.b16', 'm8n8.x4.shared.b16', ''],
    ['m8n8.x4.trans.shared.b16', 'm8n8.x4.trans.shared.b16', ''],
    ['m8n8.x4.shared.b16', 'm8n8.x4.trans.shared.b16', 'movmatrix'],
  ])('what ldmatrix.%s loads, stmatrix.%s stores %s', async (loads, stores, between) => {
    const input = counted(512);
    const names = [0, 1, 2, 3].map((i) => `%r${i}`);
    const moves =
      between === '' ? '' : names.map((name) => `movmatrix.sync.aligned.m8n8.trans.b16 ${name}, ${name};`).join('\n');
    const body = `shl.b32 %n, %lane, 4; add.u32 %b, %a, %n;
ldmatrix.sync.aligned.${loads} {${names.join(', ')}}, [%b];\n${moves}
stmatrix.sync.aligned.${stores} [%b+8192], {${names.join(', ')}};`;
    expect(await run({ registers: '.reg .b32 %r<4>;', body, input, output: 512, engine })).toEqual(input);
  });

  test.each([1, 2, 4])('ldmatrix.x%i of .s8.s4 sign-extends 4-bit elements', async (count) => {
    const input = counted(Math.max(128, count * 64));
    const names = Array.from({ length: count }, (_, i) => `%r${i}`);
    const body = `shl.b32 %n, %lane, 3; and.b32 %n, %n, ${count * 64 - 1}; add.u32 %b, %a, %n;
ldmatrix.sync.aligned.m8n16.x${count}.shared::cta.s8.s4 {${names.join(', ')}}, [%b];
${storeWords(names)}`;
    const given = { version: '9.4', target: 'sm_90a', registers: '.reg .b32 %r<4>;' };
    const out = await run({ ...given, body, input, output: count * 128, engine });
    for (let lane = 0; lane < 32; lane++) {
      for (let i = 0; i < 4 * count; i++) {
        const [matrix, row, column] = [i >> 2, lane >> 2, (lane & 3) * 4 + (i & 3)];
        const byte = input[matrix * 64 + row * 8 + (column >> 1)] ?? 0;
        const element = (column & 1) === 1 ? byte >> 4 : byte & 15;
        expect(out[lane * 4 * count + i]).toBe((element ^ 8) - 8 < 0 ? (element ^ 8) - 8 + 256 : (element ^ 8) - 8);
      }
    }
  });

  test.each([
    ['b6x16_p32', 6, 0],
    ['b4x16_p64', 4, 2],
  ])('ldmatrix of %s unpacks elements of %i bits to bit %i of bytes', async (format) => {
    const input = counted(128);
    const body = `shl.b32 %n, %lane, 4; and.b32 %n, %n, 127; add.u32 %b, %a, %n;
ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.${format} {%r0}, [%b];\n${storeWords(['%r0'])}`;
    const out = await run({ registers: '.reg .b32 %r<4>;', body, input, output: 128, engine });
    const wanted = Array.from({ length: 128 }, (_, i) => elementAt(input, `b8x16.${format}`, i >> 4, i & 15));
    expect([...out]).toEqual(wanted);
  });

  test.each(
    ['b8', 'b8x16.b6x16_p32', 'b8x16.b4x16_p64'].flatMap((format) => [1, 2].map((count) => [format, count] as const)),
  )(
    'ldmatrix.m16n16 of %s, x%i: lane 4c + q has rows 4q to 4q + 3 of the columns c and c + 8',
    async (format, count) => {
      const input = counted(256 * count);
      const names = Array.from({ length: 2 * count }, (_, i) => `%r${i}`);
      const body = `shl.b32 %n, %lane, 4; and.b32 %n, %n, ${256 * count - 1}; add.u32 %b, %a, %n;
ldmatrix.sync.aligned.m16n16.x${count}.trans.shared.${format} {${names.join(', ')}}, [%b];\n${storeWords(names)}`;
      const out = await run({ registers: '.reg .b32 %r<4>;', body, input, output: 256 * count, engine });
      const wanted = Array.from({ length: 256 * count }, (_, i) => {
        const [lane, register, byte] = [Math.floor(i / (8 * count)), Math.floor(i / 4) % (2 * count), i % 4];
        const row = 16 * (register >> 1) + 4 * (lane % 4) + byte;
        return elementAt(input, format, row, (lane >> 2) + 8 * (register & 1));
      });
      expect([...out]).toEqual(wanted);
    },
  );

  test.each([1, 2, 4])(
    'stmatrix.m16n8 of b8, x%i: lane 4c + q has the rows 2q and 2q + 1 of the columns c and c + 8',
    async (count) => {
      const names = Array.from({ length: count }, (_, i) => `%r${i}`);
      const input = counted(128 * count);
      const loads = names.map((name, i) => `ld.shared.b32 ${name}, [%b+${4 * i}];`).join('\n');
      const body = `mul.lo.u32 %b, %lane, ${4 * count}; add.u32 %b, %b, %a;\n${loads}
shl.b32 %n, %lane, 4; and.b32 %n, %n, ${128 * count - 1}; add.u32 %b, %a, %n;
stmatrix.sync.aligned.m16n8.x${count}.trans.shared.b8 [%b+8192], {${names.join(', ')}};`;
      const out = await run({ registers: '.reg .b32 %r<4>;', body, input, output: 128 * count, engine });
      const wanted = new Uint8Array(128 * count);
      input.forEach((value, i) => {
        const [lane, register, byte] = [Math.floor(i / (4 * count)), Math.floor(i / 4) % count, i % 4];
        const row = 8 * register + 2 * (lane % 4) + (byte & 1);
        wanted[16 * row + (lane >> 2) + 8 * (byte >> 1)] = value;
      });
      expect(out).toEqual(wanted);
    },
  );

  test.each([
    { shape: 'm16n16k16', layout: 'row', type: 'f16', count: 4, rows: 16, columns: 16, bytes: 2 },
    { shape: 'm32n8k16', layout: 'col', type: 'f32', count: 8, rows: 32, columns: 8, bytes: 4 },
    { shape: 'm8n32k16', layout: 'row', type: 's32', count: 8, rows: 8, columns: 32, bytes: 4 },
    { shape: 'm8n8k4', layout: 'col', type: 'f64', count: 2, rows: 8, columns: 8, bytes: 8 },
  ])('what wmma.load.c loads, wmma.store.d stores: $shape by $layout of $type', async (one) => {
    const { shape, layout, type, count, rows, columns, bytes } = one;
    const input = counted(rows * columns * bytes);
    const register = type === 'f64' ? 'b64' : 'b32';
    const names = Array.from({ length: count }, (_, i) => `%r${i}`).join(', ');
    const body = `wmma.load.c.sync.aligned.${layout}.${shape}.shared.${type} {${names}}, [%a];
add.u32 %b, %a, 8192; wmma.store.d.sync.aligned.${layout}.${shape}.shared.${type} [%b], {${names}}, ${layout === 'row' ? columns : rows};`;
    expect(await run({ registers: `.reg .${register} %r<8>;`, body, input, output: input.length, engine })).toEqual(
      input,
    );
  });
});

describe.each(engines)('wmma on %s', (engine) => {
  test.each([
    ['m16n16k16', 2, 2, 16, 16],
    ['m32n8k16', 4, 1, 32, 8],
    ['m8n32k16', 1, 4, 8, 32],
  ] as const)('%s multiplies bytes exactly', async (shape, registersA, registersB, m, n) => {
    const input = Uint8Array.from({ length: (m + n) * 16 }, (_, i) => (i * 37 + 11) & 0xff);
    const list = (prefix: string, count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `%${prefix}${i}`).join(', ')}}`;
    const body = `wmma.load.a.sync.aligned.row.${shape}.shared.s8 ${list('x', registersA)}, [%a];
add.u32 %b, %a, ${m * 16}; wmma.load.b.sync.aligned.row.${shape}.shared.s8 ${list('y', registersB)}, [%b], ${n};
${Array.from({ length: 8 }, (_, i) => `mov.b32 %z${i}, ${i};`).join(' ')}
mov.b32 %w, 5; ${Array.from({ length: 8 }, (_, i) => `mov.b32 %z${i}, %w;`).join(' ')}
wmma.mma.sync.aligned.row.row.${shape}.s32.s8.s8.s32 ${list('z', 8)}, ${list('x', registersA)}, ${list('y', registersB)}, ${list('z', 8)};
add.u32 %b, %a, 8192; wmma.store.d.sync.aligned.row.${shape}.shared.s32 [%b], ${list('z', 8)};`;
    const registers = '.reg .b32 %x<4>, %y<4>, %z<8>;';
    const out = await run({ registers, body, input, output: m * n * 4, engine });
    const signed = Int8Array.from(input);
    const wanted = Int32Array.from({ length: m * n }, (_, at) => {
      const [row, column] = [Math.floor(at / n), at % n];
      let sum = 5;
      for (let k = 0; k < 16; k++) sum += (signed[row * 16 + k] ?? 0) * (signed[m * 16 + k * n + column] ?? 0);
      return sum;
    });
    expect([...new Int32Array(out.buffer)]).toEqual([...wanted]);
  });
});
