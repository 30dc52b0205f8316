/**
 * Bulk conversion of arrays between number formats, bit for bit as PTX converts them.
 *
 * ```ts
 * const codes = convert(Float32Array.of(1, 2.7, -500), { to: 'e4m3' }); // Uint8Array [0x38, 0x43, 0xfe]
 * const values = convert(codes, { from: 'e4m3', to: 'f32' }); // Float32Array [1, 2.75, -448]
 * ```
 *
 * @module
 */
import { PtxlabError } from '../base/error.ts';
import { BoundedCache } from '../base/bounded-cache.ts';
import { requireOptions } from '../base/require.ts';
import { anything, flag, oneOf, type RulesFor, shown } from '../base/rules.ts';
import { tagOf } from '../base/tag-of.ts';
import { randomLayoutOf } from '../isa/random-layout.ts';
import type { ArrayPlan } from '../jit/arrays/array-plan.ts';
import { storedBits } from '../jit/arrays/array-storage.ts';
import { type Rounding, roundings } from '../numerics/conversion.ts';
import type { FormatName } from '../numerics/formats.ts';
import type { RandomSource } from '../jit/arrays/array-converter.ts';
import { requireBytes } from './require-bytes.ts';
import { converterOf } from './converters.ts';
import { requireFormat } from './names.ts';
import type { FormatSpelling } from './spellings.ts';
import { allSemantics, type Semantics } from './semantics/semantic-rules.ts';
import { conversionOf } from './semantics/semantics.ts';
import {
  arrayOver,
  type ArrayOf,
  type Bytes,
  bytesOf,
  formatOfArray,
  type Packing,
  overlap,
  packingRule,
  storageOf,
  storedBytes,
  storedElements,
} from './storage.ts';

export interface ConvertOptions {
  /** Format of the source; any spelling of its name is accepted. Default: the format that the typed array implies. */
  readonly from?: FormatSpelling;
  /** Format of the result; any spelling of its name is accepted. */
  readonly to: FormatSpelling;
  /**
   * The rounding mode. By default, values are rounded to nearest even. Conversions to ue8m0 have no default and need
   * `rz` or `rp`. `rs` needs `seed` or `rbits`.
   */
  readonly rounding?: Rounding;
  /**
   * Whether values beyond the range of the result's format, including infinities, are clamped to that range. The
   * default depends on `semantics`.
   */
  readonly saturate?: boolean;
  /** Allowed for signed floats only: turns negative results and -0 into +0, and NaNs into the canonical NaN. */
  readonly relu?: boolean;
  /** Subnormal f32 inputs and results become zeros of the same sign. */
  readonly ftz?: boolean;
  /** The rules to follow where PTX and other software convert a value differently. Default: those of PTX. */
  readonly semantics?: Semantics;
  /** For `rs`: random bits from a stream of 32-bit words that depends only on the seed (64 bits). */
  readonly seed?: number | bigint;
  /**
   * For `rs` with a seed: if the source is part of a larger array, the index of the source's first element in that
   * array. The index must be a multiple of 4. Default 0.
   */
  readonly firstElement?: number;
  /**
   * For `rs`: random bits from the caller. Word i is used for elements 4i to 4i + 3 or, if the result is f16 or bf16,
   * for elements 2i and 2i + 1. Each word is used like the operand `rbits` of a `cvt` instruction that converts the
   * same elements, with the first element in the lowest lane.
   */
  readonly rbits?: Uint32Array;
  /**
   * How source elements narrower than a byte are stored. Default: `low-first` for 2-bit and 4-bit elements, otherwise
   * `bytes`.
   */
  readonly sourcePacking?: Packing;
  /** How result elements narrower than a byte are stored. The default is the same as for the source. */
  readonly packing?: Packing;
  /** Number of elements to convert. Default: the whole source. */
  readonly count?: number;
  /**
   * Where to write the result. Default: a new array. If the given array is longer than the result, the rest of it is
   * not changed.
   */
  readonly out?: Bytes;
}

/**
 * The rules for the options of `convert`. Options with the rule `anything()` are checked when they are used, and errors
 * in them have more specific codes.
 */
