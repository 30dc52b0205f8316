/**
 * Computes the results of texture instructions. The rules are those of the appendix on texture fetching in the CUDA
 * programming guide; where the guide leaves something open, the results are those of an H200 (see the section on
 * textures in docs/spec-questions.md).
 */
import { elementAt } from '../../base/element-at.ts';
import type { AddressMode } from '../../isa/texture-fields.ts';
import { operandStarts, type TextureRead } from '../../isa/texture-read.ts';
import { clampSteps, cubeSpot, indexIn, inTexels, steps, stepsTo } from './coordinates.ts';
import { type Level, type Sampling, texelBytes, type TextureDescription } from './description.ts';
import { levelOfVectors } from './derivatives.ts';
import type { LevelTexels } from './level-texels.ts';
import { shareDown, shareUp, totalWeight } from './mixing.ts';

import { narrowBits, texelReader, type TexelReader } from './texel-formats.ts';

/** The operands of a `texture-read`, all of them 32 bits wide, in two views of the same bytes. */
export interface TextureOperands {
  readonly integers: Int32Array;
  readonly floats: Float32Array;
}

/** Allocates memory for the operands of a texture read. */
export function operandRoom(): TextureOperands {
  const integers = new Int32Array(operandStarts.count);
  return { integers, floats: new Float32Array(integers.buffer) };
}

/** A texture in memory. */
export interface TexelSource {
  readonly description: TextureDescription;
  readonly levels: readonly Level[];
  /** The bytes of all texels. */
  texels: DataView;
}

/** The maximum number of texels that are mixed. They may come from two levels. */
const mostTexels = 16;

/** Reads a texture with a given sampler, for one kind of instruction. */
export class Sampler {
  private readonly source: TexelSource;
  private readonly sampling: Sampling;
  private readonly read: TextureRead;
  private readonly dimensions: number;
  private readonly channels: number;
  private readonly channelBytes: number;
  private readonly texelBytes: number;
  private readonly isLinear: boolean;
  /** Whether texels are integers that are read as floats. */
  private readonly isFraction: boolean;
  /** The number of dimensions along which texels are found. */
  private readonly located: number;
  /** Whether each coordinate is multiplied by the size of its dimension. */
  private readonly scales: boolean;
  private readonly modes: readonly AddressMode[];
  private readonly texel: TexelReader;
  /**
   * The texel that is read outside the texture in mode `border`: the bits of its channels, and the numbers that are
   * used if texels are mixed.
   */
  private readonly outsideBits: readonly number[];
  private readonly outside: readonly number[];
  /**
   * The information that is needed to read texels; null unless all reads use the same level and need no other
   * information.
   */
  readonly level: LevelTexels | null;
  /** The position in the layer. */
  private readonly place = new Float64Array(3);
  private layer = 0;
  /** Whether border texels are read because the layer does not exist. Some instructions read the last layer instead. */
  private isLayerMissing = false;
  private readonly spot = { face: 0, s: 0, t: 0 };
  /** The derivatives of coordinates. */
  private readonly vectors = new Float64Array(6);
  /**
   * For each dimension, the offsets of two neighboring texels in bytes, which are negative for border texels
   * (`starts`), and the weight of the second texel in units of 1/256 (`fractions`).
   */
  private readonly starts = new Float64Array(6);
  private readonly fractions = new Float64Array(3);
  /**
   * The texels that are mixed: their number, their offsets (-1 for border texels), their weights, and the values of one
   * channel.
   */
  private count = 0;
  private readonly offsets = new Float64Array(mostTexels);
  private readonly weights = new Float64Array(mostTexels);
  private readonly values = new Float64Array(mostTexels);
  /** The planes into which these texels are divided: the number of planes, and the index at which each plane ends. */
  private planes = 0;
  private readonly ends = new Float64Array(4);

