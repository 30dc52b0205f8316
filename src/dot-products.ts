/**
 * The public functions that compute and explain one element of a matrix product, such as `evaluateDot` and
 * `explainDot`.
 */
import type { Bits } from './base/bits.ts';
import { PtxlabError } from './base/error.ts';
import { requireText } from './base/require-text.ts';
import { requireArgument, requireOptions } from './base/require.ts';
import { anything, type RulesFor, shaped } from './base/rules.ts';
import { judgeRules, type JudgeOptions, readGpu, readJudgeOptions } from './check/judge-options.ts';
import {
  dotBits,
  type DotExplanation,
  type DotOperands,
  type ElementType,
  elementTypes,
  explainDotProduct,
  type PreparedDot,
  prepareDot,
  unitScale,
} from './evaluation/dot-product.ts';
import { explainProduct, productOf, type ProductExplanation } from './explain/matrices/arithmetic.ts';
import { explainFragments, type FragmentExplanation } from './explain/matrices/fragments.ts';
import { type ProductEntry, productEntries } from './evaluation/products.ts';
import { environmentOf } from './isa/environment.ts';
import type { GpuName } from './isa/gpus.ts';
import { newestTarget, newestVersion } from './isa/targets.ts';
import { bitsOfValue, checkedBits, type Value, valueOfBits } from './typed-values.ts';

export type { DotExplanation, DotOnGpus } from './evaluation/dot-product.ts';
export type { FragmentExplanation } from './explain/matrices/fragments.ts';
export type { ProductExplanation } from './explain/matrices/arithmetic.ts';
export type { ProductEntry } from './evaluation/products.ts';
export type { ExplainedChunk, ExplainedTerm } from './numerics/explain-dot.ts';

/** The inputs for one element of D: a row of A, a column of B, and the element of C. */
export interface DotInputs<Element> {
  /** The elements that the instruction multiplies: all k of them or, if A is sparse, only the k / 2 that are kept. */
  readonly a: readonly Element[];
  readonly b: readonly Element[];
  /** Default: zero. */
  readonly c?: Element;
  /**
   * For `.block_scale`: the scales of the blocks along k, for the row and for the column. Default: 1 for each block.
   */
  readonly scaleA?: readonly Element[];
  readonly scaleB?: readonly Element[];
}

export interface DotOptions extends JudgeOptions {
  /**
   * The GPU whose arithmetic is used. Default: the GPU of the target or, if there is no target, the newest GPU that
   * supports the instruction.
   */
  readonly gpu?: GpuName;
}

const rules: RulesFor<DotOptions> = { ...judgeRules, gpu: anything() };

/**
 * Computes the bits of one element of the matrix D that an `mma` or `wmma.mma` produces, in the same way as a GPU.
 *
 * ```ts
 * const elements = { a: [0x3c00, 0, 0, 0], b: [0x4000, 0, 0, 0] };
 * evaluateDot('mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32', elements, { gpu: 'V100' }); // 0x40000000
 * ```
 *
 * @param inputs the bits of each element, as an unsigned integer that fits into the width of the element's format
 * @returns a number for results of up to 32 bits, a bigint for f64
 * @throws PtxlabError with the diagnostic's code if the instruction is not legal for the target and version,
 * `NOT_A_PRODUCT` if it does not multiply matrices, `argument-type` or `argument-size` if the bits of an input do not
 * fit into its format or a list has the wrong number of elements, `unknown-gpu`, `unfit-gpu` if the GPU cannot run
 * the instruction, `unknown-target`, `unknown-version`
 */
export function evaluateDot(mnemonic: string, inputs: DotInputs<Bits>, options: DotOptions = {}): Bits {
  const prepared = prepare(mnemonic, options);
  return dotBits(prepared, operandsOf(prepared, inputs, checkedElement));
}

/**
 * Like `evaluateDot`, but takes and returns values instead of bits. An input that its float format cannot represent
 * exactly is rounded to the nearest value, ties to even.
 *
 * @returns the value of the resulting element; `NaN` if its bits represent any NaN
 * @throws PtxlabError in the same cases as `evaluateDot`
 */
