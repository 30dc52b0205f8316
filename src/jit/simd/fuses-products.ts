/**
 * Finds out whether `relaxed_madd`, the vector instruction that multiplies and adds, rounds only once, as an fma does.
 * WebAssembly leaves this to the host: V8 uses the processor's fma if there is one, and otherwise a multiplication and
 * an addition.
 */
import { once } from '../../base/once.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import type { Words } from '../../wasm/vector-constants.ts';
import { compileModule } from '../compile-module.ts';
import { exportedFunction } from '../exported-function.ts';

interface Case {
  readonly opcode: VectorOpcode;
  readonly x: Words;
  readonly y: Words;
  readonly result: Words;
}

/**
 * The result of `x * x + y` is 0 if the product is rounded first: `x` is 1 plus the square root of half a unit in the
 * last place, and `y` is the negative of the rounded product. Only the last lane is tested; the other lanes are zero.
 */
const cases: readonly Case[] = [
  {
    opcode: 'f32x4.relaxed_madd',
    x: [0, 0, 0, 0x3f800800],
    y: [0, 0, 0, 0xbf801000],
    result: [0, 0, 0, 0x33800000],
  },
  {
    opcode: 'f64x2.relaxed_madd',
    x: [0, 0, 0x02000000, 0x3ff00000],
    y: [0, 0, 0x04000000, 0xbff00000],
    result: [0, 0, 0, 0x3c900000],
  },
];

/**
 * Whether `relaxed_madd` exists on this host for f32 and f64, rounds only once, and expects the addend as its last
 * operand.
 */
export const fusesProducts: () => boolean = once(() => {
  try {
    const memory = new WebAssembly.Memory({ initial: 0 });
    const { exports } = new WebAssembly.Instance(compileModule(testModule()), { env: { memory } });
    return exportedFunction(exports, 'test')() === 1;
  } catch {
    return false;
  }
});

/** Returns a module whose function `test` returns 1 if all results match those of an fma. */
function testModule(): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  const code = new Code([]).i32(1);
  for (const { opcode, x, y, result } of cases) {
    code.words(...x).words(...x);
    code.words(...y).vector(opcode);
    code
      .words(...result)
      .vector('i32x4.eq', 'i32x4.all_true')
      .op('i32.and');
  }
  builder.export('test', builder.add({ parameters: [], results: ['i32'] }, code));
  return builder.encode();
}
