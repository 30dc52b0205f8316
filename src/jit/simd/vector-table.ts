/** lop3 for four threads at once. */
import { elementAt } from '../../base/element-at.ts';
import { quadOf, tripleOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { splat } from './vector-words.ts';

/** The operand b, the operand c, a vector of zeros (`none`), or an instruction. */
type Item = 'b' | 'c' | 'none' | VectorOpcode;

/**
 * For each function of two bits, the operands and instructions that compute it. Bit `2b + c` of a function's number is
 * the result for the bits b and c.
 */
const functions: readonly (readonly Item[])[] = [
  ['none'],
  ['b', 'c', 'v128.or', 'v128.not'],
  ['c', 'b', 'v128.andnot'],
  ['b', 'v128.not'],
  ['b', 'c', 'v128.andnot'],
  ['c', 'v128.not'],
  ['b', 'c', 'v128.xor'],
  ['b', 'c', 'v128.and', 'v128.not'],
  ['b', 'c', 'v128.and'],
  ['b', 'c', 'v128.xor', 'v128.not'],
  ['c'],
  ['b', 'c', 'v128.andnot', 'v128.not'],
  ['b'],
  ['c', 'b', 'v128.andnot', 'v128.not'],
  ['b', 'c', 'v128.or'],
  ['none', 'v128.not'],
];

const allOnes = 15;

/**
 * Bit `4a + 2b + c` of the table is the result for input bits a, b and c. Each half of the table is a function of b and
 * c: the upper half applies where a is 1, and the lower half where a is 0.
 */
export function vectorTable({ from, to }: StepOf<'bits'>, lowering: VectorLowering): Writer | null {
  const { code, vectors, constantOf } = lowering;
  const [a, b, c, entry] = quadOf(from);
  const table = constantOf(entry);
  if (table === null) return null;
  return () => {
    const [x, y, z] = tripleOf([a, b, c].map((ref) => vectors.get(ref, 'i32').locals[0]));
    pushChoice(x, [table >>> 4, table & 15], (fn) => pushFunction(code, fn, [y, z]));
    setWord(to, lowering);
  };
}

/**
 * Pushes the result of the function `set` for bits that are 1 in a local, and the result of `clear` for bits that are
 * 0.
 */
function pushChoice(
  local: number,
  [set, clear]: readonly [set: number, clear: number],
  push: (fn: number) => Code,
): void {
  if (set === clear) push(set);
  else if (set === (clear ^ allOnes)) push(clear).get(local).vector('v128.xor');
  else if (clear === 0) push(set).get(local).vector('v128.and');
  else if (set === 0) push(clear).get(local).vector('v128.andnot');
  else if (set === allOnes) push(clear).get(local).vector('v128.or');
  else if (clear === allOnes)
    push(set ^ allOnes)
      .get(local)
      .vector('v128.and', 'v128.not');
  else {
    push(set);
    push(clear).get(local).vector('v128.bitselect');
  }
}

function pushFunction(code: Code, fn: number, [b, c]: readonly [number, number]): Code {
  for (const item of elementAt(functions, fn)) {
    if (item === 'b') code.get(b);
    else if (item === 'c') code.get(c);
    else if (item === 'none') splat(code, 0);
    else code.vector(item);
  }
  return code;
}
