/** Which tensors of two files are versions of each other. */
import { scaleNames, type Scales, scaledValues, scalesOf } from './scales.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import { type TensorValues, tensorValues } from './tensor-values.ts';

/** A tensor on one side. */
export interface Side {
  readonly file: TensorFile;
  readonly entry: TensorEntry;
  /** Null if elements have no separate scales. */
  readonly scales: Scales | null;
}

export interface TensorPair {
  readonly a: Side;
  readonly b: Side;
}

export interface Pairing {
  readonly pairs: readonly TensorPair[];
  readonly onlyInA: readonly TensorEntry[];
  readonly onlyInB: readonly TensorEntry[];
}

/**
 * Pairs by name. If both files have a single tensor, these two are paired, whatever their names. Scales belong to their
 * tensor and are not paired themselves on the side where they are scales.
 */
export function pairTensors(a: TensorFile, b: TensorFile, takes: (name: string) => boolean): Pairing {
  const [inA, inB] = [sidesOf(a, takes), sidesOf(b, takes)];
  const [onlyA, onlyB] = [inA[0], inB[0]];
  if (onlyA !== undefined && onlyB !== undefined && inA.length === 1 && inB.length === 1)
    return { pairs: [{ a: onlyA, b: onlyB }], onlyInA: [], onlyInB: [] };
  const byName = new Map(inB.map((side) => [side.entry.name, side]));
  const pairs: TensorPair[] = [];
  const onlyInA: TensorEntry[] = [];
  for (const side of inA) {
    const other = byName.get(side.entry.name);
    byName.delete(side.entry.name);
    if (other === undefined) onlyInA.push(side.entry);
    else pairs.push({ a: side, b: other });
  }
  return { pairs, onlyInA, onlyInB: [...byName.values()].map(({ entry }) => entry) };
}

function sidesOf(file: TensorFile, takes: (name: string) => boolean): readonly Side[] {
  const scales = scalesOf(file);
  const isScale = scaleNames(scales);
  return file.tensors
    .filter(({ name }) => takes(name) && !isScale.has(name))
    .map((entry) => ({ file, entry, scales: scales.get(entry.name) ?? null }));
}

/** The numbers that a tensor represents, scales applied; elements that are not numbers are rejected. */
export async function valuesOf({ file, entry, scales }: Side): Promise<TensorValues> {
  return scales === null ? tensorValues(file, entry, 'refuse') : scaledValues(file, entry, scales);
}
