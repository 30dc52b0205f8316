/** Random elements of matrices. Each kind tests a different aspect of how a tensor core multiplies and adds. */
import { type FloatFormat, formats } from '../../src/numerics/formats.ts';
import type { RandomSource } from '../../test/differential/random-source.ts';

export type FloatElement = 'f16' | 'bf16' | 'tf32' | 'e4m3' | 'e5m2' | 'f32' | 'f64';
export type IntegerElement = 's8' | 'u8' | 's4' | 'u4' | 'b1' | 's32';
export type Element = FloatElement | IntegerElement;

/** Kinds of floating-point data. Each warp, or each launch of wgmma, has data of one kind. */
export const floatKinds = [
  'ordinary',
  'spread',
  'powers',
  'cancelling',
  'far accumulators',
  'lone accumulators',
  'leaning',
  'subnormal',
  'tiny',
  'zeros',
  'minus zeros',
  'special',
  'any bits',
] as const;
export type FloatKind = (typeof floatKinds)[number];

export function isFloat(element: Element): element is FloatElement {
  return formats[element === 'b1' ? 'u4' : element].kind === 'float';
}

export function bitsOfElement(element: Element): number {
  return element === 'b1' ? 1 : formats[element].width;
}

// --- codes of floats --------------------------------------------------------------------------------------------------

function floatFormat(element: FloatElement): FloatFormat {
  const format = formats[element];
  return format;
}

/** The code of a float, given by its fields. Bits below the fraction are 0. */
function codeOf(element: FloatElement, sign: number, field: number, fraction: bigint): bigint {
  const { exponentBits, fractionBits, padding } = floatFormat(element);
  const high = (BigInt(sign) << BigInt(exponentBits)) | BigInt(field);
  return ((high << BigInt(fractionBits)) | fraction) << BigInt(padding);
}

/** Returns `count` random bits. */
export function randomBits(random: RandomSource, count: number): bigint {
  const all = (BigInt(random.bits()) << 32n) | BigInt(random.bits());
  return BigInt.asUintN(count, all);
}

const fractionOf = (random: RandomSource, element: FloatElement): bigint =>
  randomBits(random, floatFormat(element).fractionBits);

/** The exponent field of a normal number whose exponent is as close as possible to the given one. */
function fieldNear(element: FloatElement, exponent: number): number {
  const { exponentBits, bias } = floatFormat(element);
  return Math.max(1, Math.min(2 ** exponentBits - 2, bias + exponent));
}

/** A random number whose exponent differs by at most `range` from `middle`. */
function near(random: RandomSource, element: FloatElement, range: number, middle = 0): bigint {
  const exponent = middle + random.below(2 * range + 1) - range;
  return codeOf(element, random.below(2), fieldNear(element, exponent), fractionOf(random, element));
}

/** Plus or minus 2^exponent, or the nearest normal power of two. */
export function powerOfTwo(element: FloatElement, exponent: number, sign = 0): bigint {
  return codeOf(element, sign, fieldNear(element, exponent), 0n);
}

function subnormal(random: RandomSource, element: FloatElement): bigint {
  return codeOf(element, random.below(2), 0, fractionOf(random, element));
}

const zero = (element: FloatElement, sign: number): bigint => codeOf(element, sign, 0, 0n);

/** An infinity or a NaN. A format without infinities has only two NaNs. */
function special(random: RandomSource, element: FloatElement): bigint {
  const { exponentBits, fractionBits, padding, infinity } = floatFormat(element);
  const sign = random.below(2);
  if (!infinity) return codeOf(element, sign, 2 ** exponentBits - 1, (1n << BigInt(fractionBits)) - 1n);
  const all = 2 ** exponentBits - 1;
  if (random.percent(55)) return codeOf(element, sign, all, 0n);
  // A NaN whose payload is in the bits that tf32 ignores, a signaling NaN, or a random NaN.
  if (padding > 0 && random.percent(30)) return codeOf(element, sign, all, 0n) | (randomBits(random, padding) | 1n);
  if (random.percent(30)) return codeOf(element, sign, all, 1n);
  return codeOf(element, sign, all, fractionOf(random, element) | 1n);
}

/** The largest range of exponents that makes sense for products in this format. */
const widest: Readonly<Record<FloatElement, number>> = {
  f16: 12,
  bf16: 14,
  tf32: 14,
  e4m3: 7,
  e5m2: 13,
  f32: 24,
  f64: 40,
};
/**
 * If two numbers have exponents near this one, the exponent of their product is near the smallest exponent of the sums.
 */
const tinyExponent: Readonly<Record<FloatElement, number>> = {
  f16: -14,
  bf16: -66,
  tf32: -66,
  e4m3: -6,
  e5m2: -14,
  f32: -128,
  f64: -520,
};

function leaning(random: RandomSource, element: FloatElement): bigint {
  const { exponentBits } = floatFormat(element);
  const field = 2 ** exponentBits - (floatFormat(element).infinity ? 2 : 1) - random.below(2);
  const fraction = fractionOf(random, element);
  // In e4m3, a code with all exponent and fraction bits set is a NaN.
  return codeOf(element, random.percent(20) ? 1 : 0, field, element === 'e4m3' ? fraction & 6n : fraction);
}

