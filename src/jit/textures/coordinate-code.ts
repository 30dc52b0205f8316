/**
 * Generates code that converts coordinates to units of texels, and that finds the texels to read in place of those
 * outside a texture.
 */
import { bitsOfDouble } from '../../base/bits-of-double.ts';
import { addressModes } from '../../isa/texture-fields.ts';
import { operandStarts, type TextureRead } from '../../isa/texture-read.ts';
import { leastNormal, normalizedSteps } from '../../machine/textures/coordinates.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { writeChoice } from '../choose.ts';
import type { Helpers } from '../helpers.ts';
import { context, type LaunchLayout } from '../layout.ts';
import { axisFields, entryFields } from './texture-table.ts';

/** Pushes a number. */
export function f64(code: Code, value: number): Code {
  return code.f64(bitsOfDouble(value));
}

/** Everything that is needed to write the code of a function that reads texels. */
export interface TextureParts {
  readonly code: Code;
  readonly helpers: Helpers;
  readonly layout: LaunchLayout;
  readonly read: TextureRead;
  /** The locals that hold the addresses of the block's context and of the entry in the texture table. */
  readonly context: number;
  readonly entry: number;
}

/** Pushes a 32-bit field of the entry in the texture table. */
export function pushEntryField({ code, entry, layout }: TextureParts, at: number): Code {
  return code.get(entry).memory('i32.load', layout.origin + at);
}

/** Writes the code that loads a coordinate and finds texels along its axis. */
export class CoordinateWriter {
  private readonly parts: TextureParts;
  /** The locals that hold the coordinate, the size of its axis, and the address mode of this axis. */
  readonly at: number;
  readonly size: number;
  readonly mode: number;
  private axis = 0;

  constructor(parts: TextureParts) {
    const { code } = parts;
    this.parts = parts;
    [this.at, this.size, this.mode] = [code.local('f64'), code.local('f64'), code.local('i32')];
  }

  /** Loads a coordinate and converts it to units of texels. */
  load(i: number): void {
    const { code, layout, read, context: words } = this.parts;
    this.axis = entryFields.axes + i * axisFields.end;
    const operand = layout.origin + context.textureOperands + 4 * (operandStarts.coordinates + i);
    pushEntryField(this.parts, this.axis + axisFields.size)
      .op('i64.extend_i32_u', 'f64.convert_i64_u')
      .set(this.size);
    pushEntryField(this.parts, this.axis + axisFields.mode).set(this.mode);
    code.get(words);
    if (read.isFloat) {
      code.memory('f32.load', operand).op('f64.promote_f32').set(this.at);
      this.scale();
    } else code.memory('i32.load', operand).op('i64.extend_i32_s', 'f64.convert_i64_s').set(this.at);
  }

  /**
   * Pushes the distance in bytes from the first texel on the axis to the texel whose index is in a local. The texture
   * must contain this texel.
   */
  pushOffset(texel: number): Code {
    this.parts.code.get(texel).op('i64.trunc_f64_s', 'i32.wrap_i64');
    return pushEntryField(this.parts, this.axis + axisFields.stride).op('i32.mul');
  }

  /**
   * If the texel whose index is in a local is outside the texture, replaces the index with that of the texel to read
   * instead.
   *
   * @param missing the label of the code for border texels, which are not part of the texture
   */
  moveInside(texel: number, missing: Label): void {
    const { code, helpers } = this.parts;
    const { size } = this;
    f64(code.get(texel), 0).op('f64.ge').get(texel).get(size).op('f64.lt', 'i32.and', 'i32.eqz');
    code.if(() => {
      code.get(texel).get(size).get(this.mode).call(insideFunction(helpers)).tee(texel);
      f64(code, 0).op('f64.lt').brIf(missing);
    });
  }

  /** Converts a coordinate to units of texels; see `inTexels`. */
  private scale(): void {
    const { code, helpers } = this.parts;
    const { at, size } = this;
    code.get(at);
    f64(code, 0);
    code.get(at).op('f64.abs');
    f64(code, leastNormal).op('f64.ge', 'select').set(at);
    pushEntryField(this.parts, entryFields.scales).if(() => {
      f64(code.get(at), normalizedSteps).op('f64.mul', 'f64.floor').set(at);
      this.pushRepeats();
      code.if(() =>
        f64(code.get(at), 2 * normalizedSteps)
          .call(remainderFunction(helpers))
          .set(at),
      );
      f64(code.get(at), 1 / normalizedSteps)
        .op('f64.mul')
        .get(size)
        .op('f64.mul')
        .set(at);
    });
  }

  private pushRepeats(): void {
    const { code } = this.parts;
    const { mode } = this;
    code.get(mode).i32(addressModes.indexOf('wrap')).op('i32.eq');
    code.get(mode).i32(addressModes.indexOf('mirror')).op('i32.eq', 'i32.or');
  }
}

const remainderType: FunctionType = { parameters: ['f64', 'f64'], results: ['f64'] };

/** See `remainder` in coordinates.ts. */
function remainderFunction(helpers: Helpers): number {
  return helpers.function('texture remainder', remainderType, (code) => {
    const [dividend, divisor] = [0, 1] as const;
    code.get(dividend).get(divisor).get(dividend).get(divisor);
    code.op('f64.div', 'f64.floor', 'f64.mul', 'f64.sub').tee(dividend);
    f64(code, 0);
    f64(code.get(dividend).op('f64.abs'), Number.POSITIVE_INFINITY).op('f64.lt', 'select');
  });
}

const insideType: FunctionType = { parameters: ['f64', 'f64', 'i32'], results: ['f64'] };

/**
 * Returns the index of the texel that is read in place of one outside the texture; -1 if the mode is `border`. See
 * `indexIn`.
 */
function insideFunction(helpers: Helpers): number {
  const remainder = remainderFunction(helpers);
  return helpers.function('texel inside', insideType, (code) => {
    const [at, size, mode] = [0, 1, 2] as const;
    writeChoice(
      code,
      addressModes.length,
      () => code.get(mode),
      (number) => {
        switch (addressModes[number]) {
          case 'clamp':
          case 'clamp-ogl':
            f64(code.get(size), 1).op('f64.sub');
            f64(code, 0);
            f64(code.get(at), 0).op('f64.gt', 'select');
            break;
          case 'wrap':
            code.get(at).get(size).call(remainder);
            break;
          case 'mirror':
            code.get(at).get(size).get(size).op('f64.add').call(remainder).set(at);
            code.get(at);
            code.get(size).get(size).op('f64.add');
            f64(code, 1).op('f64.sub').get(at).op('f64.sub');
            code.get(at).get(size).op('f64.lt', 'select');
            break;
          default:
            f64(code, -1);
        }
        code.op('return');
      },
    );
    f64(code, -1);
  });
}
