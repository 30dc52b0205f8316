/**
 * One shard of a conversion. The data file of a shard contains the bytes that the shard contributes to the merged file.
 */
import { elementAt } from '../../base/element-at.ts';
import { createFile } from '../../hosts/node-pending-file.ts';
import type { ByteSink } from '../../tensors/bytes.ts';
import { convertPieces } from '../../tensors/convert-file.ts';
import type { Segment } from './convert-data.ts';
import { openConversion, positionOf } from './convert-input.ts';
import { checksumOf } from './inputs.ts';
import type { Plan } from './manifest.ts';
import { dataFileOf, type ShardResult } from './results.ts';
import type { ConvertWhat } from './what.ts';

/** Resolves with null if the signal stopped the work. */
export async function convertShard(
  plan: Plan,
  what: ConvertWhat,
  shard: number,
  signal: AbortSignal,
): Promise<ShardResult | null> {
  const { pieces, dataBytes, maxima } = what;
  const { from, to } = elementAt(plan.manifest.shards, shard);
  const size = elementAt(dataBytes, shard);
  if (from === to) return { body: { segments: [], nonFinite: [], outOfRange: [] }, dataBytes: 0 };
  const { input, conversion } = await openConversion(plan, what);
  const data = await createFile(dataFileOf(plan, shard), { size, replace: true });
  try {
    const segments: Segment[] = [];
    let end = 0;
    const sink: ByteSink = {
      write(offset, bytes) {
        const at = end;
        end += bytes.byteLength;
        segments.push({ offset, bytes: bytes.byteLength, crc: checksumOf(bytes) });
        return data.write(at, bytes);
      },
    };
    const found = await convertPieces(conversion, input.file, sink, {
      from: positionOf(pieces, from),
      to: positionOf(pieces, to),
      maxima: new Map(Object.entries(maxima).map(([name, largest]) => [name, Number(largest)])),
      signal,
    });
    if (end !== size) throw new Error(`shard ${shard} has ${end} bytes instead of ${size}`);
    await input.requireUnchanged();
    await data.commit();
    return { body: { segments, ...found }, dataBytes: size };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    await data.discard();
    await input.close();
  }
}
