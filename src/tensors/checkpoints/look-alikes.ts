/** Tensors that look like codes or scales, but fit no layout that ptxlab knows. */
import { formats } from '../../numerics/formats.ts';
import type { TensorEntry } from '../tensor-file.ts';
import { activationScale, storedLayouts, zeroPointSuffix } from './stored-layouts.ts';

/** A tensor that ptxlab probably interprets differently from the software for which the checkpoint was made. */
export interface LookAlike {
  readonly name: string;
  /** The codes that this tensor seems to scale, or null. */
  readonly codes: string | null;
  /**
   * Describes what is unusual about the tensor. The text continues a sentence that begins with the name of the tensor.
   */
  readonly words: string;
}

/**
 * Suffixes of scale names, longest first. The suffixes in `distinct` always mean a scale, but a name that ends in
 * `_scale` may also mean something else.
 */
const scaleEndings = [
  '_global_scale',
  '_scale_inv',
  '_scale_2',
  '_scales',
  '.scales',
  '_scale',
  '.scale',
  zeroPointSuffix,
];
const distinct: ReadonlySet<string> = new Set(['_global_scale', '_scale_inv', '_scale_2']);

/** Suffixes of packed codes, including those of GPTQ and AWQ. */
const packedEndings = ['_packed', '_blocks', '.blocks', '.qweight'];

const codeEndings = [...new Set(storedLayouts.map(({ codes }) => codes)), '.weight'];

/** Examines all tensors except those in `used`, which belong to a known layout. */
export function lookAlikes(tensors: readonly TensorEntry[], used: ReadonlySet<TensorEntry>): readonly LookAlike[] {
  const byName = new Map(tensors.map((entry) => [entry.name, entry]));
  const found: LookAlike[] = [];
  for (const entry of tensors) {
    if (used.has(entry) || activationScale.test(entry.name)) continue;
    const odd = asScale(entry, byName) ?? asCodes(entry, byName);
    if (odd !== null) found.push({ name: entry.name, ...odd });
  }
  return found;
}

type Oddity = Pick<LookAlike, 'codes' | 'words'>;

function asScale({ name, shape }: TensorEntry, byName: ReadonlyMap<string, TensorEntry>): Oddity | null {
  const ending = scaleEndings.find((one) => name.endsWith(one));
  if (ending === undefined) return null;
  const base = name.slice(0, name.length - ending.length);
  const codes = codeEndings.map((one) => byName.get(base + one)).find((one) => one !== undefined && areCodes(one));
  if (codes !== undefined) {
    const shapes = `(${shapeOf(shape)}) beside ${codes.name} (${codes.dtype}, ${shapeOf(codes.shape)})`;
    return { codes: codes.name, words: `${shapes} fits no known layout and is not applied` };
  }
  if (!distinct.has(ending) || byName.has(base)) return null;
  return { codes: null, words: 'belongs to no tensor of this file and is not applied' };
}

function asCodes({ name, format }: TensorEntry, byName: ReadonlyMap<string, TensorEntry>): Oddity | null {
  const ending = packedEndings.find((one) => name.endsWith(one));
  const isPacked = format === 'u8' || format === 's32' || format === 'u32';
  if (ending === undefined || !isPacked) return null;
  const base = name.slice(0, name.length - ending.length);
  const hasScale = ['_scale', '_scales', '.scales'].some((one) => byName.has(base + one));
  const why = hasScale ? 'in a layout that ptxlab does not know' : 'without scales that fit';
  return { codes: null, words: `looks like packed codes ${why}, and is read as integers` };
}

function areCodes({ format }: TensorEntry): boolean {
  if (format === 'opaque') return false;
  const { width, kind } = formats[format];
  return width <= 8 || (kind === 'integer' && width === 32);
}

function shapeOf(shape: readonly number[]): string {
  return shape.length === 0 ? 'scalar' : shape.join(' x ');
}
