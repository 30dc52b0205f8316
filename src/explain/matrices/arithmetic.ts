/** Describes in words how the matrix product of an instruction is computed on each GPU that can run the instruction. */
import { elementAt } from '../../base/element-at.ts';
import { acceptance, rowsOf } from '../../check/availability.ts';
import { environmentOf } from '../../isa/environment.ts';
import type { Variant } from '../../isa/form.ts';
import { type Gpu, gpus, runsOn } from '../../isa/gpus.ts';
import { type MatrixProduct, type ProductOf, sumFormatOf } from '../../isa/matrix-product.ts';
import type { Step } from '../../isa/steps/step.ts';
import { findTarget, newestVersion } from '../../isa/targets.ts';
import { type DotArithmetic, longestChunk } from '../../numerics/dot-arithmetic.ts';

/** A group of GPUs that compute in the same way. */
export interface GpuArithmetic {
  /** `sm_80 to sm_89`, `sm_90 and later`, `every GPU`. */
  readonly gpus: string;
  readonly names: readonly string[];
  readonly rule: string;
  /** A description of the arithmetic as data; null for integers, bits and f64. */
  readonly arithmetic: DotArithmetic | null;
}

export interface ProductExplanation {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** The sentences that apply to every GPU. */
  readonly rules: readonly string[];
  readonly byGpu: readonly GpuArithmetic[];
}

/** Returns the matrix product that the steps compute; null if the steps do not compute a matrix product. */
export function productOf(steps: readonly Step[]): MatrixProduct | null {
  for (const step of steps) if (step.kind === 'collective' && step.fn.form === 'mma') return step.fn.product;
  return null;
}

/** Returns the GPUs that can run this variant when it is compiled for a suitable target, in ascending order. */
export function gpusFor(variant: Variant): readonly Gpu[] {
  const accepted = acceptance(new Set(rowsOf(variant))).flatMap(({ target }) => findTarget(target) ?? []);
  return gpus.filter((gpu) => accepted.some((target) => runsOn(target, gpu)));
}

/** Returns the matrix product that a variant computes on a GPU. */
export function productOn(variant: Variant, gpu: Gpu): MatrixProduct | null {
  const target = findTarget(gpu.name);
  return target === undefined
    ? null
    : productOf(variant.form.steps(variant, environmentOf(newestVersion, target, gpu)));
}

export function explainProduct(variant: Variant, product: MatrixProduct | null): ProductExplanation | null {
  if (product === null) return null;
  const { m, n, k } = product;
  const addend = variant.form.operands.some(({ name }) => name === 'c') ? 'c' : 'the old value of d';
  return { m, n, k, rules: rulesOf(product, addend), byGpu: dependsOnGpu(product) ? byGpu(variant) : [] };
}

const dependsOnGpu = ({ kind }: MatrixProduct): boolean => kind === 'float' || kind === 'stepwise';

/** Describes how a product is computed on every GPU. `addend` describes the value to which the product is added. */
function rulesOf(product: MatrixProduct, addend: string): readonly string[] {
  switch (product.kind) {
    case 'integer': {
      const end = product.satfinite ? 'is clamped to the range of s32' : 'wraps to 32 bits';
      return [`Products and their sum with ${addend} are exact; the result ${end}. Every GPU gives the same result.`];
    }
    case 'bits': {
      const counted = product.op === 'and' ? 'set in both a and b' : 'that differ between a and b';
      return [
        `Counts the bits ${counted} and adds ${addend}; the sum wraps to 32 bits. Every GPU gives the same result.`,
      ];
    }
    case 'double':
      return [
        `A chain of fused multiply-adds that begins with c and proceeds in the order of k, each rounded by .${product.rounding}. Every GPU gives the same result, except for the bits of a NaN.`,
      ];
    case 'stepwise':
      return stepwiseRules(product);
    case 'float':
      return floatRules(product, addend);
  }
}

