/**
 * Encodes an element of a matrix product, and the values that it is computed from, as a link:
 * `#inst=mma.sync…&gpu=sm_90&at=3,5&a=3c00,…&b=3c00,…&c=00000000`. The meaning of a key must never change, so that old
 * links can still be read. Values that are the same as in the initial state are left out.
 */
import type { Bits } from 'ptxlab';
import type { Catalog } from './catalog.ts';
import { type ElementFormat, formatOf, type ListName, type MatrixState, openingState, widthOf } from './state.ts';

/** Maximum length of a link. A longer link cannot come from this page and is ignored. */
const longest = 4_000;

const lists = ['a', 'b', 'scaleA', 'scaleB'] as const;

export function linkOf(state: MatrixState): string {
  const { entry, gpu, row, column, c } = state;
  const opening = openingState(entry);
  const parts = [`inst=${entry.mnemonic}`];
  if (gpu !== opening.gpu) parts.push(`gpu=${gpu}`);
  if (row > 0 || column > 0) parts.push(`at=${row},${column}`);
  for (const list of lists) {
    const text = listText(state, list);
    if (text !== listText(opening, list)) parts.push(`${list}=${text}`);
  }
  if (c !== opening.c) parts.push(`c=${hexText(c, entry.c)}`);
  return `#${parts.join('&')}`;
}

function listText(state: MatrixState, list: ListName): string {
  return state[list].map((bits) => hexText(bits, formatOf(state, list))).join(',');
}

function hexText(bits: Bits, format: ElementFormat): string {
  return bits.toString(16).padStart(Math.ceil(widthOf(format) / 4), '0');
}

/** The result of opening a link. */
export interface Opened {
  readonly state: MatrixState;
  /** The parts of the link that cannot be read; defaults are shown instead. */
  readonly unread: readonly string[];
}

/** The state that a link describes; null if the link does not contain an instruction from the table. */
export function readLink(hash: string, catalog: Catalog): MatrixState | null {
  return openLink(hash, catalog)?.state ?? null;
}

/** Opens a link; returns null if the link does not contain an instruction from the table. */
export function openLink(hash: string, catalog: Catalog): Opened | null {
  if (hash.length > longest) return null;
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const entry = catalog.find(parameters.get('inst') ?? '');
  if (entry === null) return null;
  const opening = openingState(entry);
  const unread: string[] = [];
  const part = <T>(key: string, read: (text: string) => T | null, usual: T): T => {
    const text = parameters.get(key);
    const found = text === null ? usual : read(text);
    if (found === null) unread.push(`${key}=${text}`);
    return found ?? usual;
  };
  const list = (name: ListName): readonly Bits[] => {
    const words = parameters.get(name)?.split(',') ?? [];
    const read = words.map((word) => readBits(word, formatOf(opening, name)));
    if (read.includes(null) || read.length > opening[name].length) unread.push(`${name}=${words.join(',')}`);
    return opening[name].map((usual, i) => read[i] ?? usual);
  };
  const [row, column] = part('at', (text) => readPlace(text, entry), [0, 0] as const);
  const state = {
    entry,
    gpu: part('gpu', (text) => entry.gpus.find((name) => name === text) ?? null, opening.gpu),
    row,
    column,
    a: list('a'),
    b: list('b'),
    scaleA: list('scaleA'),
    scaleB: list('scaleB'),
    c: part('c', (text) => readBits(text, entry.c), opening.c),
  };
  return { state, unread };
}

function readPlace(text: string, { m, n }: MatrixState['entry']): readonly [number, number] | null {
  const [row = 0, column = 0] = text.split(',').map(Number);
  const isPlace = (at: number, size: number): boolean => Number.isInteger(at) && at >= 0 && at < size;
  return isPlace(row, m) && isPlace(column, n) ? [row, column] : null;
}

function readBits(text: string, format: ElementFormat): Bits | null {
  if (!/^[\da-f]{1,16}$/i.test(text)) return null;
  const width = widthOf(format);
  const bits = BigInt(`0x${text}`);
  if (bits >= 1n << BigInt(width)) return null;
  return width > 32 ? bits : Number(bits);
}
