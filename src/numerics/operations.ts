/**
 * The names of the operations in `arithmetic.ts`, `integers.ts` and `compare.ts`, as the ISA spells them, without
 * types.
 */
import type { Bits } from '../base/bits.ts';

const floatArithmeticFormats = ['f16', 'bf16', 'f32', 'f64'] as const;

export type FloatArithmeticFormat = (typeof floatArithmeticFormats)[number];

export function isFloatArithmeticFormat(word: string | null): word is FloatArithmeticFormat {
  return floatArithmeticFormats.some((format) => format === word);
}

/** `div.full` is `div.full.f32`; `div` with `approximate` is `div.approx.f32`. */
export type FloatFunction =
  | 'add'
  | 'sub'
  | 'mul'
  | 'fma'
  | 'div'
  | 'div.full'
  | 'rcp'
  | 'sqrt'
  | 'rsqrt'
  | 'min'
  | 'max'
  | 'neg'
  | 'abs'
  | 'sin'
  | 'cos'
  | 'lg2'
  | 'ex2'
  | 'tanh';

export interface FloatMode {
  readonly rounding: 'rn' | 'rz' | 'rm' | 'rp';
  /** `.ftz`: subnormal inputs and results become zeros with the same sign. Only f16 and f32 have this modifier. */
  readonly flush: boolean;
  /** `.sat`: the result is clamped to [0, 1]; NaN becomes +0. */
  readonly sat: boolean;
  /**
   * `.approx` and `.full`: the result on real hardware may differ from this one by up to the error that the ISA states.
   */
  readonly approximate: boolean;
  /** min and max: With `.NaN`, the result is a NaN if any operand is a NaN. */
  readonly nan: boolean;
  /** min and max: `.xorsign.abs` compares magnitudes and multiplies signs. */
  readonly xorSign: boolean;
}

/** The mode of an operation without modifiers. */
export const plainMode: FloatMode = {
  rounding: 'rn',
  flush: false,
  sat: false,
  approximate: false,
  nan: false,
  xorSign: false,
};

export type IntegerFunction =
  | 'add'
  | 'sub'
  | 'mul.lo'
  | 'mul.hi'
  | 'mul.wide'
  | 'mad.lo'
  | 'mad.hi'
  | 'mad.wide'
  | 'div'
  | 'rem'
  | 'min'
  | 'max'
  | 'neg'
  | 'abs';

export const permutations = ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'] as const;

/** The modes of `prmt`; without a mode, nibbles select the bytes. */
export type PermuteFunction = 'prmt' | `prmt.${(typeof permutations)[number]}`;

/** `popc` and `clz` return a 32-bit count for every width; `lop3` takes its table as the fourth operand. */
export type BitFunction =
  | 'and'
  | 'or'
  | 'xor'
  | 'not'
  | 'cnot'
  | 'shl'
  | 'shr.u'
  | 'shr.s'
  | 'popc'
  | 'clz'
  | 'brev'
  | 'fns'
  | 'lop3'
  | PermuteFunction;

/**
 * The comparisons in section 9.7.6 of PTX ISA 9.1: ordered comparisons, comparisons of unsigned integers
 * (`lo ls hi hs`), unordered comparisons, and the two that test for NaN.
 */
export const comparisons = [
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'lo',
  'ls',
  'hi',
  'hs',
  'equ',
  'neu',
  'ltu',
  'leu',
  'gtu',
  'geu',
  'num',
  'nan',
] as const;

export type Comparison = (typeof comparisons)[number];

/**
 * An operation with a given type and mode, as a function of the bits of its operands. If the operation has fewer
 * operands than the function has parameters, callers pass 0 for the other parameters, and the function ignores them.
 */
export type Operation = (a: Bits, b: Bits, c: Bits, d?: Bits) => Bits;
