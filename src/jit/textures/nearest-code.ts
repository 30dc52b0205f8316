/** Generates functions that read the nearest texel of a texture that is in the table. */
import { bitsOfDouble } from '../../base/bits-of-double.ts';
import { addressModes } from '../../isa/texture-fields.ts';
import { operandStarts, type TextureRead } from '../../isa/texture-read.ts';
import { leastNormal, normalizedSteps } from '../../machine/textures/coordinates.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { writeChoice } from '../choose.ts';
import { pushField } from '../context-field.ts';
import { context, type LaunchLayout } from '../layout.ts';
import type { Helpers } from '../helpers.ts';
import {
  axisFields,
  channelFormats,
  type ChannelFormat,
  entryBytes,
  entryCount,
  entryFields,
  handleShift,
} from './texture-table.ts';

/** Takes the context and the handles of the texture and the sampler. Returns 1 if it has stored the results. */
const type: FunctionType = { parameters: ['i32', 'i64', 'i64'], results: ['i32'] };

/** Returns the index of the function for instructions that find texels in the given way (see `wayOf`). */
export function nearestFunction(helpers: Helpers, layout: LaunchLayout, read: TextureRead, way: number): number {
  return helpers.function(`nearest texel ${way}`, type, (code) => new NearestWriter(code, layout, read, way).write());
}

function f64(code: Code, value: number): Code {
  return code.f64(bitsOfDouble(value));
}

class NearestWriter {
  private readonly code: Code;
  private readonly layout: LaunchLayout;
  private readonly read: TextureRead;
  private readonly way: number;
  private readonly entry: number;
  /** Where the texel is. */
  private readonly address: number;
  /** A coordinate, and the size along its axis. */
  private readonly at: number;
  private readonly size: number;
  private readonly mode: number;

  constructor(code: Code, layout: LaunchLayout, read: TextureRead, way: number) {
    this.code = code;
    this.layout = layout;
    this.read = read;
    this.way = way;
    [this.entry, this.address, this.mode] = [code.local('i32'), code.local('i32'), code.local('i32')];
    [this.at, this.size] = [code.local('f64'), code.local('f64')];
  }

  write(): void {
    const { code } = this;
    code.block((missing) => {
      this.find(missing);
      this.field(entryFields.address).set(this.address);
      for (let i = 0; i < this.read.geometry.dimensions; i++) this.locate(i, missing);
      this.readChannels();
      code.i32(1).op('return');
    });
    code.i32(0);
  }

  /** Pushes a word of the entry. */
  private field(at: number): Code {
    return this.code.get(this.entry).memory('i32.load', this.layout.origin + at);
  }

  private find(missing: Label): void {
    const { code, layout, entry } = this;
    pushField(code, layout, 'textureTable');
    code.get(1).op('i32.wrap_i64').i32(handleShift).op('i32.shr_u').i32(this.way).op('i32.add');
    code
      .i32(entryCount - 1)
      .op('i32.and')
      .i32(entryBytes)
      .op('i32.mul', 'i32.add')
      .set(entry);
    for (const [field, handle] of [
      [entryFields.texture, 1],
      [entryFields.sampler, 2],
    ] as const)
      code
        .get(entry)
        .memory('i64.load', layout.origin + field)
        .get(handle)
        .op('i64.ne')
        .brIf(missing);
    this.field(entryFields.way).i32(this.way).op('i32.ne').brIf(missing);
  }

  /** Moves the address along an axis. */
  private locate(i: number, missing: Label): void {
    const { code, at, size, address } = this;
    const axis = entryFields.axes + i * axisFields.end;
    const operand = this.layout.origin + context.textureOperands + 4 * (operandStarts.coordinates + i);
    this.field(axis + axisFields.size)
      .op('i64.extend_i32_u', 'f64.convert_i64_u')
      .set(size);
    this.field(axis + axisFields.mode).set(this.mode);
    code.get(0);
    if (this.read.isFloat) {
      code.memory('f32.load', operand).op('f64.promote_f32').set(at);
      this.scale();
      code.get(at).op('f64.floor').set(at);
    } else code.memory('i32.load', operand).op('i64.extend_i32_s', 'f64.convert_i64_s').set(at);
    this.pushOutside();
    code.if(() => this.moveInside(missing));
    code.get(address).get(at).op('i64.trunc_f64_s', 'i32.wrap_i64');
    this.field(axis + axisFields.stride)
      .op('i32.mul', 'i32.add')
      .set(address);
  }

