/** Modules are valid and do what their instructions say. */
import { expect, test } from 'vitest';
import { Bytes } from './bytes.ts';
import { Code } from './code.ts';
import { ModuleBuilder } from './module.ts';

const binary = { parameters: ['i32', 'i32'], results: ['i32'] } as const;

function instantiate(builder: ModuleBuilder, imports: Record<string, () => number> = {}): Record<string, unknown> {
  const bytes = builder.encode();
  expect(WebAssembly.validate(bytes)).toBe(true);
  const memory = new WebAssembly.Memory({ initial: 1 });
  const env = { memory, ...imports };
  return { ...new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports, memory };
}

test.each([
  [0, [0x00]],
  [-1, [0x7f]],
  [63, [0x3f]],
  [64, [0xc0, 0x00]],
  [-65, [0xbf, 0x7f]],
  [-(2 ** 31), [0x80, 0x80, 0x80, 0x80, 0x78]],
])('%i as a signed number', (value, wanted) => {
  const narrow = new Bytes();
  narrow.signed(value);
  expect([...narrow.written()]).toEqual(wanted);
  const wide = new Bytes();
  wide.signedWide(BigInt(value));
  expect([...wide.written()]).toEqual(wanted);
});

test('the largest unsigned number takes five bytes', () => {
  const bytes = new Bytes();
  bytes.unsigned(0xffffffff);
  expect([...bytes.written()]).toEqual([0xff, 0xff, 0xff, 0xff, 0x0f]);
});

test('a loop with a branch out of it multiplies by adding', () => {
  const builder = new ModuleBuilder();
  const index = builder.declare(binary);
  const code = new Code(binary.parameters);
  const sum = code.local('i32');
  code.block((done) => {
    code.loop((again) => {
      code.get(1).op('i32.eqz').brIf(done);
      code.get(sum).get(0).op('i32.add').set(sum);
      code.get(1).i32(1).op('i32.sub').set(1).br(again);
    });
  });
  code.get(sum);
  builder.define(index, code);
  builder.export('times', index);
  const { times } = instantiate(builder) as { times: (a: number, b: number) => number };
  expect(times(7, 6)).toBe(42);
});

test('a branch table picks a block, beyond its end the last', () => {
  const builder = new ModuleBuilder();
  const index = builder.declare(binary);
  const code = new Code(binary.parameters);
  code.block((outer) => {
    code.block((inner) => {
      code.get(0).brTable([inner], outer);
    });
    code.i32(10).op('return');
  });
  code.i32(20);
  builder.define(index, code);
  builder.export('pick', index);
  const { pick } = instantiate(builder) as { pick: (a: number, b: number) => number };
  expect([pick(0, 0), pick(1, 0), pick(9, 0)]).toEqual([10, 20, 20]);
});

test('imports are called, memory is the one given, both arms of an if are taken', () => {
  const builder = new ModuleBuilder();
  const answer = builder.importFunction('answer', { parameters: [], results: ['i32'] });
  const index = builder.declare(binary);
  const code = new Code(binary.parameters);
  code.get(0).if(
    () => code.i32(8).call(answer).memory('i32.store', 4),
    () => code.i32(8).i32(-1).memory('i32.store', 4),
  );
  code.i32(12).memory('i32.load', 0);
  builder.define(index, code);
  builder.export('stored', index);
  const { stored } = instantiate(builder, { answer: () => 42 }) as { stored: (a: number, b: number) => number };
  expect([stored(1, 0), stored(0, 0)]).toEqual([42, -1]);
});