function factorCode(random: RandomSource, element: FloatElement, kind: FloatKind): bigint {
  switch (kind) {
    case 'ordinary':
    case 'far accumulators':
      return near(random, element, 2);
    case 'spread':
      return near(random, element, widest[element]);
    case 'powers':
      return powerOfTwo(element, -random.pick([0, 0, 3, 5, 12]), random.below(2));
    case 'cancelling':
      return random.percent(50)
        ? powerOfTwo(element, 0, random.below(2))
        : powerOfTwo(element, random.pick([1, 6, -6]), random.below(2));
    case 'lone accumulators':
      return zero(element, random.below(2));
    case 'leaning':
      return leaning(random, element);
    case 'subnormal':
      return random.percent(80) ? subnormal(random, element) : near(random, element, widest[element]);
    case 'tiny':
      return random.percent(30)
        ? subnormal(random, element)
        : near(random, element, element === 'f64' ? 14 : 6, tinyExponent[element]);
    case 'zeros':
      return random.percent(80) ? zero(element, random.below(2)) : near(random, element, 1);
    case 'minus zeros':
      return zero(element, 1);
    case 'special':
      return random.percent(4)
        ? special(random, element)
        : random.percent(10)
          ? zero(element, random.below(2))
          : near(random, element, 2);
    case 'any bits':
      return random.percent(96) ? near(random, element, 9) : randomBits(random, floatFormat(element).width);
  }
}

/** A random element of A or B. tf32 elements often have bits that are ignored. `ofB` is true for B. */
function floatFactor(random: RandomSource, element: FloatElement, kind: FloatKind, ofB: boolean): bigint {
  // Products of -0 and positive numbers are -0.
  if (kind === 'minus zeros' && ofB)
    return codeOf(element, 0, fieldNear(element, random.below(3)), fractionOf(random, element));
  const code = factorCode(random, element, kind);
  const ignored = floatFormat(element).padding;
  const exact = kind === 'zeros' || kind === 'special' || kind === 'cancelling' || kind === 'powers';
  return ignored === 0 || exact ? code : code | randomBits(random, ignored);
}

function floatSum(random: RandomSource, element: FloatElement, kind: FloatKind): bigint {
  switch (kind) {
    case 'far accumulators':
      return near(random, element, element === 'f16' ? 14 : 40);
    case 'lone accumulators':
      return random.percent(20) ? subnormal(random, element) : near(random, element, 126);
    case 'leaning':
      return random.percent(50) ? leaning(random, element) : near(random, element, 4, 12);
    case 'tiny':
      return random.pick([zero(element, random.below(2)), subnormal(random, element)]);
    case 'subnormal':
      return random.percent(50) ? subnormal(random, element) : near(random, element, widest[element]);
    case 'zeros':
      return random.percent(70) ? zero(element, random.below(2)) : near(random, element, 1);
    case 'minus zeros':
      return zero(element, random.percent(80) ? 1 : 0);
    case 'special':
      return random.percent(15) ? special(random, element) : near(random, element, 4);
    default:
      return factorCode(random, element, kind);
  }
}

// --- integers ---------------------------------------------------------------------------------------------------------

function integerFactor(random: RandomSource, element: IntegerElement): bigint {
  const bits = bitsOfElement(element);
  if (bits === 1 || random.percent(60)) return randomBits(random, bits);
  const highest = 1n << BigInt(bits - 1);
  return random.pick([highest, highest - 1n, 2n * highest - 1n, 0n]);
}

function integerSum(random: RandomSource): bigint {
  if (random.percent(40)) return randomBits(random, 32);
  return BigInt.asUintN(32, random.pick([0x7fff_ffffn, -0x8000_0000n]) + randomBits(random, 9) - 256n);
}

// --- all elements -----------------------------------------------------------------------------------------------------

export type Side = 'a' | 'b' | 'c';

/** A random element of A, B or C. The kind has no effect on integers. */
export function elementOf(random: RandomSource, element: Element, kind: FloatKind, side: Side): bigint {
  if (isFloat(element)) {
    return side === 'c' ? floatSum(random, element, kind) : floatFactor(random, element, kind, side === 'b');
  }
  return side === 'c' ? integerSum(random) : integerFactor(random, element);
}

/** Packs elements; the first one has the lowest bits. */
export function bytesOf(codes: readonly bigint[], bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((codes.length * bits) / 8));
  codes.forEach((code, i) => putBits(bytes, i * bits, bits, code));
  return bytes;
}

/** Writes an element at a position in bits, which is a multiple of the size of the element. */
export function putBits(bytes: Uint8Array, at: number, bits: number, code: bigint): void {
  if (bits < 8) {
    bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (Number(code) << (at & 7));
    return;
  }
  for (let i = 0; i < bits / 8; i++) bytes[(at >> 3) + i] = Number((code >> BigInt(8 * i)) & 255n);
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

// --- metadata ---------------------------------------------------------------------------------------------------------

/** The valid pieces of metadata. A piece selects two of four columns or, for 32-bit elements, one of two columns. */
const twoOfFour = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
const oneOfTwo = [0b0100, 0b1110];

/** A register of random metadata. If `valid` is true, the indices are in order; otherwise, all bits are random. */
export function metadataWord(random: RandomSource, isTf32: boolean, valid: boolean): number {
  if (!valid) return random.bits();
  const pieces = Array.from({ length: 8 }, () => random.pick(isTf32 ? oneOfTwo : twoOfFour));
  return pieces.reduce((word, piece, i) => (word | (piece << (4 * i))) >>> 0, 0);
}