  constructor(source: TexelSource, sampling: Sampling, read: TextureRead) {
    const { description } = source;
    const { texel, channels, dimensions, normalizesTexels } = description;
    const { isFloat, geometry, gathers } = read;
    const isInteger = texel.kind !== 'float' && !normalizesTexels;
    this.source = source;
    this.sampling = sampling;
    this.read = read;
    this.dimensions = dimensions;
    this.channels = channels;
    this.channelBytes = texel.bytes;
    this.texelBytes = texelBytes(description);
    this.isLinear = sampling.isLinear && isFloat && !isInteger && gathers === null;
    this.isFraction = texel.kind !== 'float' && normalizesTexels;
    this.scales = isFloat && (sampling.normalizesCoordinates || geometry.isCube);
    this.modes = [0, 1, 2].map((i) => modeOf(sampling, read, i));
    // A 1D texture is read as a single row of a 2D texture, with 0 as the second coordinate. This makes a difference
    // only in mode `border`.
    const isPlane = dimensions === 1 && isFloat && !geometry.isArray && this.modes[1] === 'border';
    this.located = isPlane ? 2 : dimensions;
    this.texel = texelReader(texel, normalizesTexels);
    const border = isFloat ? sampling.border : [0, 0, 0, 0];
    this.outsideBits = border.map(this.texel.bitsOfColor);
    this.outside = border.map(this.texel.channelOfColor);
    this.level = this.soleLevel();
  }

  /** Reads the texture, and stores the bits of the four results. */
  sample(operands: TextureOperands, results: Uint32Array): void {
    this.locate(operands);
    const { gathers, narrows } = this.read;
    const level = this.levelOf(operands);
    if (level < 0) results.fill(0);
    else if (gathers !== null) this.gather(operands, gathers, results);
    else {
      this.collect(level, operands);
      this.mix(results);
    }
    if (narrows) for (let i = 0; i < 4; i++) results[i] = narrowBits(results[i] ?? 0);
  }

  private soleLevel(): LevelTexels | null {
    const { read, dimensions, isFraction, isLinear, scales } = this;
    const { description, levels } = this.source;
    if (read.level !== 'finest' || this.located > dimensions) return null;
    const number = this.levelOf(operandRoom());
    if (number < 0 || !Number.isInteger(number)) return null;
    const level = elementAt(levels, number);
    const axes = this.modes
      .slice(0, dimensions)
      .map((mode, i) => ({ size: sizeOf(level, i), stride: this.strideOf(level, i), mode }));
    const { texel, channels } = description;
    const address = Number(description.address) + level.start;
    return { address, texel, channels, isFraction, isLinear, scales, axes };
  }

  /** Finds the texels that are mixed. The fractional part of the level is the weight of the next level. */
  private collect(level: number, operands: TextureOperands): void {
    const { levels } = this.source;
    const lower = Math.floor(level);
    const share = (level - lower) * steps;
    this.count = 0;
    this.planes = 0;
    this.addLevel(elementAt(levels, lower), operands, steps - share);
    if (share > 0) this.addLevel(elementAt(levels, lower + 1), operands, share);
  }

  private addLevel(level: Level, operands: TextureOperands, share: number): void {
    if (this.isLinear) this.addMixed(level, operands, share);
    else this.addNearest(level, operands, share);
  }

  private mix(results: Uint32Array): void {
    const isSingle = !this.isLinear && this.count === 1;
    const { channels, offsets } = this;
    for (let c = 0; c < channels; c++) results[c] = isSingle ? this.bitsAt(offsets[0] ?? 0, c) : this.mixed(c);
    for (let c = channels; c < 4; c++) results[c] = 0;
  }

  /** Finds the layer and the position in this layer. */
  private locate({ integers, floats }: TextureOperands): void {
    const { place, spot, read } = this;
    const { isArray, isCube } = read.geometry;
    const start = isArray ? 1 : 0;
    const faces = isCube ? 6 : 1;
    const count = this.source.description.layers / faces;
    const asked = isArray ? (integers[0] ?? 0) >>> 0 : 0;
    this.isLayerMissing = endsAtEdges(read) && asked >= count;
    this.layer = Math.min(asked, count - 1) * faces;
    const from = read.isFloat ? floats : integers;
    for (let i = 0; i < 3; i++) place[i] = isCube || i < this.dimensions ? (from[start + i] ?? 0) : 0;
    if (!isCube) return;
    cubeSpot(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0, spot);
    this.layer += spot.face;
    place[0] = spot.s;
    place[1] = spot.t;
  }

  /** The level that is read, a multiple of 1/256; -1 if the texture does not have it. */
  private levelOf(operands: TextureOperands): number {
    const { sampling, read } = this;
    // Instructions that gather texels read the first level.
    if (read.gathers !== null) return 0;
    if (!read.isFloat) return this.wholeLevel(operands);
    const last = this.source.levels.length - 1;
    const limited = Math.max(
      cutOff(sampling.leastLevel),
      Math.min(cutOff(sampling.greatestLevel), this.askedLevel(operands.floats)),
    );
    const level = limited > 0 ? Math.min(last, limited) : 0;
    return sampling.mixesLevels ? level : Math.min(last, Math.floor(level + 0.5));
  }

