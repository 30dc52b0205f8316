/** Reads the digests of test/golden/hardware/values.jsonl.gz. */
import { fileURLToPath } from 'node:url';
import { readLines } from './read-lines.ts';

const file = fileURLToPath(new URL('../golden/hardware/values.jsonl.gz', import.meta.url));

export interface RecordedValues {
  /** The digest of the GPU's results for all rows. */
  readonly digest: string;
  /** Whether ptxlab is known to produce different results. */
  readonly differs: boolean;
}

/** The recorded digests, by the name of the instruction. */
export function recordedValues(): ReadonlyMap<string, RecordedValues> {
  const [, ...lines] = readLines(file);
  return new Map(
    lines.map((line): [string, RecordedValues] => {
      const [name, digest, mark]: [string, string, string?] = JSON.parse(line);
      return [name, { digest, differs: mark !== undefined }];
    }),
  );
}
