/** Formats numbers and sizes for display. */
import type { Measured } from './bench.ts';

export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toPrecision(3)} ${units[step] ?? ''}`;
}

/** Formats a number with at most three significant digits. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function decibels({ sqnr }: Measured): string {
  return Number.isFinite(sqnr) ? `${sqnr.toFixed(1)} dB` : 'exact';
}

export function bitsText({ bits }: Measured): string {
  return String(Number(bits.toFixed(2)));
}
