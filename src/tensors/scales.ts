/**
 * Elements with separate scales: a value is element * scale, possibly multiplied or divided by a second scale.
 * `checkpoints/stored-layouts.ts` lists how these tensors are named and encoded.
 *
 * The shapes of a tensor and of its scales determine how many elements share a scale. There may be a single scale for a
 * whole tensor X, or one scale for each row of X. Otherwise, the scale tensor has as many axes as X, and the elements
 * along each axis form groups that share a scale. If one of the sizes in `usualGroups` matches the number of scales
 * along an axis, the groups along this axis have this size, except that the last group may be smaller. Otherwise, all
 * groups along an axis have the same size. A scale tensor with two axes is also accepted if X has more than two axes;
 * all axes of X except the last one are then treated as a single axis.
 */
import { elementAt, lastOf } from '../base/element-at.ts';
import { doubleAt } from '../base/typed-reads.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import { type PackedWords, wordValues } from './word-values.ts';
import { loadUnit, refuseScale, type ScaleRule, type TensorValues, tensorValues } from './tensor-values.ts';

export interface Scales {
  readonly scale: TensorEntry;
  readonly second: SecondScale | null;
  readonly grouping: Grouping;
  /**
   * How elements and zero points are packed into words; null if the elements are stored individually, in the format of
   * their tensor.
   */
  readonly words: PackedWords | null;
}

/** A second scale, for the whole tensor or for each of its matrices. */
export interface SecondScale {
  readonly entry: TensorEntry;
  readonly rule: 'multiply' | 'divide';
  /** Number of consecutive elements that share a second scale. */
  readonly span: number;
}

/**
 * Describes which elements share a scale. For each axis of `shape`, `groups` contains the number of consecutive
 * elements along the axis that share a scale.
 */
export interface Grouping {
  /** The shape of the tensor, in which all axes except the last one may have been merged into a single axis. */
  readonly shape: readonly number[];
  readonly groups: readonly number[];
}

/**
 * The numbers of elements along an axis that usually share a scale: for example, 16 in NVFP4, 32 in the MX formats, and
 * 128 in fp8 with square blocks.
 */
const usualGroups = [16, 32, 64, 128];

/** Describes how scales are shared, for example as `one scale`, `a scale per row` or `a scale for 128 × 128`. */
export function describeScales({ scale, grouping: { shape, groups } }: Scales, times: string): string {
  if (scale.elements === 1) return 'one scale';
  const outer = groups.slice(0, -1).filter((group) => group > 1);
  const last = groups.at(-1) ?? 1;
  return outer.length === 0 && last === shape.at(-1)
    ? 'a scale per row'
    : `a scale for ${[...outer, last].join(times)}`;
}

/**
 * Determines from the shapes of a tensor and its scales which elements share a scale. Returns null if the shapes do not
 * match; the two tensors are then unrelated.
 */
export function groupingOf(
  shape: readonly number[],
  { elements, shape: scales }: Pick<TensorEntry, 'elements' | 'shape'>,
): Grouping | null {
  if (elements === 1) return { shape, groups: shape };
  const rows = shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
  return fit(shape, scales) ?? fit([rows, shape.at(-1) ?? 1], scales);
}

function fit(shape: readonly number[], scales: readonly number[]): Grouping | null {
  const rows = shape.slice(0, -1);
  const isRows = scales.length === rows.length && rows.every((extent, axis) => extent === scales[axis]);
  const aligned = isRows ? [...scales, 1] : scales;
  if (aligned.length !== shape.length) return null;
  const groups = shape.map((extent, axis) => groupOf(extent, elementAt(aligned, axis)));
  return groups.every((group) => group !== null) ? { shape, groups } : null;
}

function groupOf(extent: number, scales: number): number | null {
  if (scales === 1 || scales === extent) return extent === scales ? 1 : extent;
  const usual = usualGroups.find((group) => Math.ceil(extent / group) === scales);
  if (usual !== undefined) return usual;
  return scales > 0 && extent % scales === 0 ? extent / scales : null;
}

/**
 * Reads the elements of a tensor and multiplies them by their scales, in f64. The products are exact, except that they
 * may be rounded to the precision of f64 if both scales are f32. If a scale is not a finite number and the rule is
 * `refuse`, TensorFileError `bad-scale` is thrown, either by this function or later, when elements are read.
 */
export async function scaledValues(
  file: TensorFile,
  entry: TensorEntry,
  scales: Scales,
  rule: ScaleRule = 'refuse',
): Promise<TensorValues> {
  const { scale, grouping, words } = scales;
  if (words !== null) return wordValues(file, entry, { scale, groups: grouping.groups, words }, rule);
  const plain = tensorValues(file, entry);
  const second = await secondsOf(file, scales.second, rule);
  const grid = gridOf(grouping);
  const stored = tensorValues(file, scale);
  let room = new Float64Array(0);
  return {
    ...plain,
    isScaled: true,
    async load(from, count) {
      const [lowest, highest] = grid.rangeOf(from, from + count - 1);
      const first = floorTo(lowest, loadUnit);
      const end = Math.min(floorTo(highest, loadUnit) + loadUnit, stored.elements);
      const [loaded, loadedScales] = await Promise.all([plain.load(from, count), stored.load(first, end - first)]);
      return () => {
        if (room.length < count) room = new Float64Array(count);
        room.set(loaded());
        const out = room.subarray(0, count);
        multiply(out, {
          name: rule === 'refuse' ? scales.scale.name : null,
          from,
          grid,
          scales: loadedScales(),
          first,
          second,
        });
        return out;
      };
    },
  };
}

