/** Determines which tensors of two files correspond to each other. */
import type { Model, ModelTensor } from './checkpoints/model-tensors.ts';
import { modelValues } from './model-values.ts';
import { swappedValues } from './swapped-values.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import type { TensorValues } from './tensor-values.ts';

/** A tensor of one of the two files. */
export interface Side extends ModelTensor {
  readonly file: TensorFile;
  /**
   * Whether the last two axes of the tensor are swapped when it is read. In that case, `entry` contains the shape after
   * the swap.
   */
  readonly isSwapped: boolean;
}

export interface TensorPair {
  readonly a: Side;
  readonly b: Side;
}

export interface Pairing {
  readonly pairs: readonly TensorPair[];
  readonly onlyInA: readonly TensorEntry[];
  readonly onlyInB: readonly TensorEntry[];
  /**
   * Scales for activations and for the KV cache, if only one of the files contains them. Such scales do not affect the
   * weights.
   */
  readonly ignored: readonly TensorEntry[];
}

/**
 * Pairs tensors by name. If each file contains only one tensor, the two tensors are paired even if their names differ.
 * Scales are treated as a part of the tensor that they apply to. A tensor that contains the scales of another tensor in
 * the same file is therefore not paired separately.
 */
export function pairTensors(a: Model, b: Model, takes: (name: string) => boolean): Pairing {
  const [inA, inB] = [sidesOf(a, takes), sidesOf(b, takes)];
  const [onlyA, onlyB] = [inA[0], inB[0]];
  if (onlyA !== undefined && onlyB !== undefined && inA.length === 1 && inB.length === 1)
    return { pairs: [alignedPair(onlyA, onlyB)], onlyInA: [], onlyInB: [], ignored: [] };
  const byName = new Map(inB.map((side) => [side.entry.name, side]));
  const pairs: TensorPair[] = [];
  const alone: Side[] = [];
  for (const side of inA) {
    const other = byName.get(side.entry.name);
    byName.delete(side.entry.name);
    if (other === undefined) alone.push(side);
    else pairs.push(alignedPair(side, other));
  }
  const [onlyInA, onlyInB] = [alone, [...byName.values()]];
  const ignored = [...onlyInA, ...onlyInB].filter(({ isActivationScale }) => isActivationScale);
  return {
    pairs,
    onlyInA: weightsOf(onlyInA),
    onlyInB: weightsOf(onlyInB),
    ignored: ignored.map(({ entry }) => entry),
  };
}

function weightsOf(sides: readonly Side[]): readonly TensorEntry[] {
  return sides.filter(({ isActivationScale }) => !isActivationScale).map(({ entry }) => entry);
}

function sidesOf({ file, tensors }: Model, takes: (name: string) => boolean): readonly Side[] {
  return tensors.filter(({ entry }) => takes(entry.name)).map((tensor) => ({ ...tensor, file, isSwapped: false }));
}

/**
 * In checkpoints of gpt-oss, Hugging Face's transformers library stores experts with the axes [expert, in, out] if they
 * are not quantized, but with the axes [expert, out, in] if they are stored in blocks. If only one tensor of a pair is
 * stored in blocks, the last two axes of the other tensor are swapped when it is read.
 */
function alignedPair(a: Side, b: Side): TensorPair {
  if (isSwapOf(a, b)) return { a, b: swapped(b) };
  return isSwapOf(b, a) ? { a: swapped(a), b } : { a, b };
}

function isSwapOf({ layout, entry }: Side, other: Side): boolean {
  if (layout?.stored !== 'blocks' || other.layout !== null) return false;
  const [shape, wanted] = [entry.shape, swappedShape(other.entry.shape)];
  const isSame = shape.every((extent, axis) => extent === other.entry.shape[axis]);
  return !isSame && shape.length === wanted.length && shape.every((extent, axis) => extent === wanted[axis]);
}

function swapped(side: Side): Side {
  return { ...side, isSwapped: true, entry: { ...side.entry, shape: swappedShape(side.entry.shape) } };
}

function swappedShape(shape: readonly number[]): readonly number[] {
  return [...shape.slice(0, -2), ...shape.slice(-2).toReversed()];
}

/** The numbers that a tensor represents, with scales applied; elements that are not numbers are rejected. */
export async function valuesOf({ file, entry, scales, isSwapped }: Side): Promise<TensorValues> {
  const values = await modelValues(file, { entry, scales }, 'refuse');
  return isSwapped ? swappedValues(values, entry.shape) : values;
}