export const convertRules: RulesFor<ConvertOptions> = {
  from: anything(),
  to: anything(),
  rounding: oneOf(...roundings),
  saturate: flag,
  relu: flag,
  ftz: flag,
  semantics: oneOf(...allSemantics),
  seed: anything(),
  firstElement: anything(),
  rbits: anything(),
  sourcePacking: packingRule,
  packing: packingRule,
  count: anything(),
  out: anything(),
};

/** A conversion of `count` elements, ready to run. */
export interface ArrayConversion {
  readonly from: FormatName;
  readonly to: FormatName;
  readonly plan: ArrayPlan;
  readonly count: number;
  readonly random: RandomSource | null;
}

/**
 * Converts every element of an array. Each element is decoded exactly and rounded once. This works for any pair of
 * formats; if PTX has an instruction for the pair, the results are identical to those of the instruction, bit for bit.
 * A NaN result is PTX's canonical NaN.
 *
 * @returns `out`, or a new array whose type is determined by `ArrayOf`
 * @throws PtxlabError `unknown-format`, `foreign-format`, `ambiguous-format`, `not-offered`, `rounding-required`,
 *   `format-needed`, `bad-packing`, `bad-count`, `no-random-bits`, `buffer-size`, `overlap`, and for arguments of the
 *   wrong kind `bad-source`, `bad-output`, `bad-option`
 */
export function convert<T extends FormatName>(
  source: Bytes,
  options: ConvertOptions & { readonly to: T; readonly out?: never },
): ArrayOf<T>;
export function convert<Out extends Bytes>(source: Bytes, options: ConvertOptions & { readonly out: Out }): Out;
export function convert(source: Bytes, options: ConvertOptions): Bytes;
export function convert(source: Bytes, options: ConvertOptions): Bytes {
  requireOptions(options, convertRules, 'convert');
  const { plan, bytes, into, count, random, result } = prepareArrays(source, options);
  converterOf(plan, source, result).run(bytes, into, count, random);
  return result;
}

/** A conversion together with its arrays. */
export interface PreparedArrays extends ArrayConversion {
  readonly source: Bytes;
  readonly result: Bytes;
  /** The bytes of both arrays. */
  readonly bytes: Uint8Array;
  readonly into: Uint8Array;
}

/** Allocates the result. The options must already follow `convertRules`. Throws the same errors as `convert`. */
export function prepareArrays(source: Bytes, options: ConvertOptions): PreparedArrays {
  const conversion = arrayConversion(source, options);
  if (options.out !== undefined) requireBytes(options.out, 'out', 'bad-output');
  const result = options.out ?? newArray(conversion.to, storedBytes(conversion.plan.target, conversion.count));
  const [bytes, into] = [bytesOf(source), bytesOf(result)];
  checkRoom(conversion, bytes, into);
  const { from, to, plan, count, random } = conversion;
  return { from, to, plan, count, random, source, result, bytes, into };
}

function newArray(format: FormatName, bytes: number): Bytes {
  return arrayOver(format, new ArrayBuffer(bytes), 0, bytes);
}

/**
 * The plan for this source and these options. The options must already follow `convertRules`. Throws the same errors as
 * `convert`.
 */
export function arrayConversion(source: Bytes, options: ConvertOptions): ArrayConversion {
  requireBytes(source, 'the source', 'bad-source');
  const from = sourceFormat(source, options.from);
  const to = requireFormat(options.to);
  const plan = planFor(from, to, options);
  const held = storedElements(plan.source, source.byteLength);
  const count = options.count ?? held;
  if (!Number.isSafeInteger(count) || count < 0 || count > held) {
    throw new PtxlabError(
      'bad-count',
      `${shown(count)} is not a valid count: the source has ${held} elements of ${from}`,
    );
  }
  if (options.count === undefined && plan.source.width >= 8 && storedBytes(plan.source, held) !== source.byteLength) {
    const rest = `${source.byteLength} bytes are not a whole number of ${from} elements (${held} and a remainder)`;
    throw new PtxlabError('buffer-size', `${rest}: give their number as \`count\``);
  }
  return { from, to, plan, count, random: randomSource(plan, options, count) };
}

/**
 * Plans, keyed by everything that they depend on. Creating a plan takes as long as converting thousands of elements.
 */
const plans = new BoundedCache<string, ArrayPlan>(256);

