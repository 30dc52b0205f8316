/**
 * How the stacks spell PTX's number formats. Every spelling is accepted; the canonical name is PTX's own without its dot,
 * which is what `FormatName` is.
 */
import { PtxlabError } from '../base/error.ts';
import { nearest } from '../base/nearest.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { requireChoice, shown } from './caller.ts';

export type SpellingFamily = 'ptx' | 'ml_dtypes' | 'torch' | 'safetensors';

const families: readonly SpellingFamily[] = ['ptx', 'ml_dtypes', 'torch', 'safetensors'];

/** Spellings of one format; null where a family has none. `others`: Triton, OCP, CUDA and everyday names. */
interface SpellingRow {
  readonly ml_dtypes: string | null;
  readonly torch: string | null;
  readonly safetensors: string | null;
  readonly others: readonly string[];
}

function row(
  ml_dtypes: string | null,
  torch: string | null,
  safetensors: string | null,
  ...others: readonly string[]
): SpellingRow {
  return { ml_dtypes, torch, safetensors, others };
}

/**
 * numpy's names stand in the column of ml_dtypes, which adds to them. torch's fp4 counts pairs: one element of
 * `float4_e2m1fn_x2` is two of e2m1.
 */
const spellings: Readonly<Record<FormatName, SpellingRow>> = {
  f16: row('float16', 'float16', 'F16', 'half', 'fp16'),
  bf16: row('bfloat16', 'bfloat16', 'BF16'),
  tf32: row(null, null, null, 'tensorfloat32', 'tfloat32'),
  f32: row('float32', 'float32', 'F32', 'float', 'fp32', 'single'),
  f64: row('float64', 'float64', 'F64', 'double', 'fp64'),
  e4m3: row('float8_e4m3fn', 'float8_e4m3fn', 'F8_E4M3', 'e4m3fn', 'fp8e4nv', 'fp8_e4m3', 'f8e4m3fn'),
  e5m2: row('float8_e5m2', 'float8_e5m2', 'F8_E5M2', 'fp8e5', 'fp8_e5m2', 'f8e5m2'),
  e2m3: row('float6_e2m3fn', null, 'F6_E2M3', 'e2m3fn', 'fp6_e2m3', 'f6e2m3fn'),
  e3m2: row('float6_e3m2fn', null, 'F6_E3M2', 'e3m2fn', 'fp6_e3m2', 'f6e3m2fn'),
  e2m1: row('float4_e2m1fn', 'float4_e2m1fn_x2', 'F4', 'e2m1fn', 'fp4_e2m1', 'fp4', 'f4e2m1fn'),
  ue8m0: row('float8_e8m0fnu', 'float8_e8m0fnu', 'F8_E8M0', 'e8m0', 'e8m0fnu', 'f8e8m0fnu'),
  s2f6: row(null, null, null),
  u2: row('uint2', 'uint2', null),
  u4: row('uint4', 'uint4', null),
  u8: row('uint8', 'uint8', 'U8'),
  u16: row('uint16', 'uint16', 'U16'),
  u32: row('uint32', 'uint32', 'U32'),
  u64: row('uint64', 'uint64', 'U64'),
  s2: row('int2', 'int2', null, 'i2'),
  s4: row('int4', 'int4', null, 'i4'),
  s8: row('int8', 'int8', 'I8', 'char'),
  s16: row('int16', 'int16', 'I16', 'short'),
  s32: row('int32', 'int32', 'I32', 'int'),
  s64: row('int64', 'int64', 'I64', 'long'),
};

const fnuz = 'a negative zero stands for its NaN, and its bias is one more';