function floatRules(product: ProductOf<'float'>, addend: string): readonly string[] {
  const { scaling, c, d } = product;
  const nan = d.format === 'f16' ? '0x7fff' : '0x7fffffff';
  const terms = scaling?.group === 16 ? 'sums of 16 products' : 'products';
  return [
    `The ${terms} are exact. In each chunk, these ${terms} and the sum so far, which starts as ${addend}, are aligned to the greatest exponent among them, truncated, and added exactly. The sum is rounded once, at the end of the chunk.`,
    'The exponent of a product is the sum of the exponents of its factors, even if its significand is 2 or more.',
    ...(scaling === null ? [] : [scaleRule(scaling.group)]),
    ...(c.format === 'f16' && d.format === 'f32' ? ['c is converted to f32 first.'] : []),
    `A NaN, infinity times zero, and infinities of both signs give ${nan}. A sum that is zero is +0.`,
  ];
}

function stepwiseRules({ d }: ProductOf<'stepwise'>): readonly string[] {
  return ['The products are exact.', `A NaN result is ${d.format === 'f16' ? '0x7fff' : '0x7fffffff'}.`];
}

function scaleRule(group: 1 | 16): string {
  return group === 1
    ? 'The exponents of both scales are added to that of each product. A NaN scale gives NaN.'
    : 'Each sum is multiplied by the significands of its scales; its exponent is that of the scales alone. The sign of a ue4m3 scale is ignored. A NaN scale gives NaN.';
}

function byGpu(variant: Variant): readonly GpuArithmetic[] {
  const groups: { rule: string; arithmetic: DotArithmetic | null; own: Gpu[] }[] = [];
  for (const gpu of gpusFor(variant)) {
    const product = productOn(variant, gpu);
    if (product?.kind !== 'float' && product?.kind !== 'stepwise') continue;
    const rule = product.kind === 'float' ? chunkRule(product) : stepRule(product);
    const last = groups[groups.length - 1];
    if (last?.rule === rule) last.own.push(gpu);
    else groups.push({ rule, arithmetic: product.kind === 'float' ? product.arithmetic : null, own: [gpu] });
  }
  return groups.map(({ rule, arithmetic, own }) => ({
    gpus: rangeOf(own),
    names: own.map(({ name }) => name),
    rule,
    arithmetic,
  }));
}

const ends = {
  f32: 'f32 toward zero',
  e8m13: '14 significant bits toward zero',
  f16: 'f16 to nearest even',
} as const;

function chunkRule(product: ProductOf<'float'>): string {
  const { arithmetic, a, scaling } = product;
  const { kept, end, order } = arithmetic;
  const count = a.fragment.columns / (scaling?.group ?? 1);
  const noun = scaling?.group === 16 ? 'sums' : 'products';
  const chunk = longestChunk(count, arithmetic);
  const size = chunk === count ? `all ${count} ${noun} in one chunk` : `chunks of ${chunk} ${noun}`;
  const cut = `cut off below 2^-${kept} of the greatest exponent, rounded to ${ends[end]}`;
  const halves =
    '; the elements are converted to f16; first those with k % 4 < 2, starting from zero, then the others; c is added last, rounding to nearest even';
  return `${size}, ${cut}${order === 'halves' ? halves : ''}${narrowing(product)}`;
}

/** Describes the conversion that a GPU performs if C is f32 and D is f16; empty for other formats. */
function narrowing(product: ProductOf<'float'>): string {
  if (product.c.format === 'f16' || product.d.format === 'f32') return '';
  return sumFormatOf(product) === 'f16'
    ? '; c is converted to f16 first'
    : '; the result is rounded to f16 to nearest even';
}

/** Describes the arithmetic of a GPU that emulates the instruction by multiplying and adding single elements. */
function stepRule({ arithmetic, d }: ProductOf<'stepwise'>): string {
  const { group, start } = arithmetic;
  const steps = group === 1 ? 'one product after the other' : 'sums of two products, one after the other';
  return `${steps}, ${start === 'c' ? 'added to c' : 'starting from zero; c is added last'}, each rounded to f32 to nearest even${d.format === 'f16' ? '; the result is rounded to f16' : ''}`;
}

/** Returns the name of a range of GPUs that are consecutive in the list of GPUs, such as `sm_80 to sm_89`. */
function rangeOf(own: readonly Gpu[]): string {
  const [first, last] = [elementAt(own, 0), elementAt(own, own.length - 1)];
  if (last === gpus[gpus.length - 1]) return `${first.name} and later`;
  return first === last ? first.name : `${first.name} to ${last.name}`;
}
