/**
 * Convert as a link: `#from=f32&to=e4m3&v=0x43eb0000&mode=rn.satfinite`. The meaning of a key must never change, so
 * that old links can still be read. `lanes`, `lane` and inputs are left out of the link if they have their default
 * values.
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

/**
 * Returns the state that a link describes; null if the link is empty or does not name a conversion. Inputs that cannot
 * be read keep their default values.
 */
export function readLink(hash: string, catalog: Catalog): ConvertState | null {
  if (hash.length > longest) return null;
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const [from, to] = [parameters.get('from') ?? '', parameters.get('to') ?? ''];
  if (!isFormatName(from) || !isFormatName(to)) return null;
  const lanes = Number(parameters.get('lanes') ?? Number.NaN);
  const entry = catalog.nearest({ from, to, lanes: lanes || null, modifiers: modesOf(parameters.get('mode') ?? '') });
  if (entry === null) return null;
  let state = emptyState(entry);
  const values = (parameters.get('v') ?? '').split(',');
  entry.inputs.forEach(({ width }, i) => {
    const bits = readBits(values[i], width);
    if (bits !== null) state = withInput(state, i, bits);
  });
  const lane = Number(parameters.get('lane') ?? 0);
  return { ...state, lane: Number.isInteger(lane) && lane >= 0 && lane < entry.lanes ? lane : 0 };
}

/** `rn.satfinite.scaled::n2::ue8m0`. */
function modesOf(text: string): readonly string[] {
  return text.split('.').filter((part) => part !== '');
}

function readBits(text: string | undefined, width: number): Bits | null {
  if (text === undefined || !/^0x[\da-f]{1,16}$/i.test(text)) return null;
  const bits = BigInt(text);
  if (bits >= 1n << BigInt(width)) return null;
  return width > 32 ? bits : Number(bits);
}