export function evaluateDotValues(mnemonic: string, inputs: DotInputs<number>, options: DotOptions = {}): Value {
  const prepared = prepare(mnemonic, options);
  const bits = dotBits(prepared, operandsOf(prepared, inputs, bitsOfValue));
  return valueOfBits(bits, elementTypes(prepared).d);
}

/**
 * Explains the result of a dot product of floats: the aligned terms of each chunk, the bits that are discarded, and the
 * results of other GPUs. Returns null for integers, single bits and f64, for which all GPUs produce the same result.
 *
 * @throws PtxlabError in the same cases as `evaluateDot`
 */
export function explainDot(mnemonic: string, inputs: DotInputs<Bits>, options: DotOptions = {}): DotExplanation | null {
  const prepared = prepare(mnemonic, options);
  return explainDotProduct(prepared, operandsOf(prepared, inputs, checkedElement));
}

/** The matrices that an instruction multiplies and adds, and the arithmetic that each GPU uses for this. */
export interface MatricesExplanation {
  /** A, B, C and D, followed by metadata and scales if the instruction has them. */
  readonly fragments: readonly FragmentExplanation[];
  readonly product: ProductExplanation;
}

/**
 * Describes which lane holds which element of the matrices of an `mma` or `wmma.mma`, and how GPUs compute the
 * elements. The data is the same as in the result of `explain`.
 *
 * @throws PtxlabError in the same cases as `evaluateDot`
 */
export function explainMatrices(mnemonic: string, options: DotOptions = {}): MatricesExplanation {
  const { variant, gpu } = prepare(mnemonic, options);
  const environment = environmentOf(newestVersion, newestTarget, gpu);
  const steps = variant.form.steps(variant, environment);
  const product = explainProduct(variant, productOf(steps));
  if (product === null) throw new Error(`${mnemonic} has no product`);
  return { fragments: explainFragments(variant, steps), product };
}

/**
 * Lists every instruction that multiplies matrices and is supported by the given target and version. By default, lists
 * all instructions that at least one target supports in the newest version.
 *
 * @throws PtxlabError `unknown-target`, `unknown-version`
 */
export function products(options: JudgeOptions = {}): readonly ProductEntry[] {
  requireOptions(options, judgeRules, 'products');
  return productEntries(readJudgeOptions(options));
}

function prepare(mnemonic: string, options: DotOptions): PreparedDot {
  requireText(mnemonic, 'an instruction');
  requireOptions(options, rules, 'evaluateDot');
  const { gpu } = options;
  const prepared = prepareDot(mnemonic, readJudgeOptions(options), gpu === undefined ? null : readGpu(gpu));
  if (!prepared.ok) throw new PtxlabError(prepared.error.code, prepared.error.message);
  return prepared.value;
}

const checkedElement = (bits: unknown, { width }: ElementType, where: string): Bits => checkedBits(bits, width, where);

type Read = (element: unknown, type: ElementType, where: string) => Bits;

function operandsOf(prepared: PreparedDot, inputs: DotInputs<unknown>, read: Read): DotOperands {
  requireArgument('the inputs', inputs, shaped('an object with the lists a and b', {}));
  const { count, scales } = prepared;
  const types = elementTypes(prepared);
  const list = (name: 'a' | 'b' | 'scaleA' | 'scaleB', type: ElementType, size: number): readonly Bits[] => {
    const found: unknown = inputs[name];
    if (!Array.isArray(found)) throw new PtxlabError('argument-type', `${name} must be a list of ${size} elements`);
    if (found.length !== size) {
      throw new PtxlabError('argument-size', `${name} has ${found.length} elements; the instruction takes ${size}`);
    }
    return found.map((element: unknown, i) => read(element, type, `${name}[${i}]`));
  };
  const scaled = (name: 'scaleA' | 'scaleB'): readonly number[] =>
    inputs[name] === undefined
      ? Array.from({ length: scales }, () => unitScale(prepared))
      : list(name, types.scale, scales).map(Number);
  const zero = types.c.width === 64 ? 0n : 0;
  return {
    a: list('a', types.a, count),
    b: list('b', types.b, count),
    c: inputs.c === undefined ? zero : read(inputs.c, types.c, 'c'),
    scaleA: scaled('scaleA'),
    scaleB: scaled('scaleB'),
  };
}
