/**
 * Computes what texture instructions return, by the rules of the appendix on texture fetching in the CUDA programming
 * guide. Weighted sums are computed in double precision and rounded once; what GPUs do is not documented.
 */
import { elementAt } from '../../base/element-at.ts';
import type { AddressMode } from '../../isa/texture-fields.ts';
import { operandStarts, type TextureRead } from '../../isa/texture-read.ts';
import { channelReader, type ReadChannel, resultWriter, type WriteResults } from './texel-formats.ts';
import { cubeSpot, indexIn, weightOf } from './coordinates.ts';
import { type Level, type Sampling, texelBytes, type TextureDescription } from './description.ts';

/** The operands of a `texture-read`, all of them 32 bits wide, in two views of the same bytes. */
export interface TextureOperands {
  readonly integers: Int32Array;
  readonly floats: Float32Array;
}

/** Makes room for the operands of a read. */
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

/** What an instruction does with a texture and a sampler. */
export class Sampler {
  private readonly source: TexelSource;
  private readonly sampling: Sampling;
  private readonly read: TextureRead;
  private readonly dimensions: number;
  private readonly channels: number;
  private readonly channelBytes: number;
  private readonly texelBytes: number;
  private readonly isLinear: boolean;
  /** Whether coordinates are multiplied by sizes. */
  private readonly scales: boolean;
  /** Whether the bits of a texel are the results. */
  private readonly isCopied: boolean;
  private readonly modes: readonly AddressMode[];
  /** The texel outside of the texture, where the address mode has one. */
  private readonly outside: readonly number[];
  private readonly channel: ReadChannel;
  private readonly write: WriteResults;
  /** The place in the layer. */
  private readonly place = new Float64Array(3);
  private layer = 0;
  private readonly spot = { face: 0, s: 0, t: 0 };
  /**
   * Where the two texels along each dimension start, in bytes; negative if they are outside and the border is read
   * instead. A dimension that the texture lacks, or along which only one texel is read, has the weights 1 and 0.
   */
  private readonly starts = new Float64Array(6);
  private readonly weights: Float64Array = Float64Array.of(1, 0, 1, 0, 1, 0);
  private readonly sum = new Float64Array(4);

  constructor(source: TexelSource, sampling: Sampling, read: TextureRead) {
    const { description } = source;
    const { texel, channels, dimensions, normalizesTexels } = description;
    const { isFloat, geometry, gathers, narrows } = read;
    const isInteger = texel.kind !== 'float' && !normalizesTexels;
    this.source = source;
    this.sampling = sampling;
    this.read = read;
    this.dimensions = dimensions;
    this.channels = channels;
    this.channelBytes = texel.bytes;
    this.texelBytes = texelBytes(description);
    this.isLinear = sampling.isLinear && isFloat && !isInteger && gathers === null;
    this.scales = isFloat && (sampling.normalizesCoordinates || geometry.isCube);
    this.isCopied = !this.isLinear && gathers === null && texel.name === 'f32' && !narrows;
    this.modes = [0, 1, 2].map((i) => modeOf(sampling, read, i));
    this.outside = isFloat ? sampling.border : [0, 0, 0, 0];
    this.channel = channelReader(texel, normalizesTexels);
    this.write = resultWriter(!isInteger, narrows);
  }

  /** Reads the texture, and stores the bits of the four results. */
  sample(operands: TextureOperands, results: Uint32Array): void {
    const { source, sum } = this;
    this.locate(operands);
    const asked = this.levelOf(operands);
    const lower = Math.floor(asked);
    const next = asked - lower;
    const level = elementAt(source.levels, lower);
    if (this.isCopied && next === 0 && this.copy(level, operands, results)) return;
    sum.fill(0);
    if (this.read.gathers === null) {
      this.addLevel(level, operands, 1 - next);
      if (next > 0) this.addLevel(elementAt(source.levels, lower + 1), operands, next);
      for (let c = this.channels; c < 4; c++) sum[c] = missing(c);
    } else this.gather(level, operands, this.read.gathers);
    this.write(sum, results);
  }

  /** Finds the layer, and the place in it. */
  private locate({ integers, floats }: TextureOperands): void {
    const { place, spot, read } = this;
    const { isArray, isCube } = read.geometry;
    const start = isArray ? 1 : 0;
    const faces = isCube ? 6 : 1;
    const last = this.source.description.layers / faces - 1;
    this.layer = isArray ? Math.min((integers[0] ?? 0) >>> 0, last) * faces : 0;
    const from = read.isFloat ? floats : integers;
    for (let i = 0; i < 3; i++) place[i] = from[start + i] ?? 0;
    if (!isCube) return;
    cubeSpot(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0, spot);
    this.layer += spot.face;
    place[0] = spot.s;
    place[1] = spot.t;
  }

  /** The level that is read; the fraction is the weight of the level after it. */
  private levelOf({ integers, floats }: TextureOperands): number {
    const { read, sampling } = this;
    const last = this.source.levels.length - 1;
    if (read.level === 'finest' || last === 0) return 0;
    if (!read.isFloat) return Math.max(0, Math.min(last, integers[operandStarts.level] ?? 0));
    const asked = read.level === 'given' ? (floats[operandStarts.level] ?? 0) : this.levelOfDerivatives(floats);
    const biased = Math.max(sampling.leastLevel, Math.min(sampling.greatestLevel, asked + sampling.levelBias));
    const level = biased > 0 ? Math.min(last, biased) : 0;
    if (!sampling.mixesLevels) return Math.min(last, Math.floor(level + 0.5));
    return Math.floor(level) + weightOf(level - Math.floor(level));
  }

