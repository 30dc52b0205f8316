/** Generates code that computes the weighted mean of a channel of texels; see machine/textures/mixing.ts. */
import { leastNormal } from '../../machine/textures/coordinates.ts';
import { f32Format, guardBits, totalWeight } from '../../machine/textures/mixing.ts';
import { canonicalNan, greatestSigned, greatestUnsigned } from '../../machine/textures/texel-formats.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import type { Helpers } from '../helpers.ts';
import { pushChannel } from './channel-code.ts';
import { f64, type TextureParts } from './coordinate-code.ts';
import type { ChannelFormat } from './texture-table.ts';

/** The locals for a texel: its address, and its integer weight, both as an i32 and as an f64. */
export interface WeighedTexel {
  readonly address: number;
  readonly weight: number;
  readonly factor: number;
}

/** The exponent biases of f64 and f32. */
const bias = 1023;
const singleBias = 127;

/** The number of bits that are kept below the highest bit of the largest texel in a plane. */
const keptBits: number = f32Format.fractionBits + guardBits;

/**
 * If the largest texel in a plane has at least this biased exponent, subnormal texels in the plane are too small to
 * matter.
 */
const ordinaryExponent = 32;
const exponentOfInfinity = 255;

/** The locals for a plane of floats: the bits of the texels, the bits of the largest magnitude, and the sum. */
interface Plane {
  readonly texels: readonly { readonly texel: WeighedTexel; readonly bits: number }[];
  readonly most: number;
  readonly sum: number;
}

export class MixWriter {
  private readonly parts: TextureParts;
  private readonly code: Code;
  private readonly texels: readonly WeighedTexel[];
  private readonly planes: readonly Plane[];
  private readonly sum: number;
  private readonly highest: number;
  private readonly result: number;

  /** @param planes the texels that are mixed: one or two planes, each of which has two or four texels */
  constructor(parts: TextureParts, planes: readonly (readonly WeighedTexel[])[]) {
    const { code } = parts;
    this.parts = parts;
    this.code = code;
    this.texels = planes.flat();
    this.planes = planes.map((plane) => ({
      texels: plane.map((texel) => ({ texel, bits: code.local('i32') })),
      most: code.local('i32'),
      sum: code.local('f64'),
    }));
    [this.sum, this.highest, this.result] = [code.local('i32'), code.local('i32'), code.local('f64')];
  }

  /** Pushes the bits of the mean of a channel, and advances the addresses to the next channel. */
  write(format: ChannelFormat): void {
    const { fraction } = format;
    if (fraction === null) this.pushFloat(format);
    else this.pushFraction(format, fraction.isSigned);
    for (const { address } of this.texels) this.code.get(address).i32(format.bytes).op('i32.add').set(address);
  }

  // --- floats --------------------------------------------------------------------------------------------------------

  private pushFloat(format: ChannelFormat): void {
    const { code, planes, result } = this;
    for (const plane of planes) this.load(plane, format);
    code.block((done) => {
      planes.forEach(({ most }, i) => {
        pushIsOrdinary(code, most);
        if (i > 0) code.op('i32.and');
      });
      code.if(() => {
        for (const plane of planes) this.sumOrdinary(plane);
        this.pushSumOfPlanes();
        code.set(result).br(done);
      });
      this.pushAnySum();
      code.set(result);
    });
    pushMean(code, result);
  }

  /** Loads the texels, treating those with a weight of 0 as zeros, and finds the largest magnitude. */
  private load({ texels, most }: Plane, format: ChannelFormat): void {
    const { code } = this;
    code.i32(0).set(most);
    for (const { texel, bits } of texels) {
      const size = code.local('i32');
      pushChannel(this.parts, texel.address, format);
      code.i32(0).get(texel.weight).op('select').tee(bits);
      code.i32(0x7fff_ffff).op('i32.and').tee(size).get(most);
      code.get(size).get(most).op('i32.gt_u', 'select').set(most);
    }
  }

