/** The result of a conversion shard, and its data file. */
import { join } from 'node:path';
import { follows, listOf, oneOf, recordWith, type Rule, text } from '../../base/rules.ts';
import { openFile } from '../../hosts/node-open-file.ts';
import { readBytes } from '../../tensors/bytes.ts';
import { formatNames } from '../../numerics/formats.ts';
import type { FoundValues, NamedNonFinite, NamedOutOfRange } from '../../tensors/conversion-pieces.ts';
import { checksumOf } from './inputs.ts';
import type { Plan } from './manifest.ts';
import { dataFileOf, type Done, type Found, resultsOf } from './results.ts';
import { count } from './what.ts';

/**
 * A range of the data file and its position in the merged file. The ranges are in the same order as in the data file.
 */
export interface Segment {
  readonly offset: number;
  readonly bytes: number;
  /** CRC-32 in hex. */
  readonly crc: string;
}

export interface ConvertBody extends FoundValues {
  readonly segments: readonly Segment[];
}

const convertBodyRule: Rule<ConvertBody> = recordWith<ConvertBody>({
  segments: listOf(recordWith<Segment>({ offset: count, bytes: count, crc: text })),
  nonFinite: listOf(recordWith<NamedNonFinite>({ name: text, nans: count, infinities: count })),
  outOfRange: listOf(
    recordWith<NamedOutOfRange>({
      name: text,
      to: oneOf(...formatNames),
      clipped: count,
      infinities: count,
      nans: count,
    }),
  ),
});

export function isConvertBody(body: object): body is ConvertBody {
  return follows(body, convertBodyRule);
}

/**
 * Reads the data of a shard, and passes each segment on after comparing it with its checksum. At the first difference,
 * it stops and returns a message that says where the file is damaged; otherwise, it returns null.
 */
export async function readSegments(
  plan: Plan,
  shard: number,
  segments: ConvertBody['segments'],
  take: (segment: Segment, bytes: Uint8Array) => Promise<void>,
): Promise<string | null> {
  if (segments.length === 0) return null;
  const data = await openFile(dataFileOf(plan, shard));
  try {
    let at = 0;
    for (const segment of segments) {
      const part = await readBytes(data, at, segment.bytes);
      if (checksumOf(part) !== segment.crc)
        return `has a checksum that does not match the data from byte ${at} of ${data.path}`;
      await take(segment, part);
      at += segment.bytes;
    }
    return null;
  } finally {
    await data.close();
  }
}

/** Reads all data of a result that appears to be complete. If the data is damaged, the result counts as `torn`. */
export async function verifiedData(plan: Plan, found: Done): Promise<Found> {
  const { shard, body } = found;
  const why = isConvertBody(body)
    ? await readSegments(plan, shard, body.segments, () => Promise.resolve())
    : 'is not the result of a conversion';
  return why === null ? found : { kind: 'torn', shard, file: join(resultsOf(plan), `${shard}.json`), why };
}