  /** The level that an instruction with integer coordinates reads. */
  private wholeLevel({ integers }: TextureOperands): number {
    if (this.read.level === 'finest') return 0;
    const asked = integers[operandStarts.level] ?? 0;
    return asked < this.source.levels.length ? asked : -1;
  }

  /** The level that an instruction requests, before it is limited to the range of the sampler. */
  private askedLevel(floats: Float32Array): number {
    const { read, sampling } = this;
    if (read.level === 'finest') return 0;
    const asked = read.level === 'given' ? (floats[operandStarts.level] ?? 0) : this.levelOfDerivatives(floats);
    return Math.floor(asked * steps) / steps + cutOff(sampling.levelBias);
  }

  /** The level whose texels are as far apart as the points that neighboring threads read. */
  private levelOfDerivatives(floats: Float32Array): number {
    const { dimensions, scales, vectors } = this;
    const level = elementAt(this.source.levels, 0);
    for (let i = 0; i < dimensions; i++) {
      const scale = scales ? sizeOf(level, i) : 1;
      vectors[i] = (floats[operandStarts.level + i] ?? 0) * scale;
      vectors[3 + i] = (floats[operandStarts.level + dimensions + i] ?? 0) * scale;
    }
    return levelOfVectors(vectors);
  }

  /** Finds a texel of a level. */
  private addNearest(level: Level, { integers }: TextureOperands, share: number): void {
    const { place, starts, modes, scales } = this;
    for (let i = 0; i < this.located; i++) {
      const size = sizeOf(level, i);
      const mode = elementAt(modes, i);
      const at = Math.floor(inTexels(place[i] ?? 0, size, scales, mode));
      starts[2 * i] = indexIn(at + this.offsetAlong(i, integers), size, mode) * this.strideOf(level, i);
    }
    this.add(this.offsetOf(level, starts[0], starts[2], starts[4]), share);
    this.endPlane();
  }

  /** The offset that is added to a coordinate. It is a 4-bit number, or a 6-bit number for tld4. */
  private offsetAlong(i: number, integers: Int32Array): number {
    if (!this.read.hasOffset) return 0;
    const unused = this.read.gathers === null ? 28 : 26;
    // The offset for the second coordinate of a 1D texture is in the bits above the first offset.
    const isSecondOfLine = i >= this.dimensions;
    const offset = integers[operandStarts.offset + (isSecondOfLine ? 0 : i)] ?? 0;
    return ((isSecondOfLine ? offset >> 4 : offset) << unused) >> unused;
  }

  private strideOf(level: Level, i: number): number {
    return i === 0 ? this.texelBytes : i === 1 ? level.rowBytes : level.sliceBytes;
  }

  /** Finds the two texels along each dimension, and the weights of the second ones. */
  private locatePairs(level: Level, { integers }: TextureOperands): void {
    const { place, starts, fractions, modes, scales } = this;
    for (let i = 0; i < this.located; i++) {
      const size = sizeOf(level, i);
      const mode = elementAt(modes, i);
      const at = stepsTo(inTexels(place[i] ?? 0, size, scales, mode));
      const moved = at + this.offsetAlong(i, integers) * steps;
      const distance = this.isLinear && mode === 'clamp' ? clampSteps(moved, size) : moved;
      const first = Math.floor(distance / steps);
      starts[2 * i] = indexIn(first, size, mode) * this.strideOf(level, i);
      starts[2 * i + 1] = indexIn(first + 1, size, mode) * this.strideOf(level, i);
      fractions[i] = distance - first * steps;
    }
  }

  /**
   * Adds the texels around the position. The weight of the level is divided first among slices, then among columns, and
   * then among rows.
   */
  private addMixed(level: Level, operands: TextureOperands, share: number): void {
    const { fractions } = this;
    this.locatePairs(level, operands);
    const behind = this.dimensions < 3 ? 0 : shareDown(share, fractions[2] ?? 0);
    this.addPlane(level, 4, share - behind);
    this.addPlane(level, 5, behind);
  }

