/** Reads the digests of test/golden/hardware/values.jsonl.gz. */
import { fileURLToPath } from 'node:url';
import { readLines } from './read-lines.ts';

const file = fileURLToPath(new URL('../golden/hardware/values.jsonl.gz', import.meta.url));

export interface RecordedValues {
  /** The digest of what the GPU gave for all rows. */
  readonly digest: string;
  /** Whether ptxlab is known to give other results. */
  readonly differs: boolean;
}

/** By the name of the instruction. */
export function recordedValues(): ReadonlyMap<string, RecordedValues> {
  const [, ...lines] = readLines(file);
  return new Map(
    lines.map((line): [string, RecordedValues] => {
      const [name, digest, mark]: [string, string, string?] = JSON.parse(line);
      return [name, { digest, differs: mark !== undefined }];
    }),
  );
}
