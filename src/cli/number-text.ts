/** Numbers as readable text. */

/**
 * A number with commas, such as `1,048,576`. Intl is not used, because loading it would delay the start of a command by
 * 50 ms.
 */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A count followed by a noun, such as `1 tensor` or `1,024 tensors`. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number with three digits and a decimal unit: `512 B`, `4.19 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
}

/** Four significant digits, or fewer if they represent the value exactly: `-0.1235`, `448`, `1.175e-38`, `inf`. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0';
  const magnitude = Math.abs(value);
  if (value === 0) return '0';
  if (Number.isInteger(value) && magnitude < 1e6) return String(value);
  const text = magnitude >= 1e-4 && magnitude < 1e6 ? value.toPrecision(4) : value.toExponential(3);
  const [digits = '', exponent] = text.split('e');
  const short = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return exponent === undefined ? short : `${short}e${exponent.replace('+', '')}`;
}

/**
 * The size of a part as a percentage of the whole: `0%`, `< 0.01%`, `3.25%`, `100%`. The result is `0%` only if the
 * part is empty, and `100%` only if the part is the whole.
 */
export function percentText(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0%';
  if (part === whole) return '100%';
  const percent = (100 * part) / whole;
  if (percent < 0.01) return '< 0.01%';
  return `${Math.min(percent, 99.9).toFixed(percent < 10 ? 2 : 1)}%`;
}

/** The number in a form that JSON can represent: infinities and NaN become strings. */
export function jsonNumber(value: number | null): number | string | null {
  return value === null || Number.isFinite(value) ? value : valueText(value);
}
