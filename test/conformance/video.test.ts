/** Video instructions on both engines, checked against the ISA's pseudo-code as written in test/oracle/video.ts. */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { mulberry32 } from '../mulberry32.ts';
import { videoFunction } from '../oracle/video.ts';

const next = mulberry32(18);
const pick = <T>(values: readonly T[]): T => values[next() % values.length] as T;

const corners = [
  0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
  0xffffffff, 0x80807f7f, 0x7fff8000, 0x00ff00ff,
];

const rows = Array.from({ length: 96 }, (_, i) => [0, 1, 2].map(() => (next() % 4 < i % 5 ? next() : pick(corners))));

const types = ['u32', 's32'];
const parts = ['', '', '.b0', '.b1', '.b2', '.b3', '.h0', '.h1'];

function digits(letter: string, count: number): string {
  if (next() % 2 === 0) return '';
  return `.${letter}${Array.from({ length: count }, () => next() % (2 * count)).join('')}`;
}

function mask(letter: string, count: number): string {
  const set = Array.from({ length: count }, (_, i) => count - 1 - i).filter(() => next() % 2 === 0);
  return set.length === 0 ? '' : `.${letter}${set.join('')}`;
}

function scalarText(opcode: string): string {
  const [d, a, b, second] = [pick(parts), pick(parts), pick(parts), pick(['', '.add', '.min', '.max'])];
  const sat = pick(['', '.sat']);
  const head = {
    vset: `vset.${pick(types)}.${pick(types)}.${pick(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])}`,
    vshl: `vshl.${pick(types)}.${pick(types)}.u32${sat}.${pick(['clamp', 'wrap'])}`,
    vshr: `vshr.${pick(types)}.${pick(types)}.u32${sat}.${pick(['clamp', 'wrap'])}`,
  }[opcode];
  const mnemonic = head ?? `${opcode}.${pick(types)}.${pick(types)}.${pick(types)}${sat}`;
  if (second !== '') return `${mnemonic}${second} %d, %a${a}, %b${b}, %c`;
  return d === '' ? `${mnemonic} %d, %a${a}, %b${b}` : `${mnemonic} %d${d}, %a${a}, %b${b}, %c`;
}

function multiplyText(): string {
  const mnemonic = `vmad.${pick(types)}.${pick(types)}.${pick(types)}`;
  const rest = pick(['', '.sat', '.sat', '.sat.shr7', '.shr7', '.shr15', '.sat.shr15']);
  const [a, b] = [`%a${pick(parts)}`, `%b${pick(parts)}`];
  const signs = pick(['+++', '+++', '-++', '+-+', '--+', '++-', '---', 'po']);
  if (signs === 'po') return `${mnemonic}.po${rest} %d, ${a}, ${b}, %c`;
  const [x, y, z] = signs.split('').map((sign) => (sign === '-' ? '-' : ''));
  return `${mnemonic}${rest} %d, ${x}${a}, ${y}${b}, ${z}%c`;
}

function simdText(opcode: string, count: 2 | 4): string {
  const letter = count === 2 ? 'h' : 'b';
  const head =
    opcode === 'vset'
      ? `vset${count}.${pick(types)}.${pick(types)}.${pick(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])}${pick(['', '.add'])}`
      : `${opcode}${count}.${pick(types)}.${pick(types)}.${pick(types)}${pick(['', '.sat', '.add'])}`;
  return `${head} %d${mask(letter, count)}, %a${digits(letter, count)}, %b${digits(letter, count)}, %c`;
}

/**
 * Returns a module whose kernel contains all of the instructions. Each thread processes one row of inputs and stores a
 * word for each instruction.
 */
function moduleOf(instructions: readonly string[]): string {
  const stores = instructions.map((text, i) => `${text};\nst.global.u32 [%to+${4 * i}], %d;`);
  return `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %a, %b, %c, %d, %t; .reg .b64 %from, %to;
mov.u32 %t, %tid.x; ld.param.u64 %from, [in]; ld.param.u64 %to, [out];
mad.wide.u32 %from, %t, 12, %from; mad.wide.u32 %to, %t, ${4 * instructions.length}, %to;
ld.global.u32 %a, [%from]; ld.global.u32 %b, [%from+4]; ld.global.u32 %c, [%from+8];
${stores.join('\n')}
ret; }`;
}

async function results(instructions: readonly string[], engine: 'interp' | 'jit'): Promise<Uint32Array> {
  const device = await Device.create({ simd: true });
  const kernel = device.load(moduleOf(instructions)).kernel('k');
  const from = device.alloc(12 * rows.length);
  from.write(new Uint8Array(Uint32Array.from(rows.flat()).buffer));
  const to = device.alloc(4 * rows.length * instructions.length);
  const result = await kernel.launch({ block: rows.length, args: [from, to], engine });
  if (!result.ok) throw new Error(result.fault.message);
  const read = to.read();
  return new Uint32Array(read.buffer, read.byteOffset, read.byteLength / 4);
}

const hex = (value: number): string => value.toString(16).padStart(8, '0');

async function check(instructions: readonly string[], engine: 'interp' | 'jit'): Promise<void> {
  const found = await results(instructions, engine);
  const wrong: string[] = [];
  instructions.forEach((text, i) => {
    const model = videoFunction(text);
    rows.forEach(([a = 0, b = 0, c = 0], row) => {
      const made = found[row * instructions.length + i] ?? 0;
      const wanted = model(a, b, c);
      if (made !== wanted)
        wrong.push(`${text}: ${[a, b, c].map(hex).join(' ')} gives ${hex(made)}, not ${hex(wanted)}`);
    });
  });
  expect(wrong.slice(0, 10)).toEqual([]);
}

const many = (make: () => string): readonly string[] => [...new Set(Array.from({ length: 60 }, make))];

const scalars = ['vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax', 'vshl', 'vshr', 'vset'].map(
  (opcode) => [opcode, many(() => scalarText(opcode))] as const,
);
const products = [['vmad', [...many(multiplyText), ...many(multiplyText)]]] as const;
const lanes = ['vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax', 'vset'].flatMap((opcode) =>
  ([2, 4] as const).map((count) => [`${opcode}${count}`, many(() => simdText(opcode, count))] as const),
);

describe.each(['interp', 'jit'] as const)('video instructions on %s follow the pseudo-code', (engine) => {
  test.each([...scalars, ...products, ...lanes])('%s', async (_, instructions) => {
    await check(instructions, engine);
  });
});
