/**
 * Finds number formats by any of the names that software stacks use for them (spellings.ts). Every spelling is
 * accepted. The canonical name of a format, a `FormatName`, is its name in PTX without the dot.
 */
import { PtxlabError } from '../base/error.ts';
import { nearestWord } from '../base/nearest-word.ts';
import { requireArgument } from '../base/require.ts';
import { oneOf, type Rule, shown } from '../base/rules.ts';
import { type FormatName, formatNames } from '../numerics/formats.ts';
import { spellingModules, spellings } from './spellings.ts';

export type SpellingFamily = 'ptx' | 'ml_dtypes' | 'torch' | 'safetensors';

const familyRule: Rule<SpellingFamily> = oneOf('ptx', 'ml_dtypes', 'torch', 'safetensors');

const fnuz = 'it uses the pattern of negative zero for NaN, and its bias is one higher';

/** Formats of other stacks that ptxlab does not support, each with the reason. */
const foreign: Readonly<Record<string, string>> = {
  float8_e4m3: 'it has infinities and ends at 240; PTX has float8_e4m3fn, which ends at 448',
  float8_e4m3fnuz: fnuz,
  float8_e5m2fnuz: fnuz,
  float8_e4m3b11fnuz: 'its bias is 11, and it uses the pattern of negative zero for NaN',
  float8_e3m4: 'no PTX type has three exponent and four fraction bits',
  f8_e4m3fnuz: fnuz,
  f8_e5m2fnuz: fnuz,
  fp8e4b8: fnuz,
  fp8e5b16: fnuz,
  fp8e4b15: 'its bias is 15',
  e3m4: 'no PTX type has three exponent and four fraction bits',
  e5m3: 'PTX has only an unsigned version of it, ue5m3',
  ue4m3: 'it is e4m3 with a sign bit of 0; PTX has it only in matrix instructions, as .ue4m3',
  bool: 'a truth value is not a number',
  complex64: 'it is a pair of f32',
  complex128: 'it is a pair of f64',
};

/** f4 means f32 in numpy. In safetensors, which spells the name in upper case, it means e2m1. */
const ambiguous: ReadonlySet<string> = new Set(['f4']);

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

const modules = new RegExp(`^(?:${spellingModules.map((name) => name.replace('.', '\\.')).join('|')})\\.`, 'i');

function bare(text: string): string {
  return text.trim().replace(modules, '');
}

/** The format with the given spelling, in upper or lower case; null if PTX has no such format. */
export function formatNamed(text: string): FormatName | null {
  if (typeof text !== 'string') return null;
  // Most callers pass an exact spelling. Calling `bare` for them would noticeably slow down a short conversion.
  const exact = known.get(text);
  if (exact !== undefined) return exact;
  const name = bare(text);
  return known.get(name) ?? knownInAnyCase.get(name.toLowerCase()) ?? null;
}

/**
 * How a family spells a format, such as `F4` for `spelling('e2m1', 'safetensors')`; null if the family has no name for
 * the format.
 *
 * @throws PtxlabError `unknown-format` for a name that is not canonical, `bad-option` for a family that does not exist
 */
export function spelling(format: FormatName, family: SpellingFamily): string | null {
  if (typeof format !== 'string' || !Object.hasOwn(spellings, format)) throw unknownFormat(format);
  if (family === 'ptx') return `.${format}`;
  requireArgument('family', family, familyRule, 'bad-option');
  return spellings[format][family];
}

/**
 * Like `formatNamed`, but throws `unknownFormat` if there is no such format. Used by functions that receive names from
 * their callers.
 *
 * @param others names that the caller accepts besides the names of formats; the error message lists them
 */
export function requireFormat(text: string, others: readonly string[] = []): FormatName {
  const format = formatNamed(text);
  if (format === null) throw unknownFormat(text, others);
  return format;
}

/**
 * The error for a name that does not identify a PTX format. Its code is foreign-format if only other stacks have the
 * format, ambiguous-format if different stacks use the name for different formats, and otherwise unknown-format. The
 * message of unknown-format suggests the nearest known spelling, if there is a similar one.
 */
export function unknownFormat(text: string, others: readonly string[] = []): PtxlabError {
  if (typeof text !== 'string') {
    return new PtxlabError('unknown-format', `${shown(text)} is not the name of a number format: a name is a string`);
  }
  const name = bare(text);
  const lower = name.toLowerCase();
  const reason = Object.hasOwn(foreign, lower) ? foreign[lower] : undefined;
  if (reason !== undefined) {
    return new PtxlabError('foreign-format', `'${text}' is not a PTX format: ${reason}`);
  }
  if (ambiguous.has(lower)) {
    return new PtxlabError(
      'ambiguous-format',
      `'${text}' means f32 in numpy and e2m1 in safetensors: write one of these`,
    );
  }
  const near = nearestWord(name, [...known.keys(), ...others, ...Object.keys(foreign)]);
  const hint =
    near === null ? `known formats are ${[...formatNames, ...others].join(', ')}` : `did you mean '${near}'?`;
  return new PtxlabError('unknown-format', `'${text}' is not a number format; ${hint}`);
}
