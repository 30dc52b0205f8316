/** Generates functions that read texels of textures that have an entry in the texture table. */
import { elementAt } from '../../base/element-at.ts';
import type { TextureRead } from '../../isa/texture-read.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { writeChoice } from '../choose.ts';
import { pushField } from '../context-field.ts';
import type { Helpers } from '../helpers.ts';
import type { LaunchLayout } from '../layout.ts';
import { CoordinateWriter, f64, pushEntryField, type TextureParts } from './coordinate-code.ts';
import { linearFunction } from './linear-code.ts';
import { pushChannel, writeChannels } from './channel-code.ts';
import {
  channelFormats,
  type ChannelFormat,
  entryBytes,
  entryCount,
  entryFields,
  handleShift,
} from './texture-table.ts';

/**
 * The parameters are the context and the handles of the texture and the sampler. The function returns 1 if it has
 * stored the results.
 */
const type: FunctionType = { parameters: ['i32', 'i64', 'i64'], results: ['i32'] };

/** Returns the index of the function for instructions that find texels in the given way (see `wayOf`). */
export function texelFunction(helpers: Helpers, layout: LaunchLayout, read: TextureRead, way: number): number {
  const linear = read.isFloat ? linearFunction(helpers, layout, read, way) : null;
  return helpers.function(`texel ${way}`, type, (code) => {
    const parts = { code, helpers, layout, read, context: 0, entry: code.local('i32') };
    code.block((missing) => {
      findEntry(parts, way, missing);
      if (linear !== null)
        pushEntryField(parts, entryFields.isLinear).if(() =>
          code.get(parts.context).get(parts.entry).call(linear).op('return'),
        );
      readNearest(parts, missing);
      code.i32(1).op('return');
    });
    code.i32(0);
  });
}

function findEntry(parts: TextureParts, way: number, missing: Label): void {
  const { code, layout, entry } = parts;
  const [texture, sampler] = [1, 2] as const;
  pushField(code, layout, 'textureTable');
  code.get(texture).op('i32.wrap_i64').i32(handleShift).op('i32.shr_u').i32(way).op('i32.add');
  code
    .i32(entryCount - 1)
    .op('i32.and')
    .i32(entryBytes)
    .op('i32.mul', 'i32.add')
    .set(entry);
  for (const [field, handle] of [
    [entryFields.texture, texture],
    [entryFields.sampler, sampler],
  ] as const)
    code
      .get(entry)
      .memory('i64.load', layout.origin + field)
      .get(handle)
      .op('i64.ne')
      .brIf(missing);
  pushEntryField(parts, entryFields.way).i32(way).op('i32.ne').brIf(missing);
}

function readNearest(parts: TextureParts, missing: Label): void {
  const { code, read } = parts;
  const coordinate = new CoordinateWriter(parts);
  const [address, { at }] = [code.local('i32'), coordinate];
  pushEntryField(parts, entryFields.address).set(address);
  for (let i = 0; i < read.geometry.dimensions; i++) {
    coordinate.load(i);
    if (read.isFloat) code.get(at).op('f64.floor').set(at);
    coordinate.moveInside(at, missing);
    code.get(address);
    coordinate.pushOffset(at).op('i32.add').set(address);
  }
  writeChannels(parts, (bits) =>
    writeChoice(
      code,
      channelFormats.length,
      () => pushEntryField(parts, entryFields.format),
      (number, done) => {
        const format = elementAt(channelFormats, number);
        pushChannel(parts, address, format);
        convertFraction(code, format);
        code.set(bits).get(address).i32(format.bytes).op('i32.add').set(address).br(done);
      },
    ),
  );
}

/** If an integer is read as a fraction, replaces it with the f32 bits of the fraction; see `texelReader`. */
function convertFraction(code: Code, { fraction }: ChannelFormat): void {
  if (fraction === null) return;
  code.op('i64.extend_i32_s', 'f64.convert_i64_s');
  if (fraction.isSigned) f64(code, -fraction.greatest).op('f64.max');
  f64(code, fraction.greatest).op('f64.div', 'f32.demote_f64', 'i32.reinterpret_f32');
}
