/** Tests that wabt decodes every instruction that the encoder writes, with the same name and immediates. */
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { Code } from './code.ts';
import { ModuleBuilder } from './module.ts';
import {
  type AtomicOpcode,
  atomicOpcodes,
  type MemoryOpcode,
  memoryOpcodes,
  type PlainOpcode,
  plainOpcodes,
} from './opcodes.ts';
import {
  type LaneMemoryOpcode,
  laneMemoryOpcodes,
  type LaneOpcode,
  laneOpcodes,
  type VectorMemoryOpcode,
  vectorMemoryOpcodes,
  type VectorOpcode,
  vectorOpcodes,
} from './simd-opcodes.ts';

const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] => Object.keys(table) as K[];

/** Returns the instructions of a function as wabt prints them, without the surrounding function. */
async function readBack(write: (code: Code) => void): Promise<readonly string[]> {
  const read = await wabt();
  const builder = new ModuleBuilder();
  const code = new Code([]);
  write(code);
  builder.define(builder.declare({ parameters: [], results: [] }), code);
  // The bytes are copied, because wabt ignores the bounds of a view and reads the whole buffer behind it.
  const module = read.readWasm(builder.encode().slice(), {
    simd: true,
    threads: true,
    bulk_memory: true,
    relaxed_simd: true,
  });
  const text = module.toText({});
  module.destroy();
  const lines = text.split('\n').map((line) => line.trim().replace(/\)+$/, ''));
  return lines.slice(lines.findIndex((line) => line.startsWith('(func')) + 1).filter((line) => line !== '');
}

test('plain instructions', async () => {
  const names = keysOf<PlainOpcode>(plainOpcodes);
  expect(await readBack((code) => code.op(...names))).toEqual(names);
});

test('loads and stores with their natural alignment', async () => {
  const names = keysOf<MemoryOpcode>(memoryOpcodes);
  const found = await readBack((code) => names.forEach((name) => code.memory(name, 24)));
  expect(found).toEqual(names.map((name) => `${name} offset=24`));
});

test('atomic accesses', async () => {
  const names = keysOf<AtomicOpcode>(atomicOpcodes);
  const found = await readBack((code) => names.forEach((name) => code.atomic(name, 8)));
  expect(found).toEqual(names.map((name) => `${name} offset=8`));
});

test('instructions on vectors', async () => {
  const names = keysOf<VectorOpcode>(vectorOpcodes);
  expect(await readBack((code) => code.vector(...names))).toEqual(names);
});

test('lanes of vectors', async () => {
  const names = keysOf<LaneOpcode>(laneOpcodes);
  const found = await readBack((code) => names.forEach((name) => code.lane(name, 1)));
  expect(found).toEqual(names.map((name) => `${name} 1`));
});

test('vectors in memory', async () => {
  const whole = keysOf<VectorMemoryOpcode>(vectorMemoryOpcodes);
  const parts = keysOf<LaneMemoryOpcode>(laneMemoryOpcodes);
  const found = await readBack((code) => {
    for (const name of whole) code.vectorMemory(name, 32);
    for (const name of parts) code.laneMemory(name, 8);
  });
  expect(found).toEqual([...whole.map((name) => `${name} offset=32`), ...parts.map((name) => `${name} offset=8 0`)]);
});

test('constants, shuffles, filling and copying', async () => {
  const found = await readBack((code) => {
    code
      .i32(-1)
      .i64(-(2n ** 63n))
      .words(1, -1, 0, 7)
      .shuffle([0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31]);
    code.fill().copy();
  });
  expect(found).toEqual([
    'i32.const -1',
    'i64.const -9223372036854775808',
    'v128.const i32x4 0x00000001 0xffffffff 0x00000000 0x00000007',
    'i8x16.shuffle 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31',
    'memory.fill',
    'memory.copy',
  ]);
});
