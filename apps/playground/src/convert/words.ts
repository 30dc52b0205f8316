/** Describes converted values, and the reasons for them, in words. */
import type { View } from './state.ts';

/** Splits a string such as `0.1 (0x1.99999ap-4)` into the decimal number and the text in parentheses. */
export function splitValue(text: string): readonly string[] {
  const found = /^(\S+) \((.*)\)$/.exec(text);
  return found === null ? [text] : [found[1] ?? '', found[2] ?? ''];
}

/** A sentence that states the result of the conversion and the rules that determine it. */
export function whyText({ lane, state }: View): string {
  const { source, result, reasons } = lane.explanation;
  const isSame = reasons.length === 1 && reasons[0]?.name === 'exact';
  const from = `${splitValue(source.value)[0]} in ${state.entry.from}`;
  if (isSame)
    return `${from} is ${splitValue(result.value)[0]} in ${state.entry.to}: the format can represent this value.`;
  // The rules use the name MAX_NORM for positive and negative results alike, so its value is shown without a sign.
  const norm = `MAX_NORM (${(splitValue(result.value)[0] ?? '').replace('-', '')})`;
  const rules = reasons.map(({ rule }) => rule.replace('MAX_NORM', norm)).join('; ');
  return `${from} becomes ${splitValue(result.value)[0]} in ${state.entry.to}: ${rules}.`;
}

export function hex(bits: number | bigint, width: number): string {
  return bits.toString(16).padStart(Math.ceil(width / 4), '0');
}
