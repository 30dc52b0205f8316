/** One element of a matrix product: a dot product on a chosen GPU, and the steps that lead to its result. */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { err, ok, type Result } from '../base/result.ts';
import { resolveMnemonic } from '../check/instructions/resolve.ts';
import { explainProduct, gpusFor, productOn } from '../explain/matrices/arithmetic.ts';
import { isAvailableFor, type TargetChoice } from '../explain/target-choice.ts';
import { elementFunction, type Factors, floatTerms, type ScalePair, scaleTerm } from '../interp/matrix-element.ts';
import type { Variant } from '../isa/form.ts';
import { type Gpu, gpuOf, runsOn } from '../isa/gpus.ts';
import { type MatrixProduct, type ProductOf, type Scaling, sumFormatOf } from '../isa/matrix-product.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { readAccumulator } from '../numerics/dot.ts';
import { type ExplainedDot, exactSum, explainDot } from '../numerics/explain-dot.ts';
import { type EvalError, errorOf, unavailable } from './prepare.ts';

/** A matrix instruction, prepared for computing one element of its result. */
export interface PreparedDot {
  readonly variant: Variant;
  readonly gpu: Gpu;
  readonly product: MatrixProduct;
  /** Number of products that are added up to compute one element of D: k or, if A is sparse, k / 2. */
  readonly count: number;
  /** Number of scales for each row of A and for each column of B. */
  readonly scales: number;
}

/** Bits of the operands. `a` and `b` have one entry for each product that is added up to compute one element of D. */
export interface DotOperands {
  readonly a: readonly Bits[];
  readonly b: readonly Bits[];
  readonly c: Bits;
  readonly scaleA: readonly number[];
  readonly scaleB: readonly number[];
}

/** The result on a group of GPUs that all compute it in the same way. */
export interface DotOnGpus {
  /** `sm_80 to sm_89`. */
  readonly gpus: string;
  readonly bits: Bits;
}

/** Explains the result of a dot product of floats. */
export interface DotExplanation extends ExplainedDot {
  readonly byGpu: readonly DotOnGpus[];
  /**
   * The exact sum, rounded once to nearest even; null if a term is not finite or the sum is too large for the format of
   * the result.
   */
  readonly exact: Bits | null;
}

/**
 * Prepares the computation of one element of the matrix product that a mnemonic describes. If `gpu` is null, the GPU of
 * the target is used. If there is no target either, the newest GPU that can execute the instruction is used.
 */
export function prepareDot(mnemonic: string, choice: TargetChoice, gpu: Gpu | null): Result<PreparedDot, EvalError> {
  const resolution = resolveMnemonic(mnemonic);
  if (resolution.kind === 'refused') return err(errorOf(elementAt(resolution.problems, 0)));
  const variants = resolution.kind === 'variants' ? resolution.variants : [];
  const products = variants.filter((variant) => gpusFor(variant).some((one) => productOn(variant, one) !== null));
  const [first] = products;
  if (first === undefined) {
    const message = `${mnemonic} does not multiply matrices; a, b and c are only for mma and wmma.mma`;
    return err({ code: 'NOT_A_PRODUCT', message });
  }
  const variant = products.find((one) => isAvailableFor(one, choice));
  if (variant === undefined) return err(unavailable(first, choice));
  const chosen = chooseGpu(variant, choice, gpu);
  if (!chosen.ok) return chosen;
  const product = productOn(variant, chosen.value);
  if (product === null) throw new Error(`${mnemonic} does not multiply matrices on ${chosen.value.name}`);
  return ok({
    variant,
    gpu: chosen.value,
    product,
    count: product.a.fragment.columns,
    scales: product.kind === 'float' && product.scaling !== null ? scaleCount(product.scaling) : 0,
  });
}

/** Number of scales for each row of A and for each column of B. */
export function scaleCount({ block, group }: Scaling): number {
  return group === 1 ? 1 : 64 / block;
}

function chooseGpu(variant: Variant, { target }: TargetChoice, wanted: Gpu | null): Result<Gpu, EvalError> {
  const fitting = gpusFor(variant).filter((gpu) => target === null || runsOn(target, gpu));
  const gpu = wanted ?? (target === null ? elementAt(fitting, fitting.length - 1) : gpuOf(target));
  if (fitting.includes(gpu)) return ok(gpu);
  const names = fitting.map(({ name }) => name).join(', ');
  const code = target === null ? '' : ` compiled for ${target.name}`;
  return err({
    code: 'unfit-gpu',
    message: `${gpu.name} cannot run ${variant.mnemonic}${code}`,
    help: `GPUs that can: ${names}`,
  });
}

