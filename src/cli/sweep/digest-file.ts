/**
 * Reads and writes digest files, which contain the results of `sweep`. A sweep can be continued from such a file, or
 * compared with it.
 */
import { existsSync } from 'node:fs';
import { writeFiles } from '../../hosts/node-output.ts';
import { UsageError } from '../exit.ts';
import { readInput } from '../io.ts';
import { isObject } from '../../base/json-values.ts';
import type { Session } from '../session.ts';
import { digestText } from './digest-text.ts';

/** The digests of an instruction, keyed by the number of the chunk. A chunk whose digest is not known has no entry. */
export type ChunkDigests = Map<number, number>;

const format = 'ptxlab digests 1';
/** Written in place of a digest that is not known. */
const unknown = '........';

/**
 * A file with the digests of any number of instructions. It has the form `{"format","sweeps":{INST:"…"}}`, where each
 * string contains eight digits per chunk. Files of the form
 * `{"small":{INST:{"checksum"}},"f32_sweeps":{INST:{"chunks"}}}` are read as well.
 */
export class DigestFile {
  readonly sweeps: Map<string, ChunkDigests>;
  private readonly path: string;

  private constructor(path: string, sweeps: Map<string, ChunkDigests>) {
    this.path = path;
    this.sweeps = sweeps;
  }

  /** Returns a digest file without any digests. `write` then creates the file, or replaces an existing one. */
  static empty(path: string): DigestFile {
    return new DigestFile(path, new Map());
  }

  /** Reads a digest file. If `create` is true, a file that does not exist is treated as empty. */
  static async read(path: string, session: Session, create: boolean): Promise<DigestFile> {
    if (create && !existsSync(path)) return DigestFile.empty(path);
    const text = await readInput(path, session);
    if (!text.ok) throw new UsageError(text.error);
    const sweeps = parse(text.value);
    if (sweeps === null) throw new UsageError(`${path}: not a digest file`);
    return new DigestFile(path, sweeps);
  }

  /** The digests of an instruction. The caller can add digests to the map that is returned. */
  of(name: string): ChunkDigests {
    const known = this.sweeps.get(name) ?? new Map<number, number>();
    this.sweeps.set(name, known);
    return known;
  }

  /**
   * Replaces the file atomically. Other readers, and later runs after an interruption, find either the old contents or
   * the new ones, never a mixture.
   */
  async write(): Promise<void> {
    const lines = [...this.sweeps].map(([name, digests]) => `${JSON.stringify(name)}:"${digitsOf(digests)}"`);
    const text = `{"format":"${format}","sweeps":{\n${lines.join(',\n')}\n}}\n`;
    await writeFiles([{ path: this.path, bytes: Buffer.from(text) }], true);
  }
}

function digitsOf(digests: ChunkDigests): string {
  const count = Math.max(-1, ...digests.keys()) + 1;
  const at = (chunk: number): string => {
    const digest = digests.get(chunk);
    return digest === undefined ? unknown : digestText(digest);
  };
  return Array.from({ length: count }, (_, chunk) => at(chunk)).join('');
}

function parse(text: string): Map<string, ChunkDigests> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const found = new Map<string, ChunkDigests>();
  const groups: readonly (readonly [unknown, (entry: unknown) => unknown])[] = [
    [value['sweeps'], (entry) => entry],
    [value['small'], (entry) => (isObject(entry) ? entry['checksum'] : null)],
    [value['f32_sweeps'], (entry) => (isObject(entry) ? entry['chunks'] : null)],
  ];
  for (const [group, digitsIn] of groups) {
    if (!isObject(group)) continue;
    for (const [name, entry] of Object.entries(group)) {
      const digits = digitsIn(entry);
      if (typeof digits !== 'string' || !/^([\da-f]{8}|\.{8})*$/.test(digits)) return null;
      found.set(name, readDigits(digits));
    }
  }
  return groups.some(([group]) => isObject(group)) ? found : null;
}

function readDigits(digits: string): ChunkDigests {
  const found: ChunkDigests = new Map();
  for (let chunk = 0; chunk * 8 < digits.length; chunk++) {
    const word = digits.slice(chunk * 8, chunk * 8 + 8);
    if (word !== unknown) found.set(chunk, Number.parseInt(word, 16));
  }
  return found;
}
