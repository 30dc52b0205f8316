/** Tests that modules are valid and that their instructions work. */
import { describe, expect, test } from 'vitest';
import { Bytes } from './bytes.ts';
import { Code } from './code.ts';
import { ModuleBuilder } from './module.ts';
import type { Words } from './vector-constants.ts';

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

test('a loop with a branch out of it multiplies by repeated addition', () => {
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

test('hints name the branches that rarely or nearly always happen, at their offsets in the body', () => {
  const builder = new ModuleBuilder();
  builder.importFunction('other', binary);
  const hinted = (): Code => {
    const code = new Code(binary.parameters);
    code.local('i32');
    code.block((end) => code.get(0).unlikely().brIf(end));
    code
      .get(1)
      .likely()
      .if(() => code.i32(1).op('return'));
    return code.i32(2);
  };
  const plain = new Code(binary.parameters).get(0);
  builder.define(builder.declare(binary), plain);
  builder.define(builder.declare(binary), hinted());
  const bytes = builder.encode();
  const [section = new ArrayBuffer(0)] = WebAssembly.Module.customSections(
    new WebAssembly.Module(bytes),
    'metadata.code.branch_hint',
  );
  // The section has a single entry, which contains two hints for function 2. Each hint consists of its offset, its size
  // and its value.
  const [, , , first = 0, , , second = 0] = new Uint8Array(section);
  expect([...new Uint8Array(section)]).toEqual([1, 2, 2, first, 1, 0, second, 1, 1]);
  const body = hinted().encode(() => 0).bytes;
  const branches = { brIf: 0x0d, if: 0x04 };
  expect([body[first], body[second]]).toEqual([branches.brIf, branches.if]);
  // The section comes before the code section, whose function bodies end the module.
  expect(Buffer.from(bytes).indexOf('metadata')).toBeLessThan(bytes.length - body.length);
});

test('a branch table selects a block, and the last one if the index is too large', () => {
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

test.each([false, true])(
  'constant vectors are the same whether or not they are kept in locals: %s',
  (keepsConstants) => {
    const builder = new ModuleBuilder();
    const vectors: Readonly<Record<string, readonly Words[]>> = {
      first: [
        [1, 2, 3, -4],
        [0, 0, 0, 0],
      ],
      second: [
        [0x80000000, 0, 0, 7],
        [1, 2, 3, -4],
      ],
    };
    for (const [name, pair] of Object.entries(vectors)) {
      const index = builder.declare({ parameters: ['i32'], results: [] });
      const code = new Code(['i32'], keepsConstants);
      pair.forEach((words, i) =>
        code
          .get(0)
          .words(...words)
          .vectorMemory('v128.store', 16 * i),
      );
      builder.define(index, code);
      builder.export(name, index);
    }
    const { memory, first, second } = instantiate(builder) as Record<string, (at: number) => void> & {
      memory: WebAssembly.Memory;
    };
    first?.(0);
    second?.(32);
    expect([...new Int32Array(memory.buffer, 0, 16)]).toEqual(
      Object.values(vectors)
        .flat(2)
        .map((word) => word | 0),
    );
  },
);

test('imports are called, the given memory is used, and both arms of an if are reached', () => {
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

describe('atomic instructions', () => {
  const views = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array } as const;

  test.each([
    [8, 'i32', 'i32.atomic.load8_u', 'i32.atomic.store8', 'i32.atomic.rmw8.cmpxchg_u'],
    [16, 'i32', 'i32.atomic.load16_u', 'i32.atomic.store16', 'i32.atomic.rmw16.cmpxchg_u'],
    [32, 'i32', 'i32.atomic.load', 'i32.atomic.store', 'i32.atomic.rmw.cmpxchg'],
    [64, 'i64', 'i64.atomic.load', 'i64.atomic.store', 'i64.atomic.rmw.cmpxchg'],
  ] as const)(
    'of %i bits load, store, and exchange if the expected value is there',
    (width, type, load, store, cmpxchg) => {
      const builder = new ModuleBuilder(true);
      const put = (value: number, code: Code): Code => (type === 'i64' ? code.i64(BigInt(value)) : code.i32(value));
      // Two compare-exchanges with the second of four elements: the first expects 5 and finds 5, so it stores 7; the
      // second expects 6 but finds 7, so it stores nothing. The sum of the two values that were found and the element's
      // final value is stored in the last element.
      const code = new Code([]);
      const bytes = width / 8;
      put(5, code.i32(bytes)).atomic(store, 0);
      code.i32(3 * bytes);
      for (const expected of [5, 6]) put(7, put(expected, code.i32(0))).atomic(cmpxchg, bytes);
      code.op(`${type}.add`).i32(bytes).atomic(load, 0).op(`${type}.add`).atomic(store, 0).fence();
      const index = builder.declare({ parameters: [], results: [] });
      builder.define(index, code);
      builder.export('run', index);
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
      const instance = new WebAssembly.Instance(new WebAssembly.Module(builder.encode()), { env: { memory } });
      (instance.exports['run'] as () => void)();
      expect([...new views[width](memory.buffer, 0, 4)].map(Number)).toEqual([0, 7, 0, 5 + 7 + 7]);
    },
  );

  test('a module for shared memory rejects unshared memory', () => {
    const bytes = new ModuleBuilder(true).encode();
    const env = { memory: new WebAssembly.Memory({ initial: 1 }) };
    expect(() => new WebAssembly.Instance(new WebAssembly.Module(bytes), { env })).toThrow(WebAssembly.LinkError);
  });
});
