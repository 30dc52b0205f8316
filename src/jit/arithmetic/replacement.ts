/**
 * Replaces the results of a conversion for certain inputs. The code is generated either for a single value or for four
 * values at a time.
 */
import type { Conversion } from '../../numerics/conversion.ts';
import { formats, floatFormat } from '../../numerics/formats.ts';
import type { ConversionStage, Replacement } from '../../numerics/conversion-stages.ts';
import type { Code } from '../../wasm/code.ts';
import { converter } from './convert.ts';
import type { Helpers } from '../helpers.ts';
import { returnBits } from './rounding.ts';
import { holder } from '../regions/values.ts';
import { shift, splat } from '../simd/vector-words.ts';

/**
 * Describes how the payload of a NaN is copied from the source format to the target format, and which other bits of the
 * result are set.
 */
interface Payload {
  /** Mask that selects the fraction bits of a source pattern. */
  readonly mask: bigint;
  /**
   * Number of places by which the fraction is shifted to the left when it is copied to the target; negative if it is
   * shifted to the right.
   */
  readonly shift: number;
  /** Mask that selects the fraction bits of a target pattern. */
  readonly field: bigint;
  readonly top: bigint;
  readonly least: bigint;
  readonly exponent: bigint;
}

function payloadOf(c: Conversion, quiet: boolean): Payload {
  const [from, to] = [floatFormat(c.from), floatFormat(c.to)];
  const [padding, ones] = [BigInt(to.padding), (bits: number): bigint => (1n << BigInt(bits)) - 1n];
  return {
    mask: ones(from.fractionBits) << BigInt(from.padding),
    shift: to.fractionBits + to.padding - from.fractionBits - from.padding,
    field: ones(to.fractionBits) << padding,
    top: quiet ? (1n << BigInt(to.fractionBits - 1)) << padding : 0n,
    least: 1n << padding,
    exponent: (ones(to.exponentBits) << BigInt(to.fractionBits)) << padding,
  };
}

// --- one value ------------------------------------------------------------------------------------------------------

/**
 * Returns the index of a function that converts one lane. Like the functions that `converter` generates, it takes the
 * source, the random bits and the scale.
 */
export function stageConverter(helpers: Helpers, stage: ConversionStage): number {
  const { conversion: c, replacements } = stage;
  const plain = converter(helpers, c);
  if (replacements.length === 0) return plain;
  const [from, to] = [formats[c.from], formats[c.to]];
  const type = { parameters: [holder(from.width), 'i32', 'i32'], results: [holder(to.width)] } as const;
  return helpers.function(`replace ${keyOf(stage)}`, type, (code) => {
    const [bits, magnitude] = [code.local('i64'), code.local('i64')];
    code.get(0);
    if (from.width <= 32) code.op('i64.extend_i32_u');
    code.tee(bits);
    if (from.signed) code.i64((1n << BigInt(from.width - 1)) - 1n).op('i64.and');
    code.set(magnitude);
    for (const one of replacements) {
      code.get(magnitude).i64(BigInt(one.first)).op('i64.sub');
      code.i64(BigInt(one.last) - BigInt(one.first)).op('i64.le_u');
      code.if(() => returnReplaced(code, c, one, bits));
    }
    code.get(0).get(1).get(2).call(plain);
  });
}

function returnReplaced(code: Code, c: Conversion, { result }: Replacement, bits: number): void {
  const [from, to] = [formats[c.from], formats[c.to]];
  const sign = (): Code =>
    code
      .get(bits)
      .i64(BigInt(from.width - 1))
      .op('i64.shr_u');
  if (result.kind === 'payload') {
    pushPayload(code, payloadOf(c, result.quiet), bits);
    sign()
      .i64(BigInt(to.width - 1))
      .op('i64.shl', 'i64.or');
    returnBits(code, to.width);
    return;
  }
  const give = (pattern: Replacement['first'] | null): void => {
    if (pattern === null) return;
    code.i64(BigInt(pattern));
    returnBits(code, to.width);
  };
  if (!from.signed) {
    give(result.positive);
    return;
  }
  sign()
    .op('i32.wrap_i64')
    .if(
      () => give(result.negative),
      () => give(result.positive),
    );
}

function pushPayload(code: Code, { mask, shift: left, field, top, least, exponent }: Payload, bits: number): void {
  const moved = code.local('i64');
  code.get(bits).i64(mask).op('i64.and');
  code.i64(BigInt(Math.abs(left))).op(left < 0 ? 'i64.shr_u' : 'i64.shl');
  code.i64(field).op('i64.and').i64(top).op('i64.or').tee(moved);
  code.i64(least).get(moved).get(moved).op('i64.eqz', 'select', 'i64.or').i64(exponent).op('i64.or');
}

// --- four values ----------------------------------------------------------------------------------------------------

/**
 * Writes code that checks each of the four results and replaces it if the stage has a replacement for it. `source` and
 * `results` are vectors of four words.
 */
export function replaceVector(
  code: Code,
  { conversion: c, replacements }: ConversionStage,
  source: number,
  results: number,
): void {
  const from = formats[c.from];
  for (const { first, last, result } of replacements) {
    const chosen = code.local('v128');
    code.get(source);
    if (from.signed) splat(code, 2 ** (from.width - 1) - 1).vector('v128.and');
    splat(code, Number(first)).vector('i32x4.sub');
    splat(code, Number(last) - Number(first))
      .vector('i32x4.le_u')
      .set(chosen);
    const pushSign = (): Code => shift(shift(code.get(source), 'i32x4.shl', 32 - from.width), 'i32x4.shr_s', 31);
    if (result.kind === 'payload') {
      pushVectorPayload(code, c, payloadOf(c, result.quiet), source, pushSign);
      code.get(results).get(chosen).vector('v128.bitselect').set(results);
      continue;
    }
    const { positive, negative } = result;
    for (const [pattern, keeps] of [
      [positive, 'v128.andnot'],
      [negative, 'v128.and'],
    ] as const) {
      if (pattern === null || (!from.signed && keeps === 'v128.and')) continue;
      splat(code, Number(pattern)).get(results).get(chosen);
      if (from.signed) pushSign().vector(keeps);
      code.vector('v128.bitselect').set(results);
    }
  }
}

function pushVectorPayload(code: Code, c: Conversion, payload: Payload, source: number, pushSign: () => Code): void {
  const { mask, shift: left, field, top, least, exponent } = payload;
  const moved = code.local('v128');
  splat(code.get(source), Number(mask)).vector('v128.and');
  shift(code, left < 0 ? 'i32x4.shr_u' : 'i32x4.shl', Math.abs(left));
  splat(code, Number(field)).vector('v128.and');
  splat(code, Number(top)).vector('v128.or').tee(moved).get(moved);
  splat(code, 0).vector('i32x4.eq');
  splat(code, Number(least)).vector('v128.and', 'v128.or');
  splat(code, Number(exponent)).vector('v128.or');
  pushSign();
  splat(code, 2 ** (formats[c.to].width - 1)).vector('v128.and', 'v128.or');
}

/**
 * Returns a string that identifies the stage. Patterns are converted to strings first, because they may be bigints,
 * which JSON cannot represent.
 */
function keyOf({ conversion, replacements }: ConversionStage): string {
  const result = replacements.map(({ first, last, rule }) => `${first} ${last} ${rule}`);
  return JSON.stringify([conversion, result]);
}
