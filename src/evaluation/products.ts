/** Lists the matrix products that `evaluateDot` can compute, so that a user can choose one of them. */
import { gpusFor, productOn } from '../explain/matrices/arithmetic.ts';
import { isAvailableFor, type TargetChoice } from '../explain/target-choice.ts';
import { expandCompiled } from '../isa/expand.ts';
import type { Variant } from '../isa/form.ts';
import type { GpuName } from '../isa/gpus.ts';
import { ptxForms } from '../isa/table.ts';
import type { FormatName } from '../numerics/formats.ts';
import { scaleCount } from './dot-product.ts';

/** An instruction that multiplies matrices. */
export interface ProductEntry {
  readonly mnemonic: string;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** The formats of the elements; `b1` stands for single bits. */
  readonly a: FormatName | 'b1';
  readonly b: FormatName | 'b1';
  readonly c: FormatName;
  readonly d: FormatName;
  /** The number of products that are added to an element of C: k or, if A is sparse, k / 2. */
  readonly count: number;
  /**
   * The format of the scales, and the number of scales for each row of A and for each column of B. Null without
   * `.block_scale`.
   */
  readonly scales: { readonly format: 'ue8m0' | 'ue4m3'; readonly count: number } | null;
  /** The GPUs that can run the instruction, in ascending order. */
  readonly gpus: readonly GpuName[];
}

const opcodes = ['mma', 'wmma.mma'];

/**
 * Every matrix product: each variant without optional modifiers, and with each optional modifier alone, in the order of
 * the instruction table.
 */
export function productEntries(choice: TargetChoice): readonly ProductEntry[] {
  const found = new Map<string, ProductEntry>();
  for (const opcode of opcodes) {
    for (const form of ptxForms.forms(opcode)) {
      for (const variant of expandCompiled(form, { optional: 'one' })) {
        const entry = isAvailableFor(variant, choice) ? entryOf(variant) : null;
        if (entry !== null && !found.has(entry.mnemonic)) found.set(entry.mnemonic, entry);
      }
    }
  }
  return [...found.values()];
}

function entryOf(variant: Variant): ProductEntry | null {
  const gpus = gpusFor(variant);
  const newest = gpus[gpus.length - 1];
  const product = newest === undefined ? null : productOn(variant, newest);
  if (product === null) return null;
  const { m, n, k, a, b, c, d } = product;
  const scaling = product.kind === 'float' ? product.scaling : null;
  return {
    mnemonic: variant.mnemonic,
    m,
    n,
    k,
    a: a.format,
    b: b.format,
    c: c.format,
    d: d.format,
    count: a.fragment.columns,
    scales: scaling === null ? null : { format: scaling.format, count: scaleCount(scaling) },
    gpus: gpus.map(({ name }) => name),
  };
}
