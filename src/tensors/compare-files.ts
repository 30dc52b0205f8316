/** Compares two tensor files, tensor by tensor. */
import { Comparer, type Comparison, type Specials } from '../arrays/statistics/comparison.ts';
import type { ExponentCount } from '../arrays/statistics/exponent-histogram.ts';
import { isCoarser, type SpacingUnit } from '../arrays/statistics/spacing.ts';
import { Summarizer } from '../arrays/statistics/summary.ts';
import { requireOptions } from '../base/require.ts';
import { callback, flag, type Rule, type RulesFor, signal, whole } from '../base/rules.ts';
import { pairOf } from '../base/tuples.ts';
import { type ExactChunk, exactValuesOf, restOfDifference } from './exact-values.ts';
import { type Pairing, pairTensors, type Side, type TensorPair } from './pairing.ts';
import { forEachChunk, isReadable, type TensorValues } from './tensor-values.ts';
import { equalBytes } from './equal-bytes.ts';
import { modelOf } from './checkpoints/model-tensors.ts';
import { named } from './tensor-error.ts';
import type { TensorFile } from './tensor-file.ts';

export type PairOutcome =
  | {
      readonly kind: 'compared';
      readonly comparison: Comparison;
      /** The counts of NaNs and infinities in each of the two tensors. */
      readonly specials: Specials;
      /** The unit of errors. */
      readonly unit: SpacingUnit;
      /** How often each exponent occurs in each of the two tensors; null unless `withExponents` is set. */
      readonly exponents: readonly [readonly ExponentCount[], readonly ExponentCount[]] | null;
    }
  /**
   * The bytes of the tensors were compared instead of their values, because the elements are not numbers or ptxlab
   * cannot decode them.
   */
  | { readonly kind: 'bytes'; readonly areEqual: boolean }
  | { readonly kind: 'shapes-differ' }
  /** The two types differ, and the elements of at least one of the tensors are not numbers or cannot be decoded. */
  | { readonly kind: 'types-differ' };

export interface ComparedPair extends TensorPair {
  readonly outcome: PairOutcome;
}

export interface FileComparison extends Omit<Pairing, 'pairs'> {
  /** The pairs, in the order of the first file. */
  readonly pairs: readonly ComparedPair[];
}

export interface CompareFilesOptions {
  /** Selects tensors by name. Default: all. */
  readonly takes?: (name: string) => boolean;
  /**
   * Number of elements that the result lists for each tensor, starting with the one with the largest error. Default: 5.
   */
  readonly worst?: number;
  /** Whether to count the exponents in both tensors of each pair. Default false. */
  readonly withExponents?: boolean;
  /**
   * If this signal is aborted, the result contains only the pairs compared so far, and the comparison of the last pair
   * may be incomplete.
   */
  readonly signal?: AbortSignal;
  /**
   * Called repeatedly during the comparison with the number of elements that have been compared since the previous
   * call.
   */
  readonly progress?: (elements: number) => void;
  /** Names of the two files; messages about errors in their values begin with these names. */
  readonly names?: readonly [a: string, b: string];
}

const names: Rule<readonly [string, string]> = {
  takes: 'a list of two names',
  accepts: (value) => Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string'),
};

const rules: RulesFor<CompareFilesOptions> = {
  takes: callback(),
  worst: whole(2 ** 20, '2^20'),
  withExponents: flag,
  signal,
  progress: callback(),
  names,
};

/**
 * Compares the tensors of two files, as the command `diff` does. Tensors are paired by name; if both files have only
 * one tensor, these two are paired. If scales are stored in separate tensors, the elements are multiplied by their
 * scales. Values are read in pieces and compared in f64, except for 64-bit integers, which are compared exactly.
 *
 * @throws TensorFileError for data that cannot be read
 */
export async function compareFiles(
  a: TensorFile,
  b: TensorFile,
  options: CompareFilesOptions = {},
): Promise<FileComparison> {
  requireOptions(options, rules, 'compareFiles');
  return comparePairing(pairTensors(modelOf(a), modelOf(b), options.takes ?? (() => true)), options);
}

/**
 * The number of elements that `comparePairing` compares, which is the sum of all counts that it passes to `progress`.
 */
export function elementsToCompare({ pairs }: Pairing): number {
  return pairs.filter(isComparable).reduce((sum, { a: { entry } }) => sum + entry.elements, 0);
}

export async function comparePairing(pairing: Pairing, options: CompareFilesOptions): Promise<FileComparison> {
  const { pairs: found, ...alone } = pairing;
  const pairs: ComparedPair[] = [];
  for (const pair of found) {
    if (options.signal?.aborted === true) break;
    pairs.push({ ...pair, outcome: await comparePair(pair, options) });
  }
  return { pairs, ...alone };
}

function isComparable({ a, b }: TensorPair): boolean {
  return isSameShape(a.entry.shape, b.entry.shape) && isReadable(a.entry) && isReadable(b.entry);
}

async function comparePair(pair: TensorPair, options: CompareFilesOptions): Promise<PairOutcome> {
  const { a, b } = pair;
  const [nameA = null, nameB = null] = options.names ?? [];
  if (!isSameShape(a.entry.shape, b.entry.shape)) return { kind: 'shapes-differ' };
  if (!isComparable(pair)) {
    if (a.entry.dtype !== b.entry.dtype) return { kind: 'types-differ' };
    return { kind: 'bytes', areEqual: await equalBytes(a.file.data(a.entry), b.file.data(b.entry)) };
  }
  const [left, right] = [await valuesFrom(nameA, a), await valuesFrom(nameB, b)];
  const unit = unitOf(left.values, right.values);
  const comparer = new Comparer({ unit, worst: options.worst ?? 5 });
  const summaries = options.withExponents === true ? ([new Summarizer('f64'), new Summarizer('f64')] as const) : null;
  const take = (...chunks: ExactChunk[]): void => {
    const [x, y] = pairOf(chunks);
    comparer.add(x.values, y.values, restOfDifference(x, y));
    summaries?.[0].add(x.values);
    summaries?.[1].add(y.values);
    options.progress?.(x.values.length);
  };
  await forEachChunk([left, right], take, options.signal ?? new AbortController().signal);
  const exponents = summaries === null ? null : ([exponentsOf(summaries[0]), exponentsOf(summaries[1])] as const);
  return { kind: 'compared', comparison: comparer.result(), specials: comparer.specials(), unit, exponents };
}

/** Like `exactValuesOf`, but messages about errors in the values begin with the name of the file. */
async function valuesFrom(name: string | null, side: Side): ReturnType<typeof exactValuesOf> {
  try {
    const exact = await exactValuesOf(side);
    const load: typeof exact.load = async (from, count) => {
      const loaded = await exact.load(from, count);
      return () => {
        try {
          return loaded();
        } catch (error) {
          throw named(name, error);
        }
      };
    };
    return { ...exact, load };
  } catch (error) {
    throw named(name, error);
  }
}

/**
 * The unit in which errors are measured: the spacing between adjacent values of the format with the lower precision.
 */
function unitOf(a: TensorValues, b: TensorValues): SpacingUnit {
  const { format, isScaled } = isCoarser(b.format, a.format) ? b : a;
  return { format, anyExponent: isScaled };
}

function exponentsOf(summarizer: Summarizer): readonly ExponentCount[] {
  return summarizer.result().exponents;
}

function isSameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((extent, axis) => extent === b[axis]);
}
