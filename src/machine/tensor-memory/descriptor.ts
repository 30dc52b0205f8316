/**
 * Checks the instruction descriptor of tcgen05.mma (PTX ISA 9.1, section 9.7.16.4.2). The behavior of a GPU is
 * undefined if a field is set that the kind of product does not have, so setting such a field causes a fault.
 */
import type { ProductDescriptor, TensorProduct } from '../../isa/tensor-product.ts';
import { formats } from '../../numerics/formats.ts';
import { misuse } from './access.ts';

/** Throws a fault unless a product with these fields exists. */
export function requireDescriptor(descriptor: ProductDescriptor, product: TensorProduct): void {
  const { m, n, sparse } = descriptor;
  const { shapes } = product;
  if (!shapes.m.includes(m)) throw misuse(`there is no product with ${m} rows; M can be ${listOf(shapes.m)}`);
  if (!shapes.n.includes(n)) throw misuse(`there is no product with ${n} columns; N can be ${listOf(shapes.n)}`);
  if (sparse !== product.sparse)
    throw misuse(`the instruction descriptor is for a ${sparse ? 'sparse' : 'dense'} product`);
  if (product.bits === 4 && descriptor.hasLongRows) throw misuse('ptxlab does not compute products with K = 96');
  const step = 16 * product.blocks;
  if (product.bits === 8 && descriptor.transposesB && n % step !== 0)
    throw misuse(`there is no product with ${n} columns of transposed bytes; N must be a multiple of ${step}`);
  const wrong = wrongField(descriptor, product);
  if (wrong !== null)
    throw misuse(`the instruction descriptor ${wrong}, which is not allowed for this kind of product`);
}

/**
 * Formats a list, as in `64, 128 or 256`. In a long list, the middle of a run with equal steps is left out:
 * `8, 16, …, 256`.
 */
function listOf(values: readonly number[]): string {
  const step = (i: number): number => (values[i] ?? 0) - (values[i - 1] ?? 0);
  const inRun = (i: number): boolean =>
    i >= 2 && i < values.length - 1 && step(i) === step(i - 1) && step(i) === step(i + 1);
  const words = values.flatMap((value, i) => (inRun(i) ? (inRun(i - 1) ? [] : ['…']) : [String(value)]));
  const isShort = words.length > 1 && !words.includes('…');
  return isShort ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join(', ');
}

/** Describes a field whose value this kind of product does not allow; null if there is no such field. */
function wrongField(descriptor: ProductDescriptor, product: TensorProduct): string | null {
  const { transposesA, transposesB, negatesA, negatesB, saturates } = descriptor;
  if (product.kind === 'integer') return negatesA || negatesB ? 'negates a factor' : null;
  if (saturates && product.scaling === null) return 'saturates';
  if (transposesA && product.aInTensor) return 'transposes A in tensor memory';
  const isSmall = (code: number): boolean => {
    const format = product.factors[code];
    return format !== undefined && formats[format].width < 8;
  };
  const { a, b } = descriptor;
  if ((transposesA && isSmall(a)) || (transposesB && isSmall(b))) return 'transposes elements of fewer than 8 bits';
  if (product.scaling !== null) return scaleField(descriptor, product.scaling.count);
  const isHalf = descriptor.d === 0 && product.bits === 16;
  return isHalf && [a, b].some((code) => product.factors[code] === 'bf16') ? 'adds products of bf16 to f16' : null;
}

/** The scale factors of a line must begin at a multiple of their size in bytes. */
function scaleField({ firstScaleA, firstScaleB }: ProductDescriptor, count: number): string | null {
  const isAligned = firstScaleA % count === 0 && firstScaleB % count === 0;
  return isAligned
    ? null
    : `selects byte ${firstScaleA % count === 0 ? firstScaleB : firstScaleA} of the scale factors`;
}
