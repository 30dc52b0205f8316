/**
 * Element types of .npy files. numpy has no codes for the narrow floats: np.save writes arrays of ml_dtypes as bytes
 * without a meaning (`<V2`, `|V1`), or, where somebody writes the header by hand, with the type's name.
 */
import type { FormatName } from '../numerics/formats.ts';
import { quote, TensorFileError } from './tensor-error.ts';

export interface NpyDtype {
  readonly format: FormatName | 'opaque';
  /** Bytes of one element; formats of less than 8 bits lie one per byte. */
  readonly bytes: number;
}

const codes: Readonly<Record<string, FormatName>> = {
  f2: 'f16',
  f4: 'f32',
  f8: 'f64',
  i1: 's8',
  i2: 's16',
  i4: 's32',
  i8: 's64',
  u1: 'u8',
  u2: 'u16',
  u4: 'u32',
  u8: 'u64',
  // Of two bytes ml_dtypes has one type only; of one byte many. Its older versions called e5m2 a float of one byte.
  V2: 'bf16',
  f1: 'e5m2',
};

/** Names of ml_dtypes. */
const names: Readonly<Record<string, FormatName>> = {
  bfloat16: 'bf16',
  float8_e4m3fn: 'e4m3',
  float8_e5m2: 'e5m2',
  float8_e8m0fnu: 'ue8m0',
  float6_e2m3fn: 'e2m3',
  float6_e3m2fn: 'e3m2',
  float4_e2m1fn: 'e2m1',
  int4: 's4',
  uint4: 'u4',
  int2: 's2',
  uint2: 'u2',
};

/** What numpy's kinds of elements have for a size; text counts characters. */
const sizes: Readonly<Record<string, RegExp | undefined>> = {
  b: /^1$/,
  i: /^[1248]$/,
  u: /^[1248]$/,
  // One byte as older ml_dtypes wrote e5m2; twelve and sixteen are the long double of C, whichever the machine has.
  f: /^(?:[1248]|12|16)$/,
  c: /^(?:8|16|24|32)$/,
  m: /^8$/,
  M: /^8$/,
  S: /^\d+$/,
  a: /^\d+$/,
  U: /^\d+$/,
  V: /^\d+$/,
};

/**
 * What an element is. Without a byte order it is little-endian. `assumed` says what bytes without a meaning (`V1`, `V2`, …) are; without it those of one byte are
 * opaque. Throws `unsupported` for big-endian elements, objects and structures, `unknown-dtype` for what numpy has not.
 */
export function npyDtype(descr: string, assumed?: string): NpyDtype {
  const named = names[descr];
  if (named !== undefined && Object.hasOwn(names, descr)) return { format: named, bytes: named === 'bf16' ? 2 : 1 };
  // A bool has two codes in numpy.
  const spelled = /^[<>|=]?\?$/.test(descr) ? 'b1' : descr;
  const [, order = '', kind = '', size = ''] = /^([<>|=]?)([a-zA-Z])(\d+)(?:(?<=[mM]8)\[\w+\])?$/.exec(spelled) ?? [];
  if (kind === '' || kind === 'O')
    throw new TensorFileError('unsupported', `elements of type ${quote(descr)} are not numbers`);
  if (!sizes[kind]?.test(size))
    throw new TensorFileError('unknown-dtype', `numpy has no elements of type ${quote(descr)}`);
  const bytes = kind === 'U' ? Number(size) * 4 : Number(size);
  if (!Number.isSafeInteger(bytes)) throw new TensorFileError('bad-header', `the type ${quote(descr)} is too large`);
  if (order === '>' && bytes > 1)
    throw new TensorFileError('unsupported', `the array is big-endian (${descr}); save it little-endian`);
  if (kind === 'V' && assumed !== undefined) return assumedDtype(assumed, bytes);
  const code = `${kind}${size}`;
  return { format: (Object.hasOwn(codes, code) ? codes[code] : undefined) ?? 'opaque', bytes };
}

function assumedDtype(assumed: string, bytes: number): NpyDtype {
  const format = npyFormat(assumed);
  if (format === null) throw new TensorFileError('unknown-dtype', `${quote(assumed)} is no element type`);
  if (bytesOfFormat(format) !== bytes)
    throw new TensorFileError(
      'bad-header',
      `the elements have ${bytes} bytes, ${assumed} has ${bytesOfFormat(format)}`,
    );
  return { format, bytes };
}

const formatsOfArrays: ReadonlySet<string> = new Set<string>([
  ...Object.values(codes),
  ...Object.values(names),
  's2f6',
]);

/** A format by its own name or that of ml_dtypes; null if no array can hold it. */
function npyFormat(name: string): FormatName | null {
  if (Object.hasOwn(names, name)) return names[name] ?? null;
  return formatsOfArrays.has(name) ? (name as FormatName) : null;
}

function bytesOfFormat(format: FormatName): number {
  if (format === 'bf16') return 2;
  return Number(
    Object.entries(codes)
      .find(([, known]) => known === format && format !== 'e5m2')?.[0]
      .slice(1) ?? 1,
  );
}

/**
 * How a format is spelled in an .npy file. `names` gives the names of ml_dtypes, which tell what the elements are, but need
 * ml_dtypes to be read; otherwise formats unknown to numpy are bytes, which np.load takes. Null if it cannot be stored.
 */
export function npyDescr(format: FormatName, spelling: 'bytes' | 'names' = 'bytes'): string | null {
  if (!formatsOfArrays.has(format)) return null;
  const name = Object.entries(names).find(([, known]) => known === format)?.[0];
  if (name !== undefined && spelling === 'names') return name;
  const code = Object.entries(codes).find(
    ([key, known]) => known === format && /^[fiu][1248]$/.test(key) && key !== 'f1',
  );
  const bytes = bytesOfFormat(format);
  return `${bytes === 1 ? '|' : '<'}${code?.[0] ?? `V${bytes}`}`;
}
