/**
 * Encodes the state of the Convert page as a link, such as `#from=f32&to=e4m3&v=0x43eb0000&mode=rn.satfinite`. The
 * meaning of a key must never change, so that old links can still be read. `lanes`, `lane` and trailing inputs are left
 * out if they have their default values.
 */
import { type Bits, isFormatName } from 'ptxlab/numbers';
import type { Catalog } from './catalog.ts';
import { type ConvertState, emptyState, withInput } from './state.ts';

/** Maximum length of a link. A longer link cannot come from this page and is ignored. */
const longest = 2_000;

export function linkOf({ entry, inputs, lane }: ConvertState, catalog: Catalog): string {
  const { from, to, lanes, modifiers } = entry;
  const values = inputs.map((bits, i) => `0x${bits.toString(16).padStart((entry.inputs[i]?.width ?? 0) / 4, '0')}`);
  while (values.length > 1 && /^0x0*$/.test(values.at(-1) ?? '')) values.pop();
  const parts = [`from=${from}`, `to=${to}`, `v=${values.join(',')}`];
  if (modifiers.length > 0) parts.push(`mode=${modifiers.join('.')}`);
  const usual = catalog.nearest({ from, to, lanes: null, modifiers });
  if (lanes !== usual?.lanes) parts.push(`lanes=${lanes}`);
  if (lane !== 0) parts.push(`lane=${lane}`);
  return `#${parts.join('&')}`;
}

/** The result of opening a link. */
export interface Opened {
  readonly state: ConvertState;
  /** The parts of the link that cannot be read; defaults are shown instead. */
  readonly unread: readonly string[];
}

/** Returns the state that a link describes; null if the link does not specify a conversion. */
export function readLink(hash: string, catalog: Catalog): ConvertState | null {
  return openLink(hash, catalog)?.state ?? null;
}

/** Opens a link; returns null if the link does not specify a conversion. */
export function openLink(hash: string, catalog: Catalog): Opened | null {
  if (hash.length > longest) return null;
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const [from, to] = [parameters.get('from') ?? '', parameters.get('to') ?? ''];
  if (!isFormatName(from) || !isFormatName(to)) return null;
  const modes = modesOf(parameters.get('mode') ?? '');
  const lanes = Number(parameters.get('lanes') ?? Number.NaN);
  const entry = catalog.nearest({ from, to, lanes: lanes || null, modifiers: modes });
  if (entry === null) return null;
  let state = emptyState(entry);
  const values = parameters.get('v')?.split(',') ?? [];
  const read = values.map((text, i) => readBits(text, entry.inputs[i]?.width));
  read.forEach((bits, i) => {
    if (bits !== null) state = withInput(state, i, bits);
  });
  const lane = Number(parameters.get('lane') ?? 0);
  const hasLane = Number.isInteger(lane) && lane >= 0 && lane < entry.lanes;
  const isGood: Readonly<Record<string, boolean>> = {
    v: !read.includes(null),
    // A known modifier is not a mistake even if this conversion lacks it: links may ask for the nearest conversion.
    mode: modes.every((mode) => catalog.hasModifier(mode)),
    lanes: !parameters.has('lanes') || lanes === entry.lanes,
    lane: hasLane,
  };
  const unread = Object.keys(isGood).filter((key) => !isGood[key]);
  return {
    state: { ...state, lane: hasLane ? lane : 0 },
    unread: unread.map((key) => `${key}=${parameters.get(key) ?? ''}`),
  };
}

/** Splits a string such as `rn.satfinite.scaled::n2::ue8m0` at its dots. */
function modesOf(text: string): readonly string[] {
  return text.split('.').filter((part) => part !== '');
}

function readBits(text: string, width: number | undefined): Bits | null {
  if (width === undefined || !/^0x[\da-f]{1,16}$/i.test(text)) return null;
  const bits = BigInt(text);
  if (bits >= 1n << BigInt(width)) return null;
  return width > 32 ? bits : Number(bits);
}
