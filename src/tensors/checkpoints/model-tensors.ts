/**
 * The logical tensors of a file, as opposed to the tensors that are stored in it: codes and their scales form a single
 * logical tensor, and packed elements are counted individually.
 */
import { formats } from '../../numerics/formats.ts';
import { groupingOf, type Scales, type SecondScale } from '../scales.ts';
import { requireTensorFile } from '../require-file.ts';
import type { ModelHints, TensorEntry, TensorFile } from '../tensor-file.ts';
import { isReadable } from '../tensor-values.ts';
import { type LookAlike, lookAlikes } from './look-alikes.ts';
import { noHints } from './hints.ts';
import { activationScale, type StoredLayout, storedLayouts, zeroPointSuffix } from './stored-layouts.ts';
import { type WordLayout, wordLayouts } from './word-layouts.ts';
import { wordTensorIn } from './word-tensors.ts';

export interface ModelTensor {
  /** The entry from which values are read. Elements are counted individually, even if two of them share a byte. */
  readonly entry: TensorEntry;
  /** The scales that are stored in separate tensors; null if there are none. */
  readonly scales: Scales | null;
  /** The layout of codes and scales; null for a single stored tensor. */
  readonly layout: StoredLayout | WordLayout | null;
  /** The stored tensors: codes, scales, second scales. */
  readonly parts: readonly TensorEntry[];
  /**
   * Whether this is a scale for activations or for the KV cache. Such scales are stored with the weights, but do not
   * apply to any of them.
   */
  readonly isActivationScale: boolean;
}

export interface Model {
  /**
   * The file from which the model was read. Its method `data` also accepts the entries of the model's tensors and
   * scales.
   */
  readonly file: TensorFile;
  /** The logical tensors, in the order in which the file lists the tensors that contain their codes. */
  readonly tensors: readonly ModelTensor[];
  /** Tensors that look like codes or scales of a layout that ptxlab does not know. */
  readonly lookAlikes: readonly LookAlike[];
}

const models = new WeakMap<TensorFile, Model>();

/** Returns the model in a file. Only the names, types and shapes of the tensors are read. */
export function modelOf(file: TensorFile): Model {
  const known = models.get(file);
  if (known !== undefined) return known;
  requireTensorFile(file);
  const model = findModel(file);
  models.set(file, model);
  return model;
}

function findModel(file: TensorFile): Model {
  const byName = new Map(file.tensors.map((entry) => [entry.name, entry]));
  const found = codedTensors(file.tensors, file.hints ?? noHints);
  const used = new Set([...found.values()].flatMap(({ parts }) => parts));
  const tensors = file.tensors
    .filter((entry) => found.has(entry) || !used.has(entry))
    .map((entry) => found.get(entry) ?? plainTensor(entry));
  const storedFor = new Map([...found].map(([codes, { entry }]) => [entry.name, codes]));
  const data: TensorFile['data'] = (entry) => file.data(storedFor.get(entry.name) ?? byName.get(entry.name) ?? entry);
  return { file: { ...file, data }, tensors, lookAlikes: lookAlikes(file.tensors, used) };
}

/**
 * Finds, in a list of stored tensors, the logical tensors that consist of codes and scales. In the result, the key of
 * each logical tensor is the entry of its codes. Only names, types and shapes matter, so the list may belong to a file
 * that has not been written yet.
 */
export function codedTensors(
  tensors: readonly TensorEntry[],
  hints: ModelHints,
): ReadonlyMap<TensorEntry, ModelTensor> {
  const byName = new Map(tensors.map((entry) => [entry.name, entry]));
  const found = new Map<TensorEntry, ModelTensor>();
  const used = new Set<TensorEntry>();
  for (const layout of [...wordLayouts, ...storedLayouts]) {
    for (const codes of tensors) {
      const tensor = used.has(codes) ? null : tensorIn(layout, codes, byName, hints);
      if (tensor === null || tensor.parts.some((part) => used.has(part))) continue;
      found.set(codes, tensor);
      for (const part of tensor.parts) used.add(part);
    }
  }
  return found;
}

/** A stored tensor that is not combined with any other tensor. */
export function plainTensor(entry: TensorEntry): ModelTensor {
  const isActivationScale = activationScale.test(entry.name);
  return { entry, scales: null, layout: null, parts: [entry], isActivationScale };
}

/** The logical tensor with the given codes; null if the codes do not belong to a tensor in this layout. */
function tensorIn(
  layout: StoredLayout | WordLayout,
  codes: TensorEntry,
  byName: ReadonlyMap<string, TensorEntry>,
  hints: ModelHints,
): ModelTensor | null {
  if (layout.stored !== 'words') return codedTensorIn(layout, codes, byName);
  const found = wordTensorIn(layout, codes, byName, hints);
  return found === null ? null : { ...found, layout, isActivationScale: false };
}

