/** The output of `sweep`. */
import { type Sweep, totalDigest } from '../../sweep.ts';
import type { ChunkDigests } from './digest-file.ts';
import { digestText } from './digest-text.ts';

/** A sweep that has finished, or that has stopped at a chunk whose results are wrong. */
export interface Swept {
  readonly sweep: Sweep;
  /** The requested chunks. */
  readonly chunks: readonly number[];
  readonly known: ChunkDigests;
  readonly wanted: ChunkDigests | null;
  /** The number of inputs whose results were computed in this run. */
  readonly inputs: number;
  readonly milliseconds: number;
}

export interface WrongChunk {
  readonly chunk: number;
  readonly found: string;
  readonly expected: string;
}

/**
 * The lowest chunk whose digest differs from the expected one; null if there is none, or if no digests were expected.
 */
export function firstWrong({ chunks, known, wanted }: Swept): WrongChunk | null {
  if (wanted === null) return null;
  for (const chunk of chunks) {
    const [found, expected] = [known.get(chunk), wanted.get(chunk)];
    if (found !== undefined && expected !== undefined && found !== expected) {
      return { chunk, found: digestText(found), expected: digestText(expected) };
    }
  }
  return null;
}

/** The digest of the digests of all chunks; null if some of these are unknown. */
function totalOf({ sweep, known }: Swept): string | null {
  const all = Array.from({ length: sweep.chunks }, (_, chunk) => known.get(chunk));
  const digests = all.filter((digest) => digest !== undefined);
  return digests.length === sweep.chunks ? digestText(totalDigest(digests)) : null;
}

export function sweepJson(swept: Swept): object {
  const { sweep, chunks, known, wanted, inputs, milliseconds } = swept;
  return {
    inst: sweep.mnemonic,
    inputBits: sweep.inputBits,
    chunkSize: sweep.chunkSize,
    chunks: Object.fromEntries(
      chunks.flatMap((chunk) => {
        const digest = known.get(chunk);
        return digest === undefined ? [] : [[chunk, digestText(digest)]];
      }),
    ),
    total: totalOf(swept),
    expected: wanted === null ? null : { agrees: firstWrong(swept) === null, firstWrong: firstWrong(swept) },
    inputs,
    milliseconds: Math.round(milliseconds),
  };
}

const perLine = 8;

/**
 * The digests, eight per line, with the number of the first chunk at the beginning of each line. If digests were
 * expected, the result of the comparison is returned instead.
 */
export function sweptText(swept: Swept): string {
  const { sweep, chunks, known, wanted } = swept;
  if (wanted !== null) return comparedText(swept);
  const lines: string[] = [];
  for (let at = 0; at < chunks.length; at += perLine) {
    const line = chunks.slice(at, at + perLine);
    lines.push(`${String(line[0]).padStart(5)}  ${line.map((chunk) => digestText(known.get(chunk) ?? 0)).join(' ')}\n`);
  }
  const total = totalOf(swept);
  if (total !== null && sweep.chunks > 1) lines.push(`total  ${total}\n`);
  return lines.join('');
}

function comparedText(swept: Swept): string {
  const { sweep, chunks } = swept;
  const wrong = firstWrong(swept);
  const agreeing = chunks.length === 1 ? 'chunk agrees' : 'chunks agree';
  if (wrong === null) return `${sweep.mnemonic}: ${chunks.length} ${agreeing}\n`;
  const { chunk, found, expected } = wrong;
  const first = chunk * sweep.chunkSize;
  const range = [first, first + sweep.chunkSize - 1].map(
    (input) => `0x${input.toString(16).padStart(sweep.inputBits / 4, '0')}`,
  );
  return `${sweep.mnemonic}: chunk ${chunk} (inputs ${range.join(' to ')}) has digest ${found}, not ${expected}\n`;
}

/** The message on stderr: how much was computed, and how fast. */
export function rateText({ inputs, milliseconds }: Swept): string {
  if (inputs === 0) return 'nothing left to compute\n';
  const rate = inputs / milliseconds / 1000;
  return `${inputs} inputs in ${(milliseconds / 1000).toFixed(2)} s, ${rate.toFixed(0)} million a second\n`;
}
