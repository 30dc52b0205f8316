/**
 * Derives from the text of a `cvt` mnemonic how the lanes of the result are computed. Only the golden tests of
 * src/numerics use this file. It deliberately shares no code with src/isa, so that a mistake in either one makes a test
 * fail.
 */
import { type Bits, chop, signExtend } from '../../src/base/bits.ts';
import type { Conversion, RecordedGpu, Rounding } from '../../src/numerics/conversion.ts';
import { conversion } from '../../src/numerics/convert.ts';
import { type FormatName, formats, type IntegerName } from '../../src/numerics/formats.ts';
import { packClamp } from '../../src/numerics/integers.ts';

/**
 * Computes the result bits of one instruction. The operands are passed in the order of the instruction, as the bits of
 * their registers.
 */
export type Evaluate = (operands: readonly Bits[]) => Bits;

export interface Packing {
  readonly format: FormatName;
  readonly lanes: number;
  readonly stride: number;
}

const strides: Partial<Record<FormatName, number>> = { e2m3: 8, e3m2: 8 };

function packingOf(type: string): Packing {
  const [, name, count] = /^(.*?)(?:x([24]))?$/.exec(type) as unknown as [string, FormatName, string | undefined];
  const lanes = Number(count ?? 1);
  return { format: name, lanes, stride: strides[name] ?? formats[name].width };
}

const roundings: Readonly<Record<string, Rounding>> = {
  rn: 'rn',
  rz: 'rz',
  rm: 'rm',
  rp: 'rp',
  rna: 'rna',
  rs: 'rs',
  rni: 'rn',
  rzi: 'rz',
  rmi: 'rm',
  rpi: 'rp',
};

/**
 * For each destination format, the number of random bits that are added in each lane. The numbers are taken from the
 * figures of cvt in the ISA.
 */
const randomWidths: Partial<Record<FormatName, number>> = {
  f16: 13,
  bf16: 16,
  e4m3: 16,
  e5m2: 16,
  e2m3: 16,
  e3m2: 16,
  e2m1: 8,
};

/** For each destination format, the positions of the lanes' random bits in rbits. The upper lane comes first. */
const randomPositions: Partial<Record<FormatName, readonly number[]>> = {
  f16: [16, 0],
  bf16: [16, 0],
  e4m3: [16, 16, 0, 0],
  e5m2: [16, 16, 0, 0],
  e2m3: [16, 16, 0, 0],
  e3m2: [16, 16, 0, 0],
  e2m1: [24, 8, 16, 0],
};

/** How the result of a `cvt` mnemonic is packed. */
export function lanesOf(mnemonic: string): Packing {
  return packingOf(mnemonic.split('.').at(-2) as string);
}

/** The conversion that a `cvt` instruction applies to each lane. */
export function conversionOf(mnemonic: string, gpu: RecordedGpu = 'any'): Conversion {
  const words = mnemonic.split('.').slice(1);
  const from = packingOf(words.at(-1) as string).format;
  const to = packingOf(words.at(-2) as string).format;
  const modifiers = new Set(words.slice(0, -2));
  const rounding = [...modifiers].find((word) => word in roundings);
  const direction = from === 's2f6' ? 'multiply' : to === 's2f6' ? 'divide' : null;
  return {
    from,
    to,
    rounding: rounding === undefined ? null : (roundings[rounding] as Rounding),
    integral: rounding !== undefined && rounding.length === 3 && rounding.endsWith('i'),
    flush: modifiers.has('ftz'),
    sat: modifiers.has('sat'),
    satfinite: modifiers.has('satfinite'),
    positiveZero: false,
    relu: modifiers.has('relu'),
    randomBits: rounding === 'rs' ? (randomWidths[to] ?? 0) : 0,
    scaled: direction,
    gpu,
  };
}

function laneAt(bits: Bits, position: number, width: number): number {
  return Math.floor(Number(bits) / 2 ** position) % 2 ** width;
}

/**
 * Returns a function that evaluates a `cvt` or `cvt.pack` mnemonic; `destination` is the width of the result register.
 */
export function evaluator(
  mnemonic: string,
  destination: number | null = null,
  gpu: RecordedGpu = 'any',
): Evaluate {
  if (mnemonic.startsWith('cvt.pack.')) return packEvaluator(mnemonic);
  const words = mnemonic.split('.');
  const from = packingOf(words.at(-1) as string);
  const to = packingOf(words.at(-2) as string);
  if (to.lanes > 1) return laneEvaluator(conversionOf(mnemonic, gpu), from, to);
  const width = formats[from.format].width;
  const convert = conversion(conversionOf(mnemonic, gpu));
  const { width: resultWidth, signed, kind } = formats[to.format];
  return ([source]) => {
    const result = convert(chop(source as Bits, width), 0, 0x7f);
    if (destination === null) return result;
    return kind === 'integer' && signed ? signExtend(result, resultWidth, destination) : chop(result, destination);
  };
}

function laneEvaluator(c: Conversion, from: Packing, to: Packing): Evaluate {
  const convert = conversion(c);
  const width = formats[from.format].width;
  const sources = from.lanes > 1 ? 1 : to.lanes;
  const positions = randomPositions[to.format];
  return (operands) => {
    const extra = operands[sources] ?? 0x7f7f;
    let result = 0;
    for (let lane = 0; lane < to.lanes; lane++) {
      const below = to.lanes - 1 - lane;
      const source =
        from.lanes > 1 ? laneAt(operands[0] as Bits, below * from.stride, width) : (operands[lane] as Bits);
      const random = c.randomBits > 0 ? laneAt(extra, positions?.[lane] ?? 0, c.randomBits) : 0;
      const scale = c.scaled === null ? 0x7f : laneAt(extra, below * 8, 8);
      result += Number(convert(source, random, scale)) * 2 ** (below * to.stride);
    }
    return result;
  };
}

function packEvaluator(mnemonic: string): Evaluate {
  const to = mnemonic.split('.')[3] as IntegerName;
  const clamp = packClamp(to);
  const width = formats[to].width;
  return ([a, b, c]) => {
    const low = Number(clamp(a as Bits)) * 2 ** width + Number(clamp(b as Bits));
    return chop(BigInt(low) + (BigInt(c ?? 0) << BigInt(2 * width)), 32);
  };
}
