/** Generates code that stores the results of an instruction, one for each channel. */
import { context } from '../layout.ts';
import { pushEntryField, type TextureParts } from './coordinate-code.ts';
import { entryFields } from './texture-table.ts';

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
