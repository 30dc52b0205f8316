/** Reads the golden rows of test/golden/numerics (its README.md describes them). */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Bits } from '../../src/base/bits.ts';

const folder = new URL('./numerics/', import.meta.url);

export interface Instruction {
  readonly inst: string;
  readonly in: readonly string[];
  readonly out: string;
  readonly rows: readonly (readonly string[])[];
  readonly sreg?: number;
  readonly dreg?: number;
}

export interface Row {
  readonly operands: readonly Bits[];
  readonly result: string;
  /** Whether the result contains a NaN whose bits the specification leaves open. */
  readonly anyNan: boolean;
  /** Whether the result is based on an assumption. */
  readonly assumed: boolean;
}

export function families(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl.gz'))
    .map((name) => name.slice(0, -'.jsonl.gz'.length));
}

export function instructionsOf(family: string): readonly Instruction[] {
  const text = gunzipSync(readFileSync(new URL(`${family}.jsonl.gz`, folder))).toString();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Instruction);
}

export function rowsOf(instruction: Instruction): readonly Row[] {
  const widths = instruction.in.map((operand) => instruction.sreg ?? Number(operand.split(':b')[1]));
  return instruction.rows.map((row) => {
    const sources = row.at(-1) ?? '';
    return {
      operands: widths.map((width, i) => parseBits(row[i] as string, width)),
      result: row.at(-2) ?? '',
      anyNan: sources.includes('~'),
      assumed: sources.includes('?'),
    };
  });
}

function parseBits(digits: string, width: number): Bits {
  return width > 32 ? BigInt(`0x${digits}`) : Number.parseInt(digits, 16);
}

interface Checksum {
  readonly input_bits: number;
  readonly output_bits: number;
  readonly checksum: string;
}

interface Sweep {
  readonly total: string;
  readonly chunks: string;
}

/** Checksums over whole input ranges, by mnemonic. */
export function checksums(): { readonly small: Record<string, Checksum>; readonly f32_sweeps: Record<string, Sweep> } {
  return JSON.parse(readFileSync(new URL('exhaustive.json', folder), 'utf8'));
}
