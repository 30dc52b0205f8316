/** Comparing two tensor files, tensor by tensor. */
import { Comparer, type Comparison, type Specials } from '../../arrays/statistics/comparison.ts';
import type { ExponentCount } from '../../arrays/statistics/exponent-histogram.ts';
import { isCoarser, type SpacingUnit } from '../../arrays/statistics/spacing.ts';
import { Summarizer } from '../../arrays/statistics/summary.ts';
import { pairOf } from '../../base/tuples.ts';
import { modelOf } from '../../tensors/checkpoints/model-tensors.ts';
import { type ExactChunk, exactValuesOf, restOfDifference } from '../../tensors/exact-values.ts';
import { type Pairing, pairTensors, type Side, type TensorPair } from '../../tensors/pairing.ts';
import { forEachChunk, isReadable, type TensorValues } from '../../tensors/tensor-values.ts';
import { equalBytes } from './equal-bytes.ts';
import type { Progress } from '../progress.ts';
import { named, type TensorInput } from '../tensor-input.ts';

export type PairOutcome =
  | {
      readonly kind: 'compared';
      readonly comparison: Comparison;
      readonly specials: Specials;
      /** The unit of errors. */
      readonly unit: SpacingUnit;
      /** Exponents of the elements of each side; null unless requested. */
      readonly exponents: readonly [readonly ExponentCount[], readonly ExponentCount[]] | null;
    }
  /** Elements of a type that is not numeric, or that ptxlab cannot decode. */
  | { readonly kind: 'bytes'; readonly areEqual: boolean }
  | { readonly kind: 'shapes-differ' }
  /** At least one side has such a type, and the types differ. */
  | { readonly kind: 'types-differ' };

export interface ComparedPair extends TensorPair {
  readonly outcome: PairOutcome;
}

export interface FileDiff extends Omit<Pairing, 'pairs'> {
  readonly a: TensorInput;
  readonly b: TensorInput;
  readonly pairs: readonly ComparedPair[];
}

export interface DiffOptions {
  /** Number of worst elements kept for each tensor. */
  readonly worst: number;
  readonly withExponents: boolean;
  readonly signal: AbortSignal;
  /** Called with the number of elements to compare. */
  readonly begin: (elements: number) => Promise<Progress>;
}

/** Compares all tensors that are in both files. If `signal` is aborted, the result is incomplete. */
export async function compareFiles(a: TensorInput, b: TensorInput, options: DiffOptions): Promise<FileDiff> {
  const { pairs, ...alone } = pairTensors(modelOf(a.file), modelOf(b.file), a.takes);
  const comparable = pairs.filter(isComparable);
  const progress = await options.begin(comparable.reduce((sum, { a: { entry } }) => sum + entry.elements, 0));
  try {
    const compared: ComparedPair[] = [];
    for (const pair of pairs) {
      if (options.signal.aborted) break;
      compared.push({ ...pair, outcome: await comparePair(pair, [a.path, b.path], progress, options) });
    }
    return { a, b, pairs: compared, ...alone };
  } finally {
    progress.end();
  }
}

function isComparable({ a, b }: TensorPair): boolean {
  return isSameShape(a.entry.shape, b.entry.shape) && isReadable(a.entry) && isReadable(b.entry);
}

async function comparePair(
  pair: TensorPair,
  [pathA, pathB]: readonly [string, string],
  progress: Progress,
  options: DiffOptions,
): Promise<PairOutcome> {
  const { a, b } = pair;
  if (!isSameShape(a.entry.shape, b.entry.shape)) return { kind: 'shapes-differ' };
  if (!isComparable(pair)) {
    if (a.entry.dtype !== b.entry.dtype) return { kind: 'types-differ' };
    return { kind: 'bytes', areEqual: await equalBytes(a.file.data(a.entry), b.file.data(b.entry)) };
  }
  const [left, right] = [await valuesFrom(pathA, a), await valuesFrom(pathB, b)];
  const unit = unitOf(left.values, right.values);
  const comparer = new Comparer({ unit, worst: options.worst });
  const summaries = options.withExponents ? ([new Summarizer('f64'), new Summarizer('f64')] as const) : null;
  const take = (...chunks: ExactChunk[]): void => {
    const [x, y] = pairOf(chunks);
    comparer.add(x.values, y.values, restOfDifference(x, y));
    summaries?.[0].add(x.values);
    summaries?.[1].add(y.values);
    progress.add(x.values.length);
  };
  await forEachChunk([left, right], take, options.signal);
  const exponents = summaries === null ? null : ([exponentsOf(summaries[0]), exponentsOf(summaries[1])] as const);
  return { kind: 'compared', comparison: comparer.result(), specials: comparer.specials(), unit, exponents };
}

/** Like `exactValuesOf`; errors in the values name their file. */
async function valuesFrom(path: string, side: Side): ReturnType<typeof exactValuesOf> {
  try {
    const exact = await exactValuesOf(side);
    const load: typeof exact.load = async (from, count) => {
      const loaded = await exact.load(from, count);
      return () => {
        try {
          return loaded();
        } catch (error) {
          throw named(path, error);
        }
      };
    };
    return { ...exact, load };
  } catch (error) {
    throw named(path, error);
  }
}

/** The spacing of the coarser format. */
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
