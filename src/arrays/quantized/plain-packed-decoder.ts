/**
 * Decodes packed blocks to numbers in plain JavaScript. This version is the specification for the WebAssembly kernel.
 */
import { assertNever } from '../../base/assert-never.ts';
import { byteAt, doubleAt, signedAt, singleAt } from '../../base/typed-reads.ts';
import type {
  DigitCodes,
  GridCodes,
  LinearCodes,
  ListedCodes,
  PackedBlock,
  Scale,
} from '../../numerics/packed-blocks.ts';
import { BlockFactors } from './block-factors.ts';
import { canonicalizeNans } from './canonical-nans.ts';
import { sharedNumbers, SmallNumbers } from './small-numbers.ts';

export interface PackedDecoder {
  /**
   * Decodes whole blocks to f32; the length of `out` determines the number of blocks. If a factor is NaN or infinite,
   * the values are the results of ordinary f32 arithmetic, except that the bits of every NaN are 0x7fffffff. Returns
   * true if all factors are finite.
   */
  decode(bytes: Uint8Array, out: Float32Array): boolean;
}

export class PlainPackedDecoder implements PackedDecoder {
  private readonly block: PackedBlock;
  private readonly readCodes: CodeReader;
  private readonly scale: ScaleReader;
  private readonly offset: ScaleReader | null;

  constructor(block: PackedBlock) {
    const { elements, scale, offset } = block;
    this.block = block;
    this.readCodes = codeReader(block);
    this.scale = new ScaleReader(scale, elements);
    this.offset = offset === null ? null : new ScaleReader(offset, elements);
  }

  decode(bytes: Uint8Array, out: Float32Array): boolean {
    const { elements, bytes: size } = this.block;
    const codes = new Float32Array(elements);
    const [scales, offsets] = [new Float64Array(elements), new Float64Array(elements)];
    let areFinite = true;
    for (let start = 0, first = 0; first < out.length; start += size, first += elements) {
      this.readCodes(bytes, start, codes);
      areFinite = this.scale.read(bytes, start, scales) && areFinite;
      if (this.offset === null) {
        for (let i = 0; i < elements; i++) out[first + i] = singleAt(codes, i) * doubleAt(scales, i);
        continue;
      }
      areFinite = this.offset.read(bytes, start, offsets) && areFinite;
      // The product is exact. The sum of two f32 values is rounded first to f64 and then to f32, which gives the same
      // result as rounding it once.
      for (let i = 0; i < elements; i++)
        out[first + i] = singleAt(codes, i) * doubleAt(scales, i) + doubleAt(offsets, i);
    }
    if (!areFinite) canonicalizeNans(out);
    return areFinite;
  }
}

class ScaleReader {
  private readonly scale: Scale;
  private readonly factors: BlockFactors;
  private readonly multipliers: SmallNumbers | null;
  private readonly factorRoom: Float32Array;
  private readonly room: Int32Array;

  constructor(scale: Scale, elements: number) {
    this.scale = scale;
    this.factors = new BlockFactors(scale, elements, 0);
    this.factorRoom = new Float32Array(this.factors.perBlock);
    this.multipliers = scale.multiplier === null ? null : sharedNumbers(scale.multiplier, elements);
    this.room = new Int32Array(this.multipliers?.count ?? 0);
  }

  /** Computes the scale of each element in the block at `start`. Returns whether all factors are finite. */
  read(bytes: Uint8Array, start: number, into: Float64Array): boolean {
    const { factor, multiplier } = this.scale;
    const areFinite = this.factors.read(bytes, start, 1, this.factorRoom);
    for (let i = 0; i < into.length; i++) into[i] = singleAt(this.factorRoom, Math.floor(i / factor.share));
    if (multiplier === null || this.multipliers === null) return areFinite;
    const { share, signed, times, plus } = multiplier;
    this.multipliers.read(bytes, start, this.room);
    const unused = 32 - this.multipliers.width;
    for (let i = 0; i < into.length; i++) {
      const stored = signedAt(this.room, Math.floor(i / share));
      const n = signed ? (stored << unused) >> unused : stored;
      // An offset of zero is not added, because that would turn -0 into +0. ggml does not add it, either.
      into[i] = doubleAt(into, i) * (plus === 0 ? times * n : times * n + plus);
    }
    return areFinite;
  }
}

