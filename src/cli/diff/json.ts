/** The output of `diff --json`. */
import type { Comparison } from '../../arrays/statistics/comparison.ts';
import type { Side } from '../../tensors/pairing.ts';
import type { ComparedPair, PairOutcome } from '../../tensors/compare-files.ts';
import type { FileDiff } from './file-diff.ts';
import { modelOf } from '../../tensors/checkpoints/model-tensors.ts';
import { complaints, isClean, isEqual, type Limits } from './verdict.ts';
import { jsonNumber } from '../number-text.ts';
import type { TensorInput } from '../tensor-input.ts';

export function diffJson(diff: FileDiff, limits: Limits): object {
  const { a, b, pairs, onlyInA, onlyInB, ignored } = diff;
  return {
    a: fileJson(a),
    b: fileJson(b),
    ok: isClean(diff, limits),
    limits,
    tensors: pairs.map((pair) => pairJson(pair, limits)),
    ignored: ignored.map(({ name }) => name),
    onlyInA: onlyInA.map(({ name }) => name),
    onlyInB: onlyInB.map(({ name }) => name),
  };
}

function fileJson({ path, file }: TensorInput): object {
  return { file: path, container: file.container, warnings: modelOf(file).lookAlikes };
}

function pairJson(pair: ComparedPair, limits: Limits): object {
  const { a, b, outcome } = pair;
  return {
    name: a.entry.name,
    a: sideJson(a),
    b: sideJson(b),
    equal: isEqual(pair),
    complaints: complaints(pair, limits),
    comparison: outcome.kind === 'compared' ? comparisonJson(outcome) : null,
  };
}

function sideJson({ entry: { name, dtype, shape }, scales }: Side): object {
  return { name, dtype, shape, scales: scales === null ? null : scales.scale.name };
}

function comparisonJson({ comparison, specials, unit }: Extract<PairOutcome, { kind: 'compared' }>): object {
  const { count, different, zeroSigns, nanMismatches, infinityMismatches, ulps, worst }: Comparison = comparison;
  return {
    count,
    different,
    zeroSigns,
    nanMismatches,
    infinityMismatches,
    specials,
    maxAbs: jsonNumber(comparison.maxAbs),
    maxRel: jsonNumber(comparison.maxRel),
    meanSquaredError: jsonNumber(comparison.meanSquaredError),
    sqnr: jsonNumber(comparison.sqnr),
    cosine: jsonNumber(comparison.cosine),
    unit: unit.format,
    unitIsScaled: unit.anyExponent,
    ulps: ulps.map(({ ulps: most, count: elements }) => ({ ulps: jsonNumber(most), count: elements })),
    worst: worst.map(({ index, a, b, error }) => ({
      index,
      a: jsonNumber(a),
      b: jsonNumber(b),
      error: jsonNumber(error),
    })),
  };
}