function planFor(from: FormatName, to: FormatName, options: ConvertOptions): ArrayPlan {
  const { rounding, saturate, relu, ftz, semantics, sourcePacking, packing, rbits } = options;
  const modes = `${rounding} ${saturate} ${relu} ${ftz} ${semantics}`;
  const key = `${from} ${to} ${modes} ${sourcePacking} ${packing} ${rbits === undefined}`;
  return plans.of(key, () => {
    const stages = conversionOf({ from, to, rounding, saturate, relu, ftz, semantics });
    if (!stages.ok) throw new PtxlabError(stages.error.code, stages.error.message);
    return {
      stages: stages.value,
      source: storageOf(from, sourcePacking),
      target: storageOf(to, packing),
      random: randomPlan(to, options),
    };
  });
}

function sourceFormat(source: Bytes, named: string | undefined): FormatName {
  const own = formatOfArray(source);
  if (named !== undefined) return requireFormat(named);
  if (own !== null) return own;
  throw new PtxlabError('format-needed', 'the source could have several formats: name one in `from`');
}

function randomPlan(to: FormatName, { rounding, rbits }: ConvertOptions): ArrayPlan['random'] {
  const layout = rounding === 'rs' ? randomLayoutOf(to) : null;
  return layout === null ? null : { ...layout, from: rbits === undefined ? 'seed' : 'words' };
}

function randomSource({ random }: ArrayPlan, options: ConvertOptions, count: number): RandomSource | null {
  const { seed, rbits, firstElement } = options;
  if (random === null) {
    if (seed === undefined && rbits === undefined && firstElement === undefined) return null;
    throw new PtxlabError('no-random-bits', "random bits are only for rounding 'rs'");
  }
  if (seed !== undefined && rbits !== undefined) {
    throw new PtxlabError('no-random-bits', 'give either `seed` or `rbits`, not both');
  }
  if (rbits === undefined) {
    if (seed === undefined) throw new PtxlabError('no-random-bits', "rounding 'rs' needs `seed` or `rbits`");
    return { kind: 'seed', seed: seedOf(seed), first: firstOf(firstElement ?? 0) };
  }
  if (tagOf(rbits) !== 'Uint32Array') {
    throw new PtxlabError('no-random-bits', `rbits must be a Uint32Array, not ${shown(rbits)}`);
  }
  const needed = Math.ceil(count / random.low.length);
  if (rbits.length >= needed) return { kind: 'words', words: rbits };
  throw new PtxlabError(
    'buffer-size',
    `${count} elements take ${needed} words of random bits; rbits has ${rbits.length}`,
  );
}

function firstOf(element: number): number {
  if (Number.isSafeInteger(element) && element >= 0 && element % 4 === 0) return element;
  throw new PtxlabError('bad-count', `${shown(element)} cannot be firstElement: it must be a multiple of 4`);
}

function seedOf(seed: number | bigint): bigint {
  if (typeof seed === 'bigint' || Number.isSafeInteger(seed)) return BigInt.asUintN(64, BigInt(seed));
  throw new PtxlabError('no-random-bits', `${shown(seed)} is not a seed: give an integer, or a bigint beyond 2^53`);
}

function checkRoom({ plan, count, to, random }: ArrayConversion, source: Uint8Array, target: Uint8Array): void {
  const needed = storedBytes(plan.target, count);
  if (target.byteLength < needed) {
    throw new PtxlabError(
      'buffer-size',
      `${count} elements of ${to} take ${needed} bytes; out has ${target.byteLength}`,
    );
  }
  if (random?.kind === 'words' && overlap(random.words, target.subarray(0, needed))) {
    throw new PtxlabError('overlap', 'out overlaps rbits, and would overwrite words that have not been read yet');
  }
  if (source.buffer !== target.buffer || needed === 0) return;
  const [first, behind] = [source.byteOffset, source.byteOffset + storedBytes(plan.source, count)];
  const apart = target.byteOffset >= behind || target.byteOffset + needed <= first;
  const inPlace = target.byteOffset === first && storedBits(plan.target) <= storedBits(plan.source);
  if (apart || inPlace) return;
  throw new PtxlabError('overlap', 'out overlaps the source, and would overwrite elements that have not been read yet');
}