/** Finds the indices of the scales that apply to elements. */
interface Grid {
  /**
   * Number of elements in a row, which runs along the last axis. `columnGroup` is the number of elements in a row that
   * share a scale.
   */
  readonly columns: number;
  readonly columnGroup: number;
  /**
   * Given the index of a row, returns the index of the scale that applies to the row's first element. Rows are numbered
   * consecutively across all axes except the last one.
   */
  readonly scaleOfRow: (row: number) => number;
  readonly scaleOf: (element: number) => number;
  /**
   * Returns the smallest and the largest index of the scales that apply to the elements from `first` up to and
   * including `last`.
   */
  readonly rangeOf: (first: number, last: number) => readonly [lowest: number, highest: number];
}

function gridOf({ shape, groups }: Grouping): Grid {
  const [columns, columnGroup] = [shape.at(-1) ?? 1, groups.at(-1) ?? 1];
  const scaleOfRow = (row: number): number => {
    let [rest, index, stride] = [row, 0, Math.ceil(columns / columnGroup)];
    for (let axis = shape.length - 2; axis >= 0; axis--) {
      const [extent, group] = [elementAt(shape, axis), elementAt(groups, axis)];
      index += Math.floor((rest % extent) / group) * stride;
      rest = Math.floor(rest / extent);
      stride *= Math.ceil(extent / group);
    }
    return index;
  };
  const scaleOf = (element: number): number =>
    scaleOfRow(Math.floor(element / columns)) + Math.floor((element % columns) / columnGroup);
  return { columns, columnGroup, scaleOfRow, scaleOf, rangeOf: rangesIn(shape, scaleOf) };
}

/**
 * Returns a function that finds the range of scale indices for a range of elements. It divides the range of elements
 * into boxes. Each box covers part of one axis, and all of the axes after that one. Scale indices increase along every
 * axis, so the first element of a box has the smallest scale index in the box, and the last element has the largest.
 */
function rangesIn(shape: readonly number[], scaleOf: Grid['scaleOf']): Grid['rangeOf'] {
  /**
   * For each axis, from the last to the first, the difference between the indices of two elements that are adjacent
   * along this axis.
   */
  const strides = [1];
  for (let axis = shape.length - 1; axis > 0; axis--) strides.push(lastOf(strides) * elementAt(shape, axis));
  return (first, last) => {
    const edges = strides.flatMap((stride) => [
      Math.ceil(first / stride) * stride,
      Math.floor((last + 1) / stride) * stride,
    ]);
    const begins = edges.filter((edge) => first <= edge && edge <= last);
    const ends = edges.map((edge) => edge - 1).filter((edge) => first <= edge && edge <= last);
    return [Math.min(...begins.map(scaleOf)), Math.max(...ends.map(scaleOf))];
  };
}

interface Seconds {
  /**
   * The factors that the second scales represent: the scales themselves, or their reciprocals if values are divided by
   * them.
   */
  readonly factors: Float64Array;
  readonly span: number;
}

async function secondsOf(file: TensorFile, second: SecondScale | null, refusal: ScaleRule): Promise<Seconds> {
  if (second === null) return { factors: Float64Array.of(1), span: Number.POSITIVE_INFINITY };
  const { entry, rule, span } = second;
  const stored = (await tensorValues(file, entry).load(0, entry.elements))();
  const factors = Float64Array.from(stored, (scale) => (rule === 'divide' ? 1 / scale : scale));
  // If values are divided by the second scale, a scale of zero is rejected, too.
  const areFinite = factors.every(Number.isFinite) && stored.every(Number.isFinite);
  if (!areFinite && refusal === 'refuse') refuseScale(entry.name);
  return { factors, span };
}

interface Factors {
  /**
   * The name of the tensor that contains the scales, for error messages. Null if scales that are not finite are
   * accepted.
   */
  readonly name: string | null;
  /** The index of the first element to which the factors apply. */
  readonly from: number;
  readonly grid: Grid;
  /** The scales, starting with the scale at index `first`. */
  readonly scales: Float32Array | Float64Array;
  readonly first: number;
  readonly second: Seconds;
}

function multiply(values: Float64Array, { name, from, grid, scales, first, second }: Factors): void {
  const { columns, columnGroup } = grid;
  let column = from % columns;
  let scale = grid.scaleOf(from) - first;
  const { factors, span } = second;
  for (let i = 0; i < values.length; ) {
    const length = Math.min(columnGroup - (column % columnGroup), columns - column, values.length - i);
    const factor = elementAt(scales, scale) * elementAt(factors, Math.floor((from + i) / span));
    if (factor - factor !== 0 && name !== null) refuseScale(name);
    for (const end = i + length; i < end; i++) values[i] = doubleAt(values, i) * factor;
    column += length;
    scale += 1;
    if (column === columns) {
      column = 0;
      scale = grid.scaleOfRow((from + i) / columns) - first;
    }
  }
}

function floorTo(value: number, unit: number): number {
  return value - (value % unit);
}