  /** The level whose texels are as far apart as the points that neighboring threads read. */
  private levelOfDerivatives(floats: Float32Array): number {
    const { dimensions, scales } = this;
    const { width, height, depth } = elementAt(this.source.levels, 0);
    const sizes = [width, height, depth];
    const lengthFrom = (start: number): number => {
      let squares = 0;
      for (let i = 0; i < dimensions; i++) squares += ((floats[start + i] ?? 0) * (scales ? (sizes[i] ?? 1) : 1)) ** 2;
      return Math.sqrt(squares);
    };
    return Math.log2(Math.max(lengthFrom(operandStarts.level), lengthFrom(operandStarts.level + dimensions)));
  }

  /** Finds the texel along each dimension or, if `hasNeighbors`, two of them and their weights. */
  private locateTexels(level: Level, { integers }: TextureOperands, hasNeighbors: boolean): void {
    const { place, starts, weights, modes, scales } = this;
    for (let i = 0; i < this.dimensions; i++) {
      const size = i === 0 ? level.width : i === 1 ? level.height : level.depth;
      const stride = i === 0 ? this.texelBytes : i === 1 ? level.rowBytes : level.sliceBytes;
      const at = (place[i] ?? 0) * (scales ? size : 1) - (hasNeighbors ? 0.5 : 0);
      const lower = Math.floor(at);
      const offset = this.read.hasOffset ? (integers[operandStarts.offset + i] ?? 0) : 0;
      const first = (Number.isNaN(lower) ? 0 : lower) + offset;
      const mode = modes[i] ?? 'clamp';
      starts[2 * i] = indexIn(first, size, mode) * stride;
      if (!hasNeighbors) continue;
      starts[2 * i + 1] = indexIn(first + 1, size, mode) * stride;
      const weight = weightOf(at - lower);
      weights[2 * i] = 1 - weight;
      weights[2 * i + 1] = weight;
    }
  }

  private addLevel(level: Level, operands: TextureOperands, share: number): void {
    const { starts, weights, isLinear, dimensions } = this;
    this.locateTexels(level, operands, isLinear);
    const [columns, rows, slices] = [1, 2, 3].map((count) => (isLinear && dimensions >= count ? 2 : 1));
    for (let z = 0; z < (slices ?? 1); z++) {
      const ofSlice = share * (weights[4 + z] ?? 0);
      for (let y = 0; y < (rows ?? 1); y++) {
        const ofRow = ofSlice * (weights[2 + y] ?? 0);
        for (let x = 0; x < (columns ?? 1); x++) {
          const weight = ofRow * (weights[x] ?? 0);
          if (weight !== 0) this.add(this.offsetOf(level, starts[x], starts[2 + y], starts[4 + z]), weight);
        }
      }
    }
  }

  private add(at: number, weight: number): void {
    const { sum, channels, channelBytes } = this;
    for (let c = 0; c < channels; c++) {
      const value = at < 0 ? (this.outside[c] ?? 0) : this.channel(this.source.texels, at + c * channelBytes);
      // Adding to zero would lose the sign of a zero.
      sum[c] = weight === 1 ? value : (sum[c] ?? 0) + weight * value;
    }
  }

  /** The offset of a texel; -1 if it is outside and the border is read instead. */
  private offsetOf(level: Level, right = 0, down = 0, behind = 0): number {
    if (right < 0 || down < 0 || behind < 0) return -1;
    return level.start + this.layer * level.layerBytes + right + down + behind;
  }

  /** Copies the bits of a texel, so that NaNs keep their payload. Returns false if the texel is outside. */
  private copy(level: Level, operands: TextureOperands, results: Uint32Array): boolean {
    this.locateTexels(level, operands, false);
    const { starts, channels } = this;
    const at = this.offsetOf(level, starts[0], starts[2], starts[4]);
    if (at < 0) return false;
    for (let c = 0; c < channels; c++) results[c] = this.source.texels.getUint32(at + 4 * c, true);
    for (let c = channels; c < 4; c++) results[c] = missing(c) * floatOne;
    return true;
  }

  /** Reads one component of four texels, counterclockwise from the lower left one (row numbers grow downward). */
  private gather(level: Level, operands: TextureOperands, component: number): void {
    this.locateTexels(level, operands, true);
    const { starts, sum, channels, channelBytes } = this;
    gathered.forEach(([right, down], i) => {
      const at = this.offsetOf(level, starts[right], starts[2 + down]);
      if (component >= channels) sum[i] = missing(component);
      else if (at < 0) sum[i] = this.outside[component] ?? 0;
      else sum[i] = this.channel(this.source.texels, at + component * channelBytes);
    });
  }
}

/** The value of a channel that the texels do not have. */
function missing(channel: number): 0 | 1 {
  return channel === 3 ? 1 : 0;
}

const floatOne = 0x3f80_0000;

const gathered = [
  [0, 1],
  [1, 1],
  [1, 0],
  [0, 0],
] as const;

/**
 * How texels outside are found. Integer coordinates have no address mode: texels outside are zero. Coordinates repeat
 * only if they are normalized. Faces of cubes end at their edges.
 */
function modeOf(sampling: Sampling, { isFloat, geometry }: TextureRead, i: number): AddressMode {
  if (!isFloat) return 'border';
  const mode = elementAt(sampling.addressModes, i);
  const repeats = mode === 'wrap' || mode === 'mirror';
  return geometry.isCube || (repeats && !sampling.normalizesCoordinates) ? 'clamp' : mode;
}