  /** Adds up the texels of a plane as multiples of its unit; see `FloatSum.add`. */
  private sumOrdinary({ texels, most, sum }: Plane): void {
    const { code } = this;
    const scale = code.local('f64');
    pushPower(() => pushExponent(code.i32(keptBits + singleBias + bias), most).op('i32.sub'));
    code.set(scale);
    f64(code, 0);
    for (const { texel, bits } of texels)
      code
        .get(bits)
        .op('f32.reinterpret_i32', 'f64.promote_f32')
        .get(scale)
        .op('f64.mul', 'f64.trunc')
        .get(texel.factor)
        .op('f64.mul', 'f64.add');
    code.set(sum);
  }

  /** See `FloatSum.addPlane`. If there is a single plane, no bits are cut off. */
  private pushSumOfPlanes(): void {
    const { code } = this;
    const [front, behind] = this.planes;
    if (front === undefined) throw new Error('there are no texels to mix');
    if (behind === undefined) {
      code.get(front.sum);
      pushUnit(() => pushExponent(code, front.most));
      code.op('f64.mul');
      return;
    }
    const exponent = code.local('i32');
    const [first, second] = [code.local('i32'), code.local('i32')];
    pushExponent(code, front.most).set(first);
    pushExponent(code, behind.most).set(second);
    code.get(first).get(second).get(first).get(second).op('i32.gt_s', 'select').set(exponent);
    f64(code, 0);
    for (const [own, { sum }] of [
      [first, front],
      [second, behind],
    ] as const) {
      // The shared unit is half the larger of the two units.
      code.get(sum);
      pushPower(() =>
        code
          .get(own)
          .get(exponent)
          .op('i32.sub')
          .i32(bias + 1)
          .op('i32.add'),
      );
      code.op('f64.mul', 'f64.floor', 'f64.add');
    }
    pushUnit(() => code.get(exponent).i32(1).op('i32.sub'));
    code.op('f64.mul');
  }

  /** Pushes the sum of the texels, whatever their magnitudes are. */
  private pushAnySum(): void {
    const { code } = this;
    const { helpers } = this.parts;
    const [flush, addPlane] = [flushFunction(helpers), planeFunction(helpers)];
    f64(code, -0);
    f64(code, 0);
    for (const { texels } of this.planes) {
      const four = [0, 1, 2, 3].map((i) => texels[i] ?? null);
      for (const one of four) {
        if (one === null) f64(code, -0);
        else code.get(one.bits).get(one.texel.weight).call(flush);
      }
      for (const one of four) {
        if (one === null) f64(code, 0);
        else code.get(one.texel.factor);
      }
      code.call(addPlane);
    }
    code.op('drop');
  }

  // --- fractions -----------------------------------------------------------------------------------------------------

  private pushFraction(format: ChannelFormat, isSigned: boolean): void {
    const { code, sum } = this;
    const { bytes } = format;
    code.i32(0);
    for (const { address, weight } of this.texels) {
      pushChannel(this.parts, address, format);
      code.get(weight).op('i32.mul', 'i32.add');
    }
    code.set(sum);
    if (isSigned && bytes === 1) this.pushWidened();
    else {
      code.get(sum);
      if (!isSigned) code.i32(greatestUnsigned / (2 ** (8 * bytes) - 1)).op('i32.mul');
      code
        .i32(totalWeight / 2)
        .op('i32.add')
        .i32(8)
        .op('i32.shr_s');
    }
    code.op('i64.extend_i32_s', 'f64.convert_i64_s');
    if (isSigned) f64(code, -greatestSigned).op('f64.max');
    f64(code, isSigned ? greatestSigned : greatestUnsigned).op('f64.div', 'f32.demote_f64', 'i32.reinterpret_f32');
  }

  /** See `widenedMean`. */
  private pushWidened(): void {
    const { code, sum, highest } = this;
    code.get(sum).i32(4).op('i32.shr_s').set(highest);
    code.get(sum).i32(11).op('i32.shl').get(highest).i32(8).op('i32.shl', 'i32.add');
    code.get(highest).op('i32.add').i32(1024).op('i32.add').i32(11).op('i32.shr_s');
  }
}

function pushIsOrdinary(code: Code, most: number): void {
  code
    .get(most)
    .i32(ordinaryExponent << 23)
    .op('i32.sub');
  code.i32((exponentOfInfinity - ordinaryExponent) << 23).op('i32.lt_u');
}

/**
 * Computes the mean from a sum, and rounds it to the nearest number, with ties away from zero; see `FloatSum.mean`. A
 * sum is a multiple of its unit and has fewer than 39 bits, so increasing it by 2^-40 times its value changes the
 * result only if there is a tie.
 */
