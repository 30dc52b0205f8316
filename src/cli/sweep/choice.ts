/** The flags that determine what a sweep computes. */
import { UsageError } from '../exit.ts';
import type { JudgeFlags } from '../options.ts';

export interface SweepChoiceFlags extends JudgeFlags {
  readonly chunks?: string;
  readonly rbits?: string;
  readonly scale?: string;
}

/** Parses a single chunk, such as `3`, or a range of chunks, such as `0..15`, which includes both ends. */
export function readChunks(text: string | undefined, count: number): readonly number[] {
  const match = /^(\d+)(?:\.\.(\d+))?$/.exec(text ?? `0..${count - 1}`);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? first);
  if (match === null || last < first)
    throw new UsageError(`--chunks takes a number such as 3 or a range such as 0..15, not '${text}'`);
  if (last >= count) throw new UsageError(`--chunks ${text}: chunks are numbered 0 to ${count - 1}`);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Reads the values of the operands that a sweep keeps constant. The keys are the names of the operands. */
export function readSweepSettings({ rbits, scale }: SweepChoiceFlags): ReadonlyMap<string, number> {
  const settings = new Map<string, number>();
  const read = (name: string, flag: string, text: string | undefined, digits: number): void => {
    if (text === undefined) return;
    const hex = text.replace(/^0x/i, '');
    if (!/^[\da-f]+$/i.test(hex) || hex.length > digits) throw new UsageError(`${flag} takes ${digits} hex digits`);
    settings.set(name, Number.parseInt(hex, 16));
  };
  read('rbits', '--rbits', rbits, 8);
  read('scale-factor', '--scale', scale, 4);
  return settings;
}