/** Formats of other stacks that look like one of PTX's and are none, with what sets them apart. */
const foreign: Readonly<Record<string, string>> = {
  float8_e4m3: 'it has infinities and ends at 240; PTX has float8_e4m3fn, which ends at 448',
  float8_e4m3fnuz: fnuz,
  float8_e5m2fnuz: fnuz,
  float8_e4m3b11fnuz: 'its bias is 11, and a negative zero stands for its NaN',
  float8_e3m4: 'no PTX type has three exponent and four fraction bits',
  f8_e4m3fnuz: fnuz,
  f8_e5m2fnuz: fnuz,
  fp8e4b8: fnuz,
  fp8e5b16: fnuz,
  fp8e4b15: 'its bias is 15',
  e3m4: 'no PTX type has three exponent and four fraction bits',
  e5m3: 'PTX 9.4 has it unsigned; this is 9.1',
  ue5m3: 'it belongs to PTX 9.4; this is 9.1',
  ue4m3: 'its bits are those of e4m3 with the sign 0, which PTX calls .ue4m3 in matrix instructions only',
  bool: 'a truth value is no number',
  complex64: 'it is a pair of f32',
  complex128: 'it is a pair of f64',
};

/** Means f32 to numpy and e2m1 to safetensors, which writes it in upper case. */
const ambiguous: ReadonlySet<string> = new Set(['f4']);

const formatNames = Object.keys(formats) as FormatName[];

const known: ReadonlyMap<string, FormatName> = new Map(
  formatNames.flatMap((format) => {
    const { ml_dtypes, torch, safetensors, others } = spellings[format];
    const all = [format, `.${format}`, ml_dtypes, torch, safetensors, ...others];
    return all.flatMap((text) => (text === null ? [] : [[text, format] as const]));
  }),
);

const knownInAnyCase: ReadonlyMap<string, FormatName> = new Map(
  [...known].flatMap(([text, format]) => {
    const lower = text.toLowerCase();
    return ambiguous.has(lower) ? [] : [[lower, format] as const];
  }),
);

const modules = /^(?:torch|ml_dtypes|numpy|np|jnp|jax\.numpy|tl|triton\.language)\./i;

function bare(text: string): string {
  return text.trim().replace(modules, '');
}

/** The format that a stack spells so, in whatever case; null where no format of PTX is. */
export function formatNamed(text: string): FormatName | null {
  if (typeof text !== 'string') return null;
  const name = bare(text);
  return known.get(name) ?? knownInAnyCase.get(name.toLowerCase()) ?? null;
}

/**
 * How a family spells a format; null where it has none: `spelling('e2m1', 'safetensors')` is `F4`.
 *
 * @throws PtxlabError `unknown-format` for what is no canonical name, `bad-option` for another family
 */
export function spelling(format: FormatName, family: SpellingFamily): string | null {
  if (!Object.hasOwn(spellings, format)) throw unknownFormat(format);
  if (family === 'ptx') return `.${format}`;
  requireChoice('family', family, families);
  return spellings[format][family];
}

/** `formatNamed`, for callers to whom a wrong name is their own caller's mistake. Throws `unknownFormat`. */
export function requireFormat(text: string): FormatName {
  const format = formatNamed(text);
  if (format === null) throw unknownFormat(text);
  return format;
}

/**
 * The error for a name that is no format: foreign-format for one that other stacks have, ambiguous-format for one that
 * they disagree on, else unknown-format with the nearest known spelling.
 */
export function unknownFormat(text: string): PtxlabError {
  if (typeof text !== 'string') {
    return new PtxlabError('unknown-format', `${shown(text)} is not the name of a number format: it is a text`);
  }
  const name = bare(text);
  const lower = name.toLowerCase();
  const reason = Object.hasOwn(foreign, lower) ? foreign[lower] : undefined;
  if (reason !== undefined) {
    return new PtxlabError('foreign-format', `'${text}' is not a PTX format: ${reason}`);
  }
  if (ambiguous.has(lower)) {
    return new PtxlabError('ambiguous-format', `'${text}' is f32 to numpy and e2m1 to safetensors: write one of these`);
  }
  const near = nearest(name, [...known.keys(), ...Object.keys(foreign)]);
  const hint = near === null ? `known are ${formatNames.join(', ')}` : `did you mean '${near}'?`;
  return new PtxlabError('unknown-format', `'${text}' is not a number format; ${hint}`);
}