function codedTensorIn(
  layout: StoredLayout,
  codes: TensorEntry,
  byName: ReadonlyMap<string, TensorEntry>,
): ModelTensor | null {
  if (!codes.name.endsWith(layout.codes)) return null;
  const name = codes.name.slice(0, codes.name.length - layout.codes.length);
  const stored = byName.get(name + layout.scale);
  // The layout does not apply if the file also contains a stored tensor with the name of the logical tensor, or if the
  // codes have a zero point.
  if (stored === undefined || (layout.codes !== '' && byName.has(name)) || byName.has(name + zeroPointSuffix))
    return null;
  const entry = elementsOf(codes, name, layout);
  const scale = scaleOf(stored, layout);
  if (entry === null || scale === null) return null;
  const grouping = layout.group === null ? groupingOf(entry.shape, scale) : blocksOf(entry.shape, scale, layout.group);
  if (grouping === null) return null;
  const second = secondOf(byName.get(name + (layout.second?.suffix ?? '')), entry.shape, layout);
  if (second === null && layout.second?.isOptional === false) return null;
  const parts = [codes, stored, ...(second === null ? [] : [second.entry])];
  return { entry, scales: { scale, second, grouping, words: null }, layout, parts, isActivationScale: false };
}

/**
 * The entry for the codes, in which elements are counted individually; null if the codes are not stored as the layout
 * requires.
 */
function elementsOf(codes: TensorEntry, name: string, { stored }: StoredLayout): TensorEntry | null {
  const { format, packing, shape } = codes;
  if (stored === 'elements') return isNarrow(codes) ? codes : null;
  if (format !== 'u8' || packing !== 'whole') return null;
  const axes = stored === 'pairs' ? shape : shape.slice(0, -1);
  const last = axes.at(-1);
  if (last === undefined || (stored === 'blocks' && shape.at(-1) !== 16)) return null;
  const columns = last * (stored === 'pairs' ? 2 : 32);
  return {
    ...codes,
    name,
    dtype: 'F4',
    format: 'e2m1',
    packing: 'dense',
    shape: [...axes.slice(0, -1), columns],
    elements: 2 * codes.elements,
  };
}

/**
 * Whether the elements may be codes: signed values of at most 8 bits. This excludes ue8m0, which is never scaled, and
 * unsigned integers, which are packed data from other tools.
 */
function isNarrow({ format, packing }: TensorEntry): boolean {
  if (format === 'opaque' || (packing !== 'whole' && packing !== 'dense')) return false;
  return formats[format].width <= 8 && formats[format].signed;
}

/**
 * The entry for the scales, with their actual format; null if they are not floats that can be read, or if the layout
 * prescribes a different format.
 */
function scaleOf(stored: TensorEntry, { scaleFormat }: StoredLayout): TensorEntry | null {
  const scale: TensorEntry = stored.format === 'u8' ? { ...stored, format: 'ue8m0' } : stored;
  const { format } = scale;
  if (!isReadable(scale) || format === 'opaque' || formats[format].kind !== 'float') return null;
  return scaleFormat === null || scaleFormat === format ? scale : null;
}

/**
 * How elements are grouped if every block of `group` elements along the last axis has its own scale. The last block
 * along the axis may be shorter than the others. Null if the shapes do not match.
 */
function blocksOf(shape: readonly number[], { shape: scales }: TensorEntry, group: number): Scales['grouping'] | null {
  const columns = shape.at(-1) ?? 1;
  const wanted = [...shape.slice(0, -1), Math.ceil(columns / group)];
  const fits = wanted.length === scales.length && wanted.every((extent, axis) => extent === scales[axis]);
  return fits ? { shape, groups: [...shape.slice(0, -1).map(() => 1), group] } : null;
}

/** The second scales: one for the whole tensor, or one for each of its matrices. */
function secondOf(
  entry: TensorEntry | undefined,
  shape: readonly number[],
  { second }: StoredLayout,
): SecondScale | null {
  if (entry === undefined || second === null || !isReadable(entry)) return null;
  const elements = shape.reduce((product, extent) => product * extent, 1);
  const matrices = shape.slice(0, -2).reduce((product, extent) => product * extent, 1);
  if (entry.elements !== 1 && entry.elements !== matrices) return null;
  return { entry, rule: second.rule, span: Math.max(1, elements / entry.elements) };
}
