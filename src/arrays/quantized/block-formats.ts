/** A table of the schemes that store an array as narrow codes and scales. Each scheme has one row. */
import { PtxlabError } from '../../base/error.ts';
import { nearestWord } from '../../base/nearest-word.ts';
import { shown } from '../../base/rules.ts';
import { type FormatName, formats, type NumberFormat } from '../../numerics/formats.ts';

export type BlockSchemeName = 'mxfp8_e4m3' | 'mxfp8_e5m2' | 'mxfp6_e2m3' | 'mxfp6_e3m2' | 'mxfp4' | 'nvfp4';
export type ScaledElement = 'e4m3' | 'e5m2' | 's8' | 's4' | 's2';
export type SchemeName = BlockSchemeName | ScaledElement;

export interface Scheme {
  readonly name: SchemeName;
  readonly element: FormatName;
  /**
   * Format of a scale. An f32 scale applies to a whole tensor, row or tile; any other scale applies to a block along
   * the last axis.
   */
  readonly scale: 'ue8m0' | 'e4m3' | 'f32';
  /**
   * Number of elements in a block along the last axis; null for schemes with f32 scales, where the `granularity` option
   * determines which elements share a scale.
   */
  readonly block: 16 | 32 | null;
}

const rows: readonly Scheme[] = [
  { name: 'mxfp8_e4m3', element: 'e4m3', scale: 'ue8m0', block: 32 },
  { name: 'mxfp8_e5m2', element: 'e5m2', scale: 'ue8m0', block: 32 },
  { name: 'mxfp6_e2m3', element: 'e2m3', scale: 'ue8m0', block: 32 },
  { name: 'mxfp6_e3m2', element: 'e3m2', scale: 'ue8m0', block: 32 },
  { name: 'mxfp4', element: 'e2m1', scale: 'ue8m0', block: 32 },
  { name: 'nvfp4', element: 'e2m1', scale: 'e4m3', block: 16 },
  { name: 'e4m3', element: 'e4m3', scale: 'f32', block: null },
  { name: 'e5m2', element: 'e5m2', scale: 'f32', block: null },
  { name: 's8', element: 's8', scale: 'f32', block: null },
  { name: 's4', element: 's4', scale: 'f32', block: null },
  { name: 's2', element: 's2', scale: 'f32', block: null },
];

/** Every scheme by its name. */
export const schemes: ReadonlyMap<SchemeName, Scheme> = new Map(rows.map((scheme) => [scheme.name, scheme]));

const aliasRows = [
  ['mxfp8', 'mxfp8_e4m3'],
  ['mxfp6', 'mxfp6_e2m3'],
  ['mxfp4_e2m1', 'mxfp4'],
  ['int8', 's8'],
  ['int4', 's4'],
  ['int2', 's2'],
] as const;

aliasRows satisfies readonly (readonly [string, SchemeName])[];

/** The scheme names that all functions accept. Upper and lower case are equivalent, and so are `-` and `_`. */
export type SchemeSpelling = SchemeName | (typeof aliasRows)[number][0];

const aliases: ReadonlyMap<string, SchemeName> = new Map(aliasRows);

export const schemeSpellings: readonly string[] = [...schemes.keys(), ...aliases.keys()];

/**
 * The scheme with this name. Upper and lower case are equivalent, and so are `-` and `_`. Throws `unknown-scheme`, with
 * a message that suggests the most similar name.
 */
export function schemeNamed(text: string): Scheme {
  if (typeof text !== 'string') {
    throw new PtxlabError('unknown-scheme', `${shown(text)} is not the name of a scheme: a name is a string`);
  }
  const name = text.trim().toLowerCase().replaceAll('-', '_');
  const byName: ReadonlyMap<string, Scheme> = schemes;
  const scheme = byName.get(aliases.get(name) ?? name);
  if (scheme !== undefined) return scheme;
  const near = nearestWord(name, schemeSpellings);
  const hint = near === null ? `known schemes are ${schemeSpellings.join(', ')}` : `did you mean '${near}'?`;
  throw new PtxlabError('unknown-scheme', `'${text}' is not a quantization scheme; ${hint}`);
}

/**
 * The largest magnitude that an element format can represent both as a positive and as a negative value: 448 for e4m3,
 * 127 for s8.
 */
export function largestOf(element: FormatName): number {
  const known = largest.get(element);
  if (known !== undefined) return known;
  const found = largestOfFormat(formats[element]);
  largest.set(element, found);
  return found;
}

/**
 * Values above this limit are out of range. The limit is halfway between the format's largest number and the number
 * that would come next if the format had larger numbers. For e4m3, for example, it is 464.
 */
export function reachOf(element: FormatName): number {
  const most = largestOf(element);
  const format = formats[element];
  const step = format.kind === 'float' ? 2 ** (Math.floor(Math.log2(most)) - format.fractionBits) : 1;
  // A tie is rounded to the even neighbor. If the code of the largest number is odd, a value exactly halfway to the
  // next number would be rounded up. This value is therefore out of range itself, and the limit must be slightly lower.
  // No f32 value lies between the lowered limit and the halfway point.
  const isOdd = (most / step) % 2 === 1;
  return (most + step / 2) * (isOdd ? 1 - 2 ** -30 : 1);
}

const largest = new Map<FormatName, number>();

function largestOfFormat(format: NumberFormat): number {
  if (format.kind !== 'float') return 2 ** (format.width - 1) - 1;
  const { fractionBits, exponentBits, bias, infinity, nan } = format;
  const top = 2 ** exponentBits - (infinity ? 2 : 1) - bias;
  const missing = nan === 'all-ones' ? 2 : 1;
  return (2 - missing * 2 ** -fractionBits) * 2 ** top;
}