  /** Turns a coordinate into texels; see `inTexels`. */
  private scale(): void {
    const { code, at, size } = this;
    code.get(at);
    f64(code, 0);
    code.get(at).op('f64.abs');
    f64(code, leastNormal).op('f64.ge', 'select').set(at);
    this.field(entryFields.scales).if(() => {
      f64(code.get(at), normalizedSteps).op('f64.mul', 'f64.floor').set(at);
      this.pushRepeats();
      code.if(() => this.wrap(() => f64(code, 2 * normalizedSteps)));
      f64(code.get(at), normalizedSteps).op('f64.div').get(size).op('f64.mul').set(at);
    });
  }

  private pushRepeats(): void {
    const { code, mode } = this;
    code.get(mode).i32(addressModes.indexOf('wrap')).op('i32.eq');
    code.get(mode).i32(addressModes.indexOf('mirror')).op('i32.eq', 'i32.or');
  }

  /** Replaces the coordinate by its remainder; see `remainder` in coordinates.ts. */
  private wrap(pushPeriod: () => void): void {
    const { code, at } = this;
    code.get(at);
    pushPeriod();
    code.get(at);
    pushPeriod();
    code.op('f64.div', 'f64.floor', 'f64.mul', 'f64.sub').set(at);
    code.get(at);
    f64(code, 0);
    code.get(at).op('f64.abs');
    f64(code, Number.POSITIVE_INFINITY).op('f64.lt', 'select').set(at);
  }

  private pushOutside(): void {
    const { code, at, size } = this;
    f64(code.get(at), 0).op('f64.ge').get(at).get(size).op('f64.lt', 'i32.and', 'i32.eqz');
  }

  /** Finds the texel that takes the place of one outside; see `indexIn`. */
  private moveInside(missing: Label): void {
    const { code, at, size } = this;
    writeChoice(
      code,
      addressModes.length,
      () => code.get(this.mode),
      (number, done) => {
        switch (addressModes[number]) {
          case 'clamp':
          case 'clamp-ogl':
            f64(code.get(size), 1).op('f64.sub');
            f64(code, 0);
            f64(code.get(at), 0).op('f64.gt', 'select').set(at);
            break;
          case 'wrap':
            this.wrap(() => code.get(size));
            break;
          case 'mirror':
            this.wrap(() => code.get(size).get(size).op('f64.add'));
            code.get(at);
            code.get(size).get(size).op('f64.add');
            f64(code, 1).op('f64.sub').get(at).op('f64.sub');
            code.get(at).get(size).op('f64.lt', 'select').set(at);
            break;
          default:
            code.br(missing);
        }
        code.br(done);
      },
    );
  }

  private readChannels(): void {
    const { code, layout } = this;
    const [channel, result, count] = [code.local('i32'), code.local('i32'), code.local('i32')];
    this.field(entryFields.channels).set(count);
    code.get(0).set(result);
    code.loop((again) => {
      code
        .get(channel)
        .get(count)
        .op('i32.lt_u')
        .if(
          () =>
            writeChoice(
              code,
              channelFormats.length,
              () => this.field(entryFields.format),
              (number, done) => {
                const format = channelFormats[number];
                if (format === undefined) throw new Error('no such format');
                code.get(result);
                this.readChannel(format);
                code.memory('i32.store', layout.origin + context.results).br(done);
              },
            ),
          () =>
            code
              .get(result)
              .i32(0)
              .memory('i32.store', layout.origin + context.results),
        );
      code.get(result).i32(4).op('i32.add').set(result);
      code.get(channel).i32(1).op('i32.add').tee(channel).i32(4).op('i32.lt_u').brIf(again);
    });
  }

  /** Pushes the bits of the channel at `address`, which then points to the next one; see `texelReader`. */
  private readChannel({ bytes, load, extend, fraction }: ChannelFormat): void {
    const { code, address } = this;
    code.get(address).memory(load, this.layout.origin);
    if (extend !== null) code.op(extend);
    if (fraction !== null) {
      code.op('i64.extend_i32_s', 'f64.convert_i64_s');
      if (fraction.isSigned) f64(code, -fraction.greatest).op('f64.max');
      f64(code, fraction.greatest).op('f64.div', 'f32.demote_f64', 'i32.reinterpret_f32');
    }
    code.get(address).i32(bytes).op('i32.add').set(address);
  }
}