  private addPlane(level: Level, z: 4 | 5, share: number): void {
    if (share === 0) return;
    const { fractions, starts } = this;
    const right = shareUp(share, fractions[0] ?? 0);
    const left = share - right;
    const down = this.located < 2 ? 0 : (fractions[1] ?? 0);
    const downLeft = shareDown(left, down);
    const downRight = shareUp(right, down);
    this.add(this.offsetOf(level, starts[0], starts[2], starts[z]), left - downLeft);
    this.add(this.offsetOf(level, starts[1], starts[2], starts[z]), right - downRight);
    this.add(this.offsetOf(level, starts[0], starts[3], starts[z]), downLeft);
    this.add(this.offsetOf(level, starts[1], starts[3], starts[z]), downRight);
    this.endPlane();
  }

  private add(offset: number, weight: number): void {
    if (weight === 0) return;
    this.offsets[this.count] = offset;
    this.weights[this.count] = weight;
    this.count++;
  }

  private endPlane(): void {
    this.ends[this.planes] = this.count;
    this.planes++;
  }

  /** The offset of a texel; -1 for a border texel. */
  private offsetOf(level: Level, right = 0, down = 0, behind = 0): number {
    if (right < 0 || down < 0 || behind < 0 || this.isLayerMissing) return -1;
    return level.start + this.layer * level.layerBytes + right + down + behind;
  }

  private bitsAt(offset: number, channel: number): number {
    if (offset < 0) return this.outsideBits[channel] ?? 0;
    return this.texel.bits(this.source.texels, offset + channel * this.channelBytes);
  }

  /** The bits of the result for one channel, if several texels are mixed. */
  private mixed(channel: number): number {
    const { texel, values, weights, offsets, ends } = this;
    texel.sum.clear();
    let from = 0;
    for (let plane = 0; plane < this.planes; plane++) {
      const to = ends[plane] ?? 0;
      for (let i = from; i < to; i++) values[i] = this.channelAt(offsets[i] ?? 0, channel);
      texel.sum.add(values, weights, from, to);
      from = to;
    }
    return texel.bitsOfMean(texel.sum.mean());
  }

  /** The number that is used for a texel's channel if texels are mixed. */
  private channelAt(offset: number, channel: number): number {
    if (offset < 0) return this.outside[channel] ?? 0;
    return this.texel.channel(this.source.texels, offset + channel * this.channelBytes);
  }

  /** The bits of the result for a single texel. Fractions are rounded as if several texels were mixed. */
  private gatheredBits(offset: number, channel: number): number {
    const { texel, values, weights } = this;
    if (!this.isFraction) return this.bitsAt(offset, channel);
    values[0] = this.channelAt(offset, channel);
    weights[0] = totalWeight;
    texel.sum.clear();
    texel.sum.add(values, weights, 0, 1);
    return texel.bitsOfMean(texel.sum.mean());
  }

  /** Reads one component of four texels, counterclockwise from the lower left one (row numbers grow downward). */
  private gather(operands: TextureOperands, component: number, results: Uint32Array): void {
    const level = elementAt(this.source.levels, 0);
    this.locatePairs(level, operands);
    const { starts, channels } = this;
    gathered.forEach(([right, down], i) => {
      const at = this.offsetOf(level, starts[right], starts[2 + down]);
      results[i] = component < channels ? this.gatheredBits(at, component) : 0;
    });
  }
}

const sizeOf = ({ width, height, depth }: Level, i: number): number => (i === 0 ? width : i === 1 ? height : depth);

/** Truncates a level to a multiple of 1/256. */
const cutOff = (level: number): number => Math.trunc(level * steps) / steps;

const gathered = [
  [0, 1],
  [1, 1],
  [1, 0],
  [0, 0],
] as const;

/**
 * Whether texels outside the texture are read as zeros. Instructions with integer coordinates ignore the address mode.
 */
function endsAtEdges({ isFloat, level }: TextureRead): boolean {
  return !isFloat && level === 'finest';
}

/**
 * Returns the address mode for texels outside the texture. With integer coordinates, the nearest texel is read if the
 * instruction specifies a level. Coordinates repeat only if they are normalized, as coordinates on the faces of a cube
 * always are.
 */
function modeOf(sampling: Sampling, read: TextureRead, i: number): AddressMode {
  if (!read.isFloat) return endsAtEdges(read) ? 'border' : 'clamp';
  const mode = elementAt(sampling.addressModes, i);
  const repeats = mode === 'wrap' || mode === 'mirror';
  return repeats && !sampling.normalizesCoordinates && !read.geometry.isCube ? 'clamp' : mode;
}