/** Writes the codes of the block at `start`. */
type CodeReader = (bytes: Uint8Array, start: number, into: Float32Array) => void;

function codeReader({ codes, elements }: PackedBlock): CodeReader {
  switch (codes.kind) {
    case 'linear':
      return linearReader(codes, elements);
    case 'listed':
      return listedReader(codes, elements);
    case 'digits':
      return digitReader(codes, elements);
    case 'grid':
      return gridReader(codes, elements);
    default:
      return assertNever(codes);
  }
}

function linearReader({ places, signed, plus }: LinearCodes, elements: number): CodeReader {
  const numbers = new SmallNumbers(places, elements);
  const stored = new Int32Array(elements);
  const unused = signed ? 32 - numbers.width : 0;
  return (bytes, start, into) => {
    numbers.read(bytes, start, stored);
    for (let i = 0; i < elements; i++) into[i] = ((signedAt(stored, i) << unused) >> unused) + plus;
  };
}

function listedReader({ places, values }: ListedCodes, elements: number): CodeReader {
  const numbers = new SmallNumbers(places, elements);
  const stored = new Int32Array(elements);
  const table = Float32Array.from(values);
  return (bytes, start, into) => {
    numbers.read(bytes, start, stored);
    for (let i = 0; i < elements; i++) into[i] = singleAt(table, signedAt(stored, i));
  };
}

function digitReader({ byteOf, digitOf }: DigitCodes, elements: number): CodeReader {
  const places = Int32Array.from({ length: elements }, (_, i) => byteOf(i));
  const powers = Int32Array.from({ length: elements }, (_, i) => 3 ** digitOf(i));
  return (bytes, start, into) => {
    for (let i = 0; i < elements; i++) {
      const rest = (byteAt(bytes, start + signedAt(places, i)) * signedAt(powers, i)) & 0xff;
      into[i] = ((3 * rest) >> 8) - 1;
    }
  };
}

function gridReader({ share, places, grid: gridOf, signs, shift }: GridCodes, elements: number): CodeReader {
  const points = sharedNumbers({ share, places }, elements);
  const chosen = new Int32Array(points.count);
  const grid = Float32Array.from(gridOf());
  const readSigns = signs === null ? null : signReader(signs.share, sharedNumbers(signs, elements));
  const shifts = shift === null ? null : sharedNumbers(shift, elements);
  const shifted = new Int32Array(shifts?.count ?? 0);
  return (bytes, start, into) => {
    points.read(bytes, start, chosen);
    for (let point = 0; point < points.count; point++) {
      const from = signedAt(chosen, point) * share;
      into.set(grid.subarray(from, from + share), point * share);
    }
    readSigns?.(bytes, start, into);
    if (shift === null) return;
    shifts?.read(bytes, start, shifted);
    for (let i = 0; i < elements; i++) {
      into[i] = singleAt(into, i) + (signedAt(shifted, Math.floor(i / shift.share)) === 0 ? 0.125 : -0.125);
    }
  };
}

function signReader(share: number, numbers: SmallNumbers): CodeReader {
  const signs = new Int32Array(numbers.count);
  const isImplied = numbers.width < share;
  return (bytes, start, into) => {
    numbers.read(bytes, start, signs);
    for (let i = 0; i < into.length; i++) {
      const stored = signedAt(signs, Math.floor(i / share));
      const all = isImplied ? stored | (parityOf(stored) << numbers.width) : stored;
      if ((all >> (i % share)) & 1) into[i] = -singleAt(into, i);
    }
  };
}

/** Returns 1 if an odd number of the lowest eight bits are set, otherwise 0. */
function parityOf(bits: number): number {
  const four = bits ^ (bits >> 4);
  return (0x6996 >> (four & 0xf)) & 1;
}
