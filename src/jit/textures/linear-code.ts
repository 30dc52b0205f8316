/** Generates functions that mix the texels around a position, according to the rules in machine/textures/mixing.ts. */
import { elementAt } from '../../base/element-at.ts';
import { addressModes } from '../../isa/texture-fields.ts';
import type { TextureRead } from '../../isa/texture-read.ts';
import { steps } from '../../machine/textures/coordinates.ts';
import { totalWeight } from '../../machine/textures/mixing.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { writeChoice } from '../choose.ts';
import type { Helpers } from '../helpers.ts';
import type { LaunchLayout } from '../layout.ts';
import { writeChannels } from './channel-code.ts';
import { CoordinateWriter, f64, pushEntryField, type TextureParts } from './coordinate-code.ts';
import { MixWriter, type WeighedTexel } from './mix-code.ts';
import { entryFields, mixedFormats } from './texture-table.ts';

/** The parameters are the context and the table entry. The function returns 1 if it has stored the results. */
const type: FunctionType = { parameters: ['i32', 'i32'], results: ['i32'] };

export function linearFunction(helpers: Helpers, layout: LaunchLayout, read: TextureRead, way: number): number {
  return helpers.function(`linear texel ${way}`, type, (code) => {
    const writer = new LinearWriter({ code, helpers, layout, read, context: 0, entry: 1 });
    code.block((missing) => {
      writer.write(missing);
      code.i32(1).op('return');
    });
    code.i32(0);
  });
}

/**
 * The locals for the two texels along an axis: their offsets in bytes, and the weight of the second texel in units of
 * 1/256.
 */
interface Pair {
  readonly first: number;
  readonly second: number;
  readonly part: number;
}

class LinearWriter {
  private readonly parts: TextureParts;
  private readonly coordinate: CoordinateWriter;
  private readonly pairs: readonly Pair[];

  constructor(parts: TextureParts) {
    const { code, read } = parts;
    this.parts = parts;
    this.coordinate = new CoordinateWriter(parts);
    this.pairs = Array.from({ length: read.geometry.dimensions }, () => ({
      first: code.local('i32'),
      second: code.local('i32'),
      part: code.local('i32'),
    }));
  }

  /** @param missing the label of the code for border texels */
  write(missing: Label): void {
    const { code } = this.parts;
    this.pairs.forEach((pair, i) => this.locate(pair, i, missing));
    const planes = this.planes();
    const mix = new MixWriter(this.parts, planes);
    writeChannels(this.parts, (bits) =>
      writeChoice(
        code,
        mixedFormats.length,
        () => pushEntryField(this.parts, entryFields.format),
        (number, done) => {
          mix.write(elementAt(mixedFormats, number));
          code.set(bits).br(done);
        },
      ),
    );
  }

  /** See `locatePairs` in sampling.ts. */
  private locate({ first, second, part }: Pair, i: number, missing: Label): void {
    const { code } = this.parts;
    const { coordinate } = this;
    const { at } = coordinate;
    const texel = code.local('f64');
    coordinate.load(i);
    f64(f64(code.get(at), steps).op('f64.mul'), 0.5).op('f64.add', 'f64.floor');
    f64(code, steps / 2)
      .op('f64.sub')
      .set(at);
    this.limit();
    f64(code.get(at), 1 / steps)
      .op('f64.mul', 'f64.floor')
      .set(texel);
    pushWhole(code, () => f64(code.get(at).get(texel), steps).op('f64.mul', 'f64.sub'));
    code.set(part);
    f64(code.get(texel), 1).op('f64.add').set(at);
    for (const [from, offset] of [
      [texel, first],
      [at, second],
    ] as const) {
      coordinate.moveInside(from, missing);
      coordinate.pushOffset(from).set(offset);
    }
  }

  /** See `clampSteps`. */
  private limit(): void {
    const { code } = this.parts;
    const { at, size, mode } = this.coordinate;
    const last = code.local('f64');
    code.get(mode).i32(addressModes.indexOf('clamp')).op('i32.eq');
    code.if(() => {
      f64(f64(code.get(size), 1).op('f64.sub'), steps)
        .op('f64.mul')
        .set(last);
      code.get(at).get(last).get(at).get(last).op('f64.lt', 'select').set(at);
      f64(code.get(at), 0);
      f64(code.get(at), 0).op('f64.gt', 'select').set(at);
    });
  }

  /** Finds the texels of each plane and their weights; see `addMixed` in sampling.ts. */
  private planes(): readonly (readonly WeighedTexel[])[] {
    const { code } = this.parts;
    const slices = this.pairs[2];
    const share = code.local('i32');
    if (slices === undefined) {
      code.i32(totalWeight).set(share);
      return [this.plane(share, null)];
    }
    code.i32(totalWeight).get(slices.part).op('i32.sub').set(share);
    const front = this.plane(share, slices.first);
    return [front, this.plane(slices.part, slices.second)];
  }

  /** @param slice the local that holds the offset of the plane */
  private plane(share: number, slice: number | null): readonly WeighedTexel[] {
    const { code } = this.parts;
    const columns = elementAt(this.pairs, 0);
    const rows = this.pairs[1];
    const [left, right] = [code.local('i32'), code.local('i32')];
    this.pushShare(share, columns.part, totalWeight / 2).set(right);
    code.get(share).get(right).op('i32.sub').set(left);
    if (rows === undefined)
      return [this.texel([columns.first], () => code.get(left)), this.texel([columns.second], () => code.get(right))];
    const [downLeft, downRight] = [code.local('i32'), code.local('i32')];
    this.pushShare(left, rows.part, totalWeight / 2 - 1).set(downLeft);
    this.pushShare(right, rows.part, totalWeight / 2).set(downRight);
    const behind = slice === null ? [] : [slice];
    return [
      this.texel([columns.first, rows.first, ...behind], () => code.get(left).get(downLeft).op('i32.sub')),
      this.texel([columns.second, rows.first, ...behind], () => code.get(right).get(downRight).op('i32.sub')),
      this.texel([columns.first, rows.second, ...behind], () => code.get(downLeft)),
      this.texel([columns.second, rows.second, ...behind], () => code.get(downRight)),
    ];
  }

  /** Pushes the product of a weight and a fraction; see `shareUp`. */
  private pushShare(weight: number, part: number, added: number): Code {
    const { code } = this.parts;
    return code.get(weight).get(part).op('i32.mul').i32(added).op('i32.add').i32(8).op('i32.shr_s');
  }

  private texel(offsets: readonly number[], pushWeight: () => Code): WeighedTexel {
    const { code } = this.parts;
    const texel = { address: code.local('i32'), weight: code.local('i32'), factor: code.local('f64') };
    pushEntryField(this.parts, entryFields.address);
    for (const offset of offsets) code.get(offset).op('i32.add');
    code.set(texel.address);
    pushWeight().tee(texel.weight).op('i64.extend_i32_s', 'f64.convert_i64_s').set(texel.factor);
    return texel;
  }
}

/**
 * Pushes a number from 0 to 255 as an integer; pushes 0 for a NaN, which occurs as the difference of two infinities.
 */
function pushWhole(code: Code, push: () => Code): void {
  const number = code.local('f64');
  push().set(number);
  code.get(number);
  f64(code, 0);
  code.get(number).get(number).op('f64.eq', 'select', 'i64.trunc_f64_s', 'i32.wrap_i64');
}
