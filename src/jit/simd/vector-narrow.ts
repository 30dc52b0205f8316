/**
 * f16 and bf16 arithmetic for four threads at once. An operation is computed in f32 and the result is rounded again.
 * Rounding twice does not change a sum, because f32 has more than twice as many significant bits as the narrow formats
 * (Figueroa, "When is double rounding innocuous?", 1995). It does not change a product either: a product is exact in
 * f32 unless it is so small that it becomes zero in the narrow format. An fma is different. The last bits of its f32
 * result show whether this result may be a tie between two narrow numbers; if so, the four results are computed one
 * after the other.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import { type Conversion, plainConversion } from '../../numerics/conversion.ts';
import type { FloatFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { Helpers } from '../helpers.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { fourByOne } from './four-by-one.ts';
import { vectorConverter } from './vector-convert.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { splat } from './vector-words.ts';

export type NarrowFormat = 'f16' | 'bf16';

const native: Readonly<Partial<Record<FloatFunction, VectorOpcode>>> = {
  add: 'f32x4.add',
  sub: 'f32x4.sub',
  mul: 'f32x4.mul',
  fma: 'f32x4.relaxed_madd',
};

/**
 * A mask of the f32 bits that are below the last bit of a narrow format. If an f32 is a tie between two narrow numbers,
 * only the highest of these bits is set.
 */
export const below: Readonly<Record<NarrowFormat, number>> = { f16: 0x1fff, bf16: 0xffff };

/** The least normal f16, as the bits of an f32. */
const leastNormalHalf = 0x3880_0000;

export function vectorNarrow(step: StepOf<'float'>, format: NarrowFormat, lowering: VectorLowering): Writer | null {
  const { fn, mode, from, to } = step;
  const { code, vectors, scalar } = lowering;
  const { helpers } = scalar;
  const opcode = native[fn];
  if (opcode === undefined || (fn === 'fma' && !helpers.fuses)) return null;
  if (mode.rounding !== 'rn' || mode.flush || mode.sat) return null;
  return () => {
    const operands = from.map((ref) => vectors.get(ref, 'i32').locals[0]);
    const [wide, result] = [vectors.temporary(), vectors.temporary()];
    for (const operand of operands) pushWidened(code, helpers, format, operand);
    code.vector(opcode).set(wide);
    pushNarrowed(code, helpers, format, wide).set(result);
    if (fn === 'fma') {
      pushMayBeTie(code, format, wide);
      code.unlikely().if(() => {
        for (const operand of operands) code.get(operand);
        code.call(fourByOne(helpers, step, operands.length)).set(result);
      });
    }
    vectors.set(to, { type: 'i32', locals: [result] });
  };
}

/** Pushes four narrow numbers, converted to f32. This conversion is exact. */
export function pushWidened(code: Code, helpers: Helpers, format: NarrowFormat, local: number): Code {
  return pushConverted(code, helpers, plainConversion(format, 'f32'), local);
}

/** Pushes four f32 values, rounded to a narrow format. */
export function pushNarrowed(code: Code, helpers: Helpers, format: NarrowFormat, local: number): Code {
  return pushConverted(code, helpers, plainConversion('f32', format), local);
}

function pushConverted(code: Code, helpers: Helpers, conversion: Conversion, local: number): Code {
  const converter = vectorConverter(helpers, conversion);
  if (converter === null) throw new Error(`${conversion.from} to ${conversion.to} has no vector form`);
  code.get(local);
  // The converter also takes random bits and a scale, which these conversions do not use.
  splat(code, 0);
  return splat(code, 0).call(converter);
}

/**
 * Pushes whether any f32 result of an fma might be rounded the wrong way. Subnormal f16 numbers have fewer significant
 * bits than normal ones, so ties between them cannot be recognized by the same bits; instead, every nonzero f32 in
 * their range counts as a possible tie. For bf16, subnormals are not an exception, because bf16 has the same exponent
 * range as f32.
 */
function pushMayBeTie(code: Code, format: NarrowFormat, wide: number): void {
  splat(splat(code.get(wide), below[format]).vector('v128.and'), (below[format] + 1) / 2).vector('i32x4.eq');
  if (format === 'f16') {
    splat(code.get(wide).i32(1).vector('i32x4.shl'), 1).vector('i32x4.sub');
    splat(code, 2 * leastNormalHalf - 1).vector('i32x4.lt_u', 'v128.or');
  }
  code.vector('v128.any_true');
}
