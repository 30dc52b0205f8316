/** Reads the results of a GPU for the golden rows (test/golden/hardware/conversions.jsonl.gz). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Bits } from '../../src/base/bits.ts';

/**
 * An instruction, the number of its rows, and the rows for which the result of the GPU differs from the golden result.
 */
export interface RecordedConversion {
  readonly inst: string;
  readonly rows: number;
  readonly equal: number;
  /**
   * For each row with different results, the operands, the golden result, the result of the GPU, and the sources of the
   * golden row.
   */
  readonly different: readonly (readonly string[])[];
}

const file = new URL('./hardware/conversions.jsonl.gz', import.meta.url);

export function recordedConversions(): readonly RecordedConversion[] {
  const [, ...lines] = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  return lines.map((line): RecordedConversion => JSON.parse(line));
}

export const rowKey = (inst: string, operands: readonly Bits[]): string =>
  [inst, ...operands.map((bits) => bits.toString(16))].join(' ');

/** The results of the GPU that differ from the golden results, by instruction and operands. */
export function overriddenResults(): ReadonlyMap<string, string> {
  return new Map(
    recordedConversions().flatMap(({ inst, different }) =>
      different.map((row): [string, string] => {
        const operands = row.slice(0, -3).map((digits) => BigInt(`0x${digits}`));
        return [rowKey(inst, operands), row.at(-2) ?? ''];
      }),
    ),
  );
}