/**
 * The properties of an element's type that `readValue` needs. `format` is null for `b1`, which is not a number format.
 */
export interface ElementType {
  readonly name: string;
  readonly class: 'bits' | 'float' | 'signed' | 'unsigned';
  readonly format: FormatName | null;
  readonly width: number;
  readonly lanes: 1;
  readonly laneStride: number;
}

/**
 * The types of the elements of A, B, C and D, and of the scales. `scale` is meaningful only if the product has scales.
 */
export function elementTypes({ product }: PreparedDot): Readonly<Record<'a' | 'b' | 'c' | 'd' | 'scale', ElementType>> {
  const scale = product.kind === 'float' ? (product.scaling?.format ?? 'ue8m0') : 'ue8m0';
  return {
    a: elementType(product.a.format),
    b: elementType(product.b.format),
    c: elementType(product.c.format),
    d: elementType(product.d.format),
    // A ue4m3 scale can be read as e4m3, because the sign bit of a scale is ignored.
    scale: elementType(scale === 'ue4m3' ? 'e4m3' : scale),
  };
}

function elementType(format: FormatName | 'b1'): ElementType {
  if (format === 'b1') return { name: '.b1', class: 'bits', format: null, width: 1, lanes: 1, laneStride: 1 };
  const { width, kind, signed } = formats[format];
  const integer = signed ? 'signed' : 'unsigned';
  return {
    name: `.${format}`,
    class: kind === 'integer' ? integer : 'float',
    format,
    width,
    lanes: 1,
    laneStride: width,
  };
}

/** The bits that represent 1 in the format of the scales. */
export function unitScale({ product }: PreparedDot): number {
  return product.kind === 'float' && product.scaling?.format === 'ue4m3' ? 0x38 : 0x7f;
}

/** The bits of the element of D. */
export function dotBits({ product }: PreparedDot, operands: DotOperands): Bits {
  return elementFunction(product)(factorsOf(product, operands), operands.c, scalesOf(product, operands));
}

/**
 * Explains a dot product of floats: returns its chunks and the results of other GPUs. Returns null for products of
 * other kinds.
 */
export function explainDotProduct(prepared: PreparedDot, operands: DotOperands): DotExplanation | null {
  const { product, variant } = prepared;
  if (product.kind !== 'float') return null;
  const { terms, start } = floatTerms(product);
  const [added, c] = [terms(factorsOf(product, operands), scalesOf(product, operands)), start(operands.c)];
  const read = readAccumulator[sumFormatOf(product)];
  return {
    ...explainDot(added, c, product.arithmetic),
    byGpu: resultsByGpu(variant, product, operands),
    exact: exactSum([...added, read(c)], product.d.format),
  };
}

function resultsByGpu(variant: Variant, product: ProductOf<'float'>, operands: DotOperands): readonly DotOnGpus[] {
  const all = gpusFor(variant);
  const groups = explainProduct(variant, product)?.byGpu ?? [];
  return groups.flatMap(({ gpus, names }) => {
    const gpu = all.find(({ name }) => name === names[0]);
    const own = gpu === undefined ? null : productOn(variant, gpu);
    if (own === null) return [];
    return [{ gpus, bits: elementFunction(own)(factorsOf(own, operands), operands.c, scalesOf(own, operands)) }];
  });
}

/** Shifts the bits of the elements to their positions in a register. */
function factorsOf({ a, b }: MatrixProduct, operands: DotOperands): Factors {
  const placed = (codes: readonly Bits[], low: number): readonly Bits[] =>
    low === 0 ? codes : codes.map((bits) => Number(bits) << low);
  return { a: placed(operands.a, a.low), b: placed(operands.b, b.low) };
}

function scalesOf(product: MatrixProduct, { scaleA, scaleB }: DotOperands): readonly ScalePair[] {
  if (product.kind !== 'float' || product.scaling === null) return [];
  const read = scaleTerm(product.scaling.format);
  return scaleA.map((one, i): ScalePair => [read(one), read(elementAt(scaleB, i))]);
}
