/** Decodes the bits of a format into the sign, significand and exponent that rounding.ts expects. */
import type { FixedFormat, FloatFormat, NumberFormat } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { type ExactLocals, exactLocals } from './exact-locals.ts';

/**
 * Handlers for NaNs, infinities and zeros, which are not rounded like other values. The code that a handler writes must
 * end by returning from the function. `nan` is also given the local that holds the fraction.
 */
export interface Exceptions {
  readonly nan: (sign: number, fraction: number) => void;
  readonly infinity: (sign: number) => void;
  readonly zero: (sign: number) => void;
  /** Whether to treat subnormals as zeros. */
  readonly flush: boolean;
}

/** Decodes the i64 local `bits`, whose bits above the format's width must be zero. */
export function decode(code: Code, format: NumberFormat, bits: number, exceptions: Exceptions): ExactLocals {
  const exact = exactLocals(code);
  if (format.kind === 'float') decodeFloat(code, format, bits, exact, exceptions);
  else decodeFixed(code, format, bits, exact, exceptions);
  return exact;
}

function decodeFloat(code: Code, format: FloatFormat, bits: number, exact: ExactLocals, exceptions: Exceptions): void {
  const { fractionBits, exponentBits, bias, padding, width, signed, subnormals } = format;
  const fraction = code.local('i64');
  const field = code.local('i32');
  const { sign, significand, exponent } = exact;
  const top = 2 ** exponentBits - 1;
  const ones = (1n << BigInt(fractionBits)) - 1n;
  if (signed) {
    code
      .get(bits)
      .i64(BigInt(width - 1))
      .op('i64.shr_u', 'i32.wrap_i64')
      .set(sign);
  }
  code.get(bits).i64(BigInt(padding)).op('i64.shr_u').i64(ones).op('i64.and').set(fraction);
  code
    .get(bits)
    .i64(BigInt(padding + fractionBits))
    .op('i64.shr_u', 'i32.wrap_i64')
    .i32(top)
    .op('i32.and')
    .set(field);
  if (format.nan !== 'none' || format.infinity) {
    code
      .get(field)
      .i32(top)
      .op('i32.eq')
      .if(() => special(code, format, ones, { fraction, sign }, exceptions));
  }
  code.get(field).i32(bias).op('i32.sub').set(exponent);
  code
    .get(fraction)
    .i64(1n << BigInt(fractionBits))
    .op('i64.or');
  code
    .i64(BigInt(63 - fractionBits))
    .op('i64.shl')
    .set(significand);
  if (!subnormals) return;
  code
    .get(field)
    .op('i32.eqz')
    .if(() => {
      if (exceptions.flush) {
        exceptions.zero(sign);
        return;
      }
      code
        .get(fraction)
        .op('i64.eqz')
        .if(() => exceptions.zero(sign));
      code
        .i32(1 - bias + 63 - fractionBits)
        .get(fraction)
        .op('i64.clz', 'i32.wrap_i64', 'i32.sub')
        .set(exponent);
      code.get(fraction).get(fraction).op('i64.clz', 'i64.shl').set(significand);
    });
}

/** Handles values whose exponent field is all ones. */
function special(
  code: Code,
  format: FloatFormat,
  ones: bigint,
  { fraction, sign }: { readonly fraction: number; readonly sign: number },
  exceptions: Exceptions,
): void {
  if (format.nan === 'all-ones') {
    code
      .get(fraction)
      .i64(ones)
      .op('i64.eq')
      .if(() => exceptions.nan(sign, fraction));
    return;
  }
  code
    .get(fraction)
    .op('i64.eqz')
    .if(
      () => exceptions.infinity(sign),
      () => exceptions.nan(sign, fraction),
    );
}

function decodeFixed(code: Code, format: FixedFormat, bits: number, exact: ExactLocals, { zero }: Exceptions): void {
  const { width, signed, fractionBits } = format;
  const { sign, significand, exponent } = exact;
  const magnitude = code.local('i64');
  code
    .get(bits)
    .op('i64.eqz')
    .if(() => zero(sign));
  code.get(bits).set(magnitude);
  if (signed) {
    const spare = BigInt(64 - width);
    code.get(bits).i64(spare).op('i64.shl').i64(spare).op('i64.shr_s').tee(magnitude);
    code.i64(0n).op('i64.lt_s').tee(sign);
    code.if(() => code.i64(0n).get(magnitude).op('i64.sub').set(magnitude));
  }
  code.get(magnitude).get(magnitude).op('i64.clz', 'i64.shl').set(significand);
  code
    .i32(63 - fractionBits)
    .get(magnitude)
    .op('i64.clz', 'i32.wrap_i64', 'i32.sub')
    .set(exponent);
}
