/** Generates code that reads the channels of texels, and code that stores one result for each channel. */
import { context } from '../layout.ts';
import { pushEntryField, type TextureParts } from './coordinate-code.ts';
import { type ChannelFormat, entryFields } from './texture-table.ts';

/** Pushes the bits of the channel whose address is in a local. Integers are extended to 32 bits. */
export function pushChannel({ code, layout }: TextureParts, address: number, { load, extend }: ChannelFormat): void {
  code.get(address).memory(load, layout.origin);
  if (extend !== null) code.op(extend);
}

/** @param write writes code that puts the bits of the next channel into a local */
export function writeChannels(parts: TextureParts, write: (bits: number) => void): void {
  const { code, layout } = parts;
  const [left, result, bits, end] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
  pushEntryField(parts, entryFields.channels).set(left);
  code.get(parts.context).set(result);
  code.get(parts.context).i32(16).op('i32.add').set(end);
  code.loop((again) => {
    code.i32(0).set(bits);
    code.get(left).i32(0).op('i32.gt_s');
    code.if(() => write(bits));
    code
      .get(result)
      .get(bits)
      .memory('i32.store', layout.origin + context.results);
    code.get(left).i32(1).op('i32.sub').set(left);
    code.get(result).i32(4).op('i32.add').tee(result).get(end).op('i32.lt_u').brIf(again);
  });
}
