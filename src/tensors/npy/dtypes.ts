/**
 * Element types of .npy files. numpy has no type codes for the narrow floats of ml_dtypes, so np.save writes arrays of
 * them as untyped bytes (`<V2`, `|V1`). Other programs may write the name of the type into the header.
 */
import { spelling } from '../../arrays/names.ts';
import { type FormatName, formatNames, formats } from '../../numerics/formats.ts';
import { quote, TensorFileError } from '../tensor-error.ts';

export interface NpyDtype {
  readonly format: FormatName | 'opaque';
  /** Size of one element in bytes. Elements narrower than 8 bits take up one byte each. */
  readonly bytes: number;
}

/**
 * The type codes of formats that numpy itself supports. A type code such as `f4` consists of the kind and the size in
 * bytes.
 */
const ownCodes: ReadonlyMap<FormatName, string> = new Map(
  formatNames.flatMap((format) => {
    const [, unsigned, word, bits = ''] = /^(u?)(int|float)(\d+)$/.exec(spelling(format, 'ml_dtypes') ?? '') ?? [];
    if (word === undefined || Number(bits) < 8) return [];
    return [[format, `${unsigned === 'u' ? 'u' : word.slice(0, 1)}${Number(bits) / 8}`] as const];
  }),
);

const codes: ReadonlyMap<string, FormatName> = new Map([
  ...[...ownCodes].map(([format, code]) => [code, format] as const),
  // `V2` is unambiguous because ml_dtypes has only one two-byte type. `V1` is ambiguous because ml_dtypes has many
  // one-byte types. Older versions of ml_dtypes wrote e5m2 as `f1`, a one-byte float.
  ['V2', 'bf16'],
  ['f1', 'e5m2'],
]);

/** Maps the names that ml_dtypes uses to formats. Formats that numpy itself supports are not included. */
const names: ReadonlyMap<string, FormatName> = new Map(
  formatNames.flatMap((format) => {
    const name = spelling(format, 'ml_dtypes');
    return name === null || ownCodes.has(format) ? [] : [[name, format] as const];
  }),
);

/** One-byte types of ml_dtypes that do not exist in PTX. */
const opaqueNames: ReadonlySet<string> = new Set([
  'float8_e3m4',
  'float8_e4m3',
  'float8_e4m3b11fnuz',
  'float8_e4m3fnuz',
  'float8_e5m2fnuz',
]);

/** The sizes that elements of each kind can have in numpy. For text, the size is the number of characters. */
const sizes: Readonly<Record<string, RegExp | undefined>> = {
  b: /^1$/,
  i: /^[1248]$/,
  u: /^[1248]$/,
  // A one-byte float is e5m2 from an older version of ml_dtypes. Twelve-byte and sixteen-byte floats are C's long
  // double, whose size depends on the machine.
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
 * Parses an element type. A type without a byte order is little-endian. `assumed` is the format to assume for untyped
 * bytes (`V1`, `V2`, …); if it is not given, only `V2` is recognized, as bf16. Throws `unsupported` for objects and
 * structures, and `unknown-dtype` for types that do not exist in numpy.
 */
export function npyDtype(descr: string, assumed?: string): NpyDtype {
  const named = names.get(descr);
  if (named !== undefined) return { format: named, bytes: bytesOfFormat(named) };
  if (opaqueNames.has(descr)) return { format: 'opaque', bytes: 1 };
  // numpy has two type codes for bool, `?` and `b1`.
  const spelled = /^[<>|=]?\?$/.test(descr) ? 'b1' : descr;
  const [, kind = '', size = ''] = /^[<>|=]?([a-zA-Z])(\d+)(?:(?<=[mM]8)\[\w+\])?$/.exec(spelled) ?? [];
  if (kind === '' || kind === 'O')
    throw new TensorFileError('unsupported', `elements of type ${quote(descr)} are not numbers`);
  if (!sizes[kind]?.test(size))
    throw new TensorFileError('unknown-dtype', `numpy has no elements of type ${quote(descr)}`);
  const bytes = kind === 'U' ? Number(size) * 4 : Number(size);
  if (!Number.isSafeInteger(bytes)) throw new TensorFileError('bad-header', `the type ${quote(descr)} is too large`);
  if (kind === 'V' && assumed !== undefined) return assumedDtype(assumed, bytes);
  const code = `${kind}${size}`;
  return { format: codes.get(code) ?? 'opaque', bytes };
}

/**
 * For big-endian elements, the size in bytes of the numbers that they contain; null if the elements are little-endian,
 * are single bytes, or contain no numbers.
 */
export function bigEndianSize(descr: string): number | null {
  const [, kind = '', digits = ''] = /^>([a-zA-Z])(\d+)/.exec(descr) ?? [];
  if (kind === 'U') return 4;
  if (kind === '' || /[SaV]/.test(kind) || digits === '1') return null;
  return kind === 'c' ? Number(digits) / 2 : Number(digits);
}

function assumedDtype(assumed: string, bytes: number): NpyDtype {
  const format = npyFormat(assumed);
  if (format === null) throw new TensorFileError('unknown-dtype', `${quote(assumed)} is not an element type`);
  if (bytesOfFormat(format) !== bytes)
    throw new TensorFileError(
      'bad-header',
      `the elements have ${bytes} bytes, but ${assumed} has ${bytesOfFormat(format)}`,
    );
  return { format, bytes };
}

/**
 * The formats that an array's elements can have: those with a name in ml_dtypes, and those that are at most one byte
 * wide.
 */
const formatsOfArrays: ReadonlySet<FormatName> = new Set(
  formatNames.filter((format) => spelling(format, 'ml_dtypes') !== null || formats[format].width <= 8),
);

/** Finds a format by its PTX name or its name in ml_dtypes; null if .npy files cannot contain it. */
function npyFormat(name: string): FormatName | null {
  return names.get(name) ?? formatNames.find((format) => format === name && formatsOfArrays.has(format)) ?? null;
}

function bytesOfFormat(format: FormatName): number {
  return Math.ceil(formats[format].width / 8);
}

/**
 * The type code or name of a format in an .npy file. For formats that numpy itself does not support, `spelled`
 * determines the result. `names` selects the type's name in ml_dtypes, if it has one. The name identifies the format,
 * but the file can then be read only if ml_dtypes is installed. `bytes` selects the type code for untyped bytes, which
 * np.load always accepts. Returns null if the format cannot be stored.
 */
export function npyDescr(format: FormatName, spelled: 'bytes' | 'names' = 'bytes'): string | null {
  if (!formatsOfArrays.has(format)) return null;
  const name = spelling(format, 'ml_dtypes');
  if (name !== null && !ownCodes.has(format) && spelled === 'names') return name;
  const bytes = bytesOfFormat(format);
  return `${bytes === 1 ? '|' : '<'}${ownCodes.get(format) ?? `V${bytes}`}`;
}
