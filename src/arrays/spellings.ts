/** How the stacks spell PTX's number formats, one row per format. */
import { keysOf, recordOf } from '../base/records.ts';
import type { FormatName } from '../numerics/formats.ts';

/**
 * Spellings of one format; null if a family has no name for it. `others` contains names from Triton, OCP and CUDA, and
 * informal names.
 */
export interface SpellingRow {
  readonly ml_dtypes: string | null;
  readonly torch: string | null;
  readonly safetensors: string | null;
  readonly others: readonly string[];
}

type Row = readonly [
  ml_dtypes: string | null,
  torch: string | null,
  safetensors: string | null,
  ...others: readonly string[],
];

/**
 * The column for ml_dtypes also contains the names that numpy itself defines. The fp4 type of torch holds pairs: one
 * element of `float4_e2m1fn_x2` consists of two e2m1 values.
 */
const rows = {
  f16: ['float16', 'float16', 'F16', 'half', 'fp16'],
  bf16: ['bfloat16', 'bfloat16', 'BF16'],
  tf32: [null, null, null, 'tensorfloat32', 'tfloat32'],
  f32: ['float32', 'float32', 'F32', 'float', 'fp32', 'single'],
  f64: ['float64', 'float64', 'F64', 'double', 'fp64'],
  e4m3: ['float8_e4m3fn', 'float8_e4m3fn', 'F8_E4M3', 'e4m3fn', 'fp8e4nv', 'fp8_e4m3', 'f8e4m3fn'],
  e5m2: ['float8_e5m2', 'float8_e5m2', 'F8_E5M2', 'fp8e5', 'fp8_e5m2', 'f8e5m2'],
  e2m3: ['float6_e2m3fn', null, 'F6_E2M3', 'e2m3fn', 'fp6_e2m3', 'f6e2m3fn'],
  e3m2: ['float6_e3m2fn', null, 'F6_E3M2', 'e3m2fn', 'fp6_e3m2', 'f6e3m2fn'],
  e2m1: ['float4_e2m1fn', 'float4_e2m1fn_x2', 'F4', 'e2m1fn', 'fp4_e2m1', 'fp4', 'f4e2m1fn'],
  ue8m0: ['float8_e8m0fnu', 'float8_e8m0fnu', 'F8_E8M0', 'e8m0', 'e8m0fnu', 'f8e8m0fnu'],
  ue5m3: [null, null, null, 'fp8_ue5m3'],
  s2f6: [null, null, null],
  u2: ['uint2', 'uint2', null],
  u4: ['uint4', 'uint4', null],
  u8: ['uint8', 'uint8', 'U8'],
  u16: ['uint16', 'uint16', 'U16'],
  u32: ['uint32', 'uint32', 'U32'],
  u64: ['uint64', 'uint64', 'U64'],
  s2: ['int2', 'int2', null, 'i2'],
  s4: ['int4', 'int4', null, 'i4'],
  s8: ['int8', 'int8', 'I8', 'char'],
  s16: ['int16', 'int16', 'I16', 'short'],
  s32: ['int32', 'int32', 'I32', 'int'],
  s64: ['int64', 'int64', 'I64', 'long'],
} as const;

rows satisfies Readonly<Record<FormatName, Row>>;

export const spellings: Readonly<Record<FormatName, SpellingRow>> = recordOf(keysOf(rows), (format) => {
  const [ml_dtypes, torch, safetensors, ...others]: Row = rows[format];
  return { ml_dtypes, torch, safetensors, others };
});

/** The package prefixes that a name can have, such as `torch` in `torch.float8_e4m3fn`. */
export const spellingModules = [
  'torch',
  'ml_dtypes',
  'numpy',
  'np',
  'jnp',
  'jax.numpy',
  'tl',
  'triton.language',
] as const;

type Word = FormatName | Exclude<(typeof rows)[FormatName][number], null>;

/**
 * The format names that all functions accept: the names that PTX uses, with or without the dot, and the names that the
 * stacks use, with or without the package prefix. Upper and lower case do not matter; `formatNamed` finds the format
 * with any of these names.
 */
export type FormatSpelling = Word | `.${FormatName}` | `${(typeof spellingModules)[number]}.${Word}`;
