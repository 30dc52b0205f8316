/** Derives the product of a variant from its shape and types. */
import { fragmentOf, quadPairFragment, quadPairResult } from '../../fragments.ts';
import { type FactorFormat, factorFormats } from '../../../numerics/dot-arithmetic.ts';
import type { IntegerName } from '../../../numerics/formats.ts';
import type { Environment } from '../../environment.ts';
import type { Variant } from '../../form.ts';
import { floatName, has, integerType, slotType } from '../../variant.ts';
import {
  arithmeticOf,
  doubleNan,
  familyOf,
  fourfoldArithmetic,
  type ProductFamily,
  sumFormatOn,
} from '../../matrix-arithmetic.ts';
import type { Factor, MatrixProduct, Scaling, Sparsity, Sum } from '../../matrix-product.ts';
import { roundingOf } from '../float/steps.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';

/** The number of rows of A (m), columns of B (n), and columns of A (k). */
export interface Shape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** `m16n8k16`. */
export function shapeOf(text: string): Shape {
  const [m = 0, n = 0, k = 0] = text.slice(1).split(/[nk]/).map(Number);
  return { m, n, k };
}

/** The number of registers for each of A, B, C and D. */
export interface Registers {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** The number of bits that an element takes up in a register. `factor` applies to the elements of A and B. */
export interface ElementBits {
  readonly factor: number;
  readonly c: number;
  readonly d: number;
}

/** The number of registers that each lane needs if the elements of a matrix are spread over a warp without copies. */
export function registersOf(elements: number, bits: number): number {
  return Math.max(1, (elements * bits) / (32 * Math.max(32, bits)));
}

/**
 * The number of registers that a lane needs for each matrix if no element is stored twice. `kept` is the number of
 * columns of A that are stored.
 */
export function registersFor({ m, n, k }: Shape, bits: ElementBits, kept: number = k): Registers {
  return {
    a: registersOf(m * kept, bits.factor),
    b: registersOf(k * n, bits.factor),
    c: registersOf(m * n, bits.c),
    d: registersOf(m * n, bits.d),
  };
}

/** The four fragments of a product. */
export type Fragments = Pick<MatrixProduct, 'm' | 'n' | 'k'> & {
  readonly [Side in 'a' | 'b' | 'c' | 'd']: Sum<never>['fragment'];
};

/** The fragments of a product in the layout that is used for every shape except m8n8k4 of f16. */
export function fragmentsOf(shape: Shape, bits: ElementBits, registers: Registers, kept: number = shape.k): Fragments {
  const { m, n, k } = shape;
  return {
    ...shape,
    a: fragmentOf('a', { rows: m, columns: kept, bits: bits.factor, registers: registers.a }),
    b: fragmentOf('b', { rows: k, columns: n, bits: bits.factor, registers: registers.b }),
    c: fragmentOf('c', { rows: m, columns: n, bits: bits.c, registers: registers.c }),
    d: fragmentOf('c', { rows: m, columns: n, bits: bits.d, registers: registers.d }),
  };
}

/** m8n8k4 of f16: the layouts of A and B determine which elements a lane holds. */
export function quadPairFragments(rowA: boolean, rowB: boolean, bits: ElementBits): Fragments {
  return {
    m: 8,
    n: 8,
    k: 4,
    a: quadPairFragment('a', rowA),
    b: quadPairFragment('b', !rowB),
    c: quadPairResult(bits.c === 16 ? 16 : 32),
    d: quadPairResult(bits.d === 16 ? 16 : 32),
  };
}

/** The description of A, B, C and D for a product with these formats. */
function matricesOf<F extends string, S extends string>(
  { a, b, c, d, m, n, k }: Fragments,
  formats: readonly [a: F, b: F, c: S, d: S],
  low: (format: F) => number = () => 0,
): {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: Factor<F>;
  readonly b: Factor<F>;
  readonly c: Sum<S>;
  readonly d: Sum<S>;
} {
  const [formatA, formatB, formatC, formatD] = formats;
  return {
    m,
    n,
    k,
    a: { format: formatA, fragment: a, low: low(formatA) },
    b: { format: formatB, fragment: b, low: low(formatB) },
    c: { format: formatC, fragment: c },
    d: { format: formatD, fragment: d },
  };
}

/**
 * Returns the position of an element's lowest bit. An fp4 value that is stored in a byte occupies bits 5 to 2, so its
 * position is 2. For all other elements, the position is 0.
 */
const lowInByte =
  (bits: number) =>
  (format: FactorFormat): number =>
    bits === 8 && format === 'e2m1' ? 2 : 0;

/**
 * The format in which the elements of A or B are multiplied. `slot` is the number of the type slot for these elements.
 */
export function factorFormat(variant: Variant, slot: number): FactorFormat {
  const name = floatName(variant, slot);
  const found = factorFormats.find((format) => format === name);
  if (found === undefined) throw new Error(`no tensor core multiplies ${name}`);
  return found;
}

/** The format of the elements of C or D. `slot` is the number of the type slot for these elements. */
export function sumFormat(variant: Variant, slot: number): 'f16' | 'f32' {
  return slotType(variant, slot).name === '.f16' ? 'f16' : 'f32';
}

/** Formats of A, B, C and D. */
export type FloatFormats = readonly [a: FactorFormat, b: FactorFormat, c: 'f16' | 'f32', d: 'f16' | 'f32'];

export function floatProduct(
  fragments: Fragments,
  formats: FloatFormats,
  { gpu }: Environment,
  more: {
    readonly sparsity?: Sparsity | null;
    readonly scaling?: Scaling | null;
    readonly family?: ProductFamily;
  } = {},
): MatrixProduct {
  const { sparsity = null, scaling = null, family = familyOf(formats[0], formats[1]) } = more;
  const matrices = matricesOf(fragments, formats, lowInByte(fragments.a.bits));
  const arithmetic = arithmeticOf(gpu, family, sumFormatOn(gpu, formats[2], formats[3]));
  return { kind: 'float', ...matrices, arithmetic, sparsity, scaling };
}

export function integerProduct(
  fragments: Fragments,
  [a, b]: readonly [IntegerName, IntegerName],
  satfinite: boolean,
  sparsity: Sparsity | null = null,
): MatrixProduct {
  return { kind: 'integer', ...matricesOf(fragments, [a, b, 's32', 's32']), satfinite, sparsity };
}

export function doubleProduct(
  fragments: Fragments,
  rounding: 'rn' | 'rz' | 'rm' | 'rp',
  { gpu }: Environment,
): MatrixProduct {
  const matrices = matricesOf(fragments, ['f64', 'f64', 'f64', 'f64']);
  return { kind: 'double', ...matrices, rounding, nan: doubleNan(gpu), sparsity: null };
}

export function bitProduct(fragments: Fragments, op: 'and' | 'xor'): MatrixProduct {
  return { kind: 'bits', ...matricesOf(fragments, ['b1', 'b1', 's32', 's32']), op, sparsity: null };
}

/** Describes the product that a variant computes; `fragments` are the fragments of its matrices. */
export type ProductOf = (fragments: Fragments, variant: Variant, environment: Environment) => MatrixProduct;

export function floats(fragments: Fragments, variant: Variant, environment: Environment): MatrixProduct {
  return sparseFloats(fragments, variant, environment, null);
}

export function sparseFloats(
  fragments: Fragments,
  variant: Variant,
  environment: Environment,
  sparsity: Sparsity | null,
): MatrixProduct {
  const [a, b] = [factorFormat(variant, 1), factorFormat(variant, 2)];
  return floatProduct(fragments, [a, b, sumFormat(variant, 3), sumFormat(variant, 0)], environment, { sparsity });
}

/** m8n8k4 of f16. */
export function fourfoldHalves(fragments: Fragments, variant: Variant, environment: Environment): MatrixProduct {
  const [c, d] = [sumFormat(variant, 3), sumFormat(variant, 0)];
  const arithmetic = fourfoldArithmetic(environment.gpu, d);
  if (arithmetic === null) return floats(fragments, variant, environment);
  return { kind: 'stepwise', ...matricesOf(fragments, ['f16', 'f16', c, d]), arithmetic, sparsity: null };
}

export function integers(fragments: Fragments, variant: Variant): MatrixProduct {
  return sparseIntegers(fragments, variant, null);
}

export function sparseIntegers(fragments: Fragments, variant: Variant, sparsity: Sparsity | null): MatrixProduct {
  const types = [integerType(variant, 1), integerType(variant, 2)] as const;
  return integerProduct(fragments, types, has(variant, '.satfinite'), sparsity);
}

export function doubles(fragments: Fragments, variant: Variant, environment: Environment): MatrixProduct {
  return doubleProduct(fragments, roundingOf(variant), environment);
}

export function bitwise(fragments: Fragments, variant: Variant): MatrixProduct {
  return bitProduct(fragments, has(variant, '.and') ? 'and' : 'xor');
}

/** The names of the registers that a product writes (`to`) and reads (`from`). */
export interface ProductOperands {
  readonly to: readonly Ref[];
  readonly from: readonly Ref[];
}

/**
 * Returns the step that computes a product. `name` must be different for different products; callers pass the mnemonic.
 */
export function multiply(name: string, product: MatrixProduct, { to, from }: ProductOperands): readonly Step[] {
  return [{ kind: 'collective', fn: { form: 'mma', name, product }, to, from, mask: null }];
}
