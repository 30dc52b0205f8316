/** Merges the shards of a conversion into the file that `convert` writes. */
import { basename, dirname, join } from 'node:path';
import { createFile } from '../../hosts/node-pending-file.ts';
import { createFiles } from '../../hosts/node-joined.ts';
import { refuseSameFiles, requireOutputs } from '../../hosts/node-output.ts';
import type { FoundValues, NamedNonFinite, NamedOutOfRange } from '../../tensors/conversion-pieces.ts';
import type { ConversionPlan } from '../../tensors/conversion-plan.ts';
import { outputsOf } from '../../tensors/tensor-work.ts';
import { requireValues } from '../../tensors/lost-values.ts';
import { configureModel } from '../convert/config.ts';
import { keptWords, reportWords } from '../convert/text.ts';
import { containerOf, type ConvertFlags } from '../convert/choice.ts';
import { UsageError } from '../exit.ts';
import { filesOfInput } from '../input-files.ts';
import { write } from '../output.ts';
import type { Session } from '../session.ts';
import { warn } from '../warnings.ts';
import { conversionOf, openConversion } from './convert-input.ts';
import { type ConvertBody, isConvertBody, readSegments } from './convert-data.ts';
import type { Plan } from './manifest.ts';
import { tornShard } from './results.ts';
import type { ConvertWhat } from './what.ts';

export interface MergeTarget {
  readonly out: string;
  readonly force: boolean;
  readonly quiet: boolean;
}

/**
 * @param bodies the results in the order of the shards
 * @throws UsageError if the result of a shard is damaged, or if any byte of the file comes from no shard or from more
 * than one
 */
export async function mergeConvert(
  plan: Plan,
  what: ConvertWhat,
  bodies: readonly object[],
  { out, force, quiet }: MergeTarget,
  { stderr }: Session,
): Promise<void> {
  requireSameKind(what.output, out);
  const parts = bodies.map((body, shard) => {
    if (isConvertBody(body)) return body;
    throw tornShard(plan, shard, 'is not the result of a conversion');
  });
  const { input } = await openConversion(plan, what);
  try {
    const flags: ConvertFlags = { ...what.choice, color: 'auto' };
    const conversion = conversionOf(input, out, flags);
    requireWhole(plan, parts, conversion);
    const paths = conversion.layout.files?.map(({ name }) => join(dirname(out), name)) ?? [out];
    await refuseSameFiles(filesOfInput(input), paths);
    await requireOutputs(paths, [], force);
    const lost = await requireValues(conversion, input.file);
    await input.requireUnchanged();
    await writeWhole(plan, parts, conversion, out, force);
    if (quiet) return;
    await warn(stderr, input.path, [...keptWords(conversion), ...reportWords({ ...joined(parts), lost })]);
    if (conversion.quantizationConfig !== null)
      await write(
        stderr,
        await configureModel(input.path, out, conversion.choice.layout, conversion.quantizationConfig),
      );
  } finally {
    await input.close();
  }
}

/**
 * The layout of the data depends on the container and on whether the output is split into several files. The name of
 * the output determines both, so it must match the plan in both respects.
 */
function requireSameKind(planned: string, out: string): void {
  const isIndex = (path: string): boolean => path.endsWith('.safetensors.index.json');
  if (containerOf(planned) === containerOf(out) && isIndex(planned) === isIndex(out)) return;
  throw new UsageError(
    `${out}: the plan is for a file such as ${planned}; make a plan for this one with: plan convert --as ${basename(out)}`,
  );
}

interface Place {
  readonly offset: number;
  readonly end: number;
  readonly shard: number;
}

/** Verifies that each byte of each tensor comes from exactly one shard. */
function requireWhole(plan: Plan, parts: readonly ConvertBody[], { work }: ConversionPlan): void {
  const places = parts
    .flatMap(({ segments }, shard) =>
      segments.map(({ offset, bytes }): Place => ({ offset, end: offset + bytes, shard })),
    )
    .filter(({ offset, end }) => end > offset)
    .sort((a, b) => a.offset - b.offset);
  const tensors = work
    .flatMap(outputsOf)
    .filter(({ byteLength }) => byteLength > 0)
    .sort((a, b) => a.offset - b.offset);
  let next = 0;
  for (const { name, offset, byteLength } of tensors) {
    let at = offset;
    const end = offset + byteLength;
    while (at < end) {
      const place = places[next++];
      if (place === undefined || place.offset > at)
        throw new UsageError(`${plan.folder}: no shard contains byte ${at - offset} of ${name}`);
      if (place.offset < at || place.end > end)
        throw tornShard(plan, place.shard, `contains bytes of ${name} that another shard also contains`);
      at = place.end;
    }
  }
  const extra = places[next];
  if (extra !== undefined) throw tornShard(plan, extra.shard, 'has bytes that belong to no tensor');
}

async function writeWhole(
  plan: Plan,
  parts: readonly ConvertBody[],
  { layout }: ConversionPlan,
  out: string,
  replace: boolean,
): Promise<void> {
  const { size, files } = layout;
  const temporaryOf = (target: string): string => `.${basename(target).slice(0, 200)}.${process.pid}.ptxlab-part`;
  const file =
    files === null
      ? await createFile(out, { size, replace })
      : await createFiles(out, { files, replace, temporaryOf, resume: false });
  try {
    await file.write(0, layout.header);
    for (const [shard, { segments }] of parts.entries()) {
      const why = await readSegments(plan, shard, segments, ({ offset }, bytes) => file.write(offset, bytes));
      if (why !== null) throw tornShard(plan, shard, why);
    }
    await layout.finish?.(file);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** For each tensor, adds up the counts that the shards have found. */
function joined(parts: readonly ConvertBody[]): FoundValues {
  const nonFinite = new Map<string, NamedNonFinite>();
  for (const one of parts.flatMap((part) => part.nonFinite)) {
    const { nans, infinities } = nonFinite.get(one.name) ?? { nans: 0, infinities: 0 };
    nonFinite.set(one.name, { ...one, nans: nans + one.nans, infinities: infinities + one.infinities });
  }
  const outOfRange = new Map<string, NamedOutOfRange>();
  for (const one of parts.flatMap((part) => part.outOfRange)) {
    const { clipped, infinities, nans } = outOfRange.get(one.name) ?? { clipped: 0, infinities: 0, nans: 0 };
    outOfRange.set(one.name, {
      ...one,
      clipped: clipped + one.clipped,
      infinities: infinities + one.infinities,
      nans: nans + one.nans,
    });
  }
  return { nonFinite: [...nonFinite.values()], outOfRange: [...outOfRange.values()] };
}