function pushMean(code: Code, sum: number): void {
  code.get(sum);
  f64(code, (1 + 2 ** -40) / totalWeight).op('f64.mul', 'f32.demote_f64', 'i32.reinterpret_f32');
  code.i32(canonicalNan).get(sum).get(sum).op('f64.eq', 'select');
}

/** Pushes the biased exponent of a positive f32 number, given its bits. */
function pushExponent(code: Code, bits: number): Code {
  return code.get(bits).i32(23).op('i32.shr_u');
}

/** Pushes a power of two as an f64; `pushBiased` pushes its biased exponent as an i32. */
function pushPower(pushBiased: () => Code): void {
  pushBiased().op('i64.extend_i32_u').i64(52n).op('i64.shl', 'f64.reinterpret_i64');
}

/** Pushes the unit of a plane, given the biased exponent of the largest texel. */
function pushUnit(pushExponentOfMost: () => Code): void {
  pushPower(() =>
    pushExponentOfMost()
      .i32(bias - singleBias - keptBits)
      .op('i32.add'),
  );
}

const flushType: FunctionType = { parameters: ['i32', 'i32'], results: ['f64'] };

/** Prepares a float for mixing: replaces it with -0 if its weight is 0, and flushes subnormal numbers to zero. */
function flushFunction(helpers: Helpers): number {
  return helpers.function('texel to mix', flushType, (code) => {
    const [bits, weight] = [0, 1] as const;
    const value = code.local('f64');
    code.get(bits).op('f32.reinterpret_i32', 'f64.promote_f32').set(value);
    f64(code, 0).get(value).op('f64.copysign').get(value);
    f64(code.get(value).op('f64.abs'), leastNormal).op('f64.lt', 'select').set(value);
    code.get(value);
    f64(code, -0).get(weight).op('select');
  });
}

/**
 * The parameters are the sum so far, its unit, four texels, and their weights. The results are the new sum and its
 * unit.
 */
const planeType: FunctionType = {
  parameters: ['f64', 'f64', 'f64', 'f64', 'f64', 'f64', 'f64', 'f64', 'f64', 'f64'],
  results: ['f64', 'f64'],
};

/** See `FloatSum.add`. */
function planeFunction(helpers: Helpers): number {
  return helpers.function('plane of texels', planeType, (code) => {
    const [sum, shared] = [0, 1] as const;
    const texels = [2, 3, 4, 5] as const;
    const [plain, most, unit] = [code.local('f64'), code.local('f64'), code.local('f64')];
    f64(code, -0);
    for (const i of texels) code.get(i).op('f64.add');
    code.set(plain);
    f64(code, 0);
    for (const i of texels) code.get(i).op('f64.abs', 'f64.max');
    code.set(most);
    f64(code.get(most), 0).op('f64.eq');
    pushIsFinite(code, plain);
    code.op('i32.eqz', 'i32.or');
    code.if(() => code.get(sum).get(plain).op('f64.add').get(shared).op('return'));
    code.get(most).op('i64.reinterpret_f64').i64(52n).op('i64.shr_u').i64(BigInt(keptBits)).op('i64.sub').i64(52n);
    code.op('i64.shl', 'f64.reinterpret_i64').set(unit);
    f64(code, 0);
    for (const i of texels)
      code
        .get(i)
        .get(unit)
        .op('f64.div', 'f64.trunc')
        .get(i + texels.length)
        .op('f64.mul', 'f64.add');
    code.get(unit).op('f64.mul').set(plain);
    f64(code.get(shared).get(unit), 2).op('f64.div', 'f64.max').set(shared);
    pushIsFinite(code, sum);
    code.if(() => pushCutOff(code, sum, shared).set(sum));
    pushCutOff(code, plain, shared).get(sum).op('f64.add').get(shared);
  });
}

function pushIsFinite(code: Code, number: number): void {
  f64(code.get(number).op('f64.abs'), Number.POSITIVE_INFINITY).op('f64.lt');
}

/** Pushes a number, rounded down to a multiple of a unit. */
function pushCutOff(code: Code, number: number, unit: number): Code {
  return code.get(number).get(unit).op('f64.div', 'f64.floor').get(unit).op('f64.mul');
}
