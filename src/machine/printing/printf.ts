/**
 * Formats the output of a kernel's `printf`. The conversions are those of C, and the memory layout of the arguments is
 * that of the CUDA toolchain. Each character of a string represents one byte, so that widths are measured in bytes, as
 * in C.
 */
import { fixed, general, hexadecimal, isNan, isSpecial, scientific } from './decimal.ts';

/** The arguments after the format string, read one after the other. */
export interface PrintfArguments {
  /** Returns the next 4 or 8 bytes, at their natural alignment. */
  readonly next: (bytes: 4 | 8) => bigint;
  /** Returns the bytes from an address up to the next zero byte, but no more than `limit` bytes. */
  readonly text: (address: bigint, limit: number) => string;
}

interface Spec {
  readonly flags: ReadonlySet<string>;
  readonly width: number;
  /** Null if no precision is given. */
  readonly precision: number | null;
  readonly size: string;
  readonly conversion: string;
}

/** `%[flags][width][.precision][size]conversion`. */
const pattern = /%([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d*))?(hh|h|ll|l|q|L|j|z|t)?([a-zA-Z%])/g;

/** Largest field width, which is more than any kernel needs; larger widths are reduced to it. */
const widest = 65_536;

/**
 * Returns the formatted text and the number of arguments that were used. Everything in `format` that is not a
 * conversion is copied. If the text is longer than `most` bytes, it may be truncated.
 */
export function printf(
  format: string,
  args: PrintfArguments,
  most: number,
): { readonly text: string; readonly taken: number } {
  let taken = 0;
  let length = 0;
  const next = (bytes: 4 | 8): bigint => {
    taken++;
    return args.next(bytes);
  };
  const text = format.replace(pattern, (whole: string, ...groups: readonly (string | undefined)[]) => {
    const [written = '', width = '', precision, size = '', kind = ''] = groups;
    if (!'diouxXcspfFeEgGaA%'.includes(kind)) return whole;
    if (kind === '%') return '%';
    const flags = new Set(written);
    const columns = width === '*' ? Number(BigInt.asIntN(32, next(4))) : Number(width);
    if (columns < 0) flags.add('-');
    const digits = precision === '*' ? Number(BigInt.asIntN(32, next(4))) : Number(precision ?? -1);
    const spec: Spec = {
      flags,
      width: Math.min(Math.abs(columns), widest),
      precision: digits < 0 ? null : Math.min(digits, widest),
      size,
      conversion: kind,
    };
    const isOver = length > most;
    const made = convert(isOver ? { ...spec, width: 0, precision: 0 } : spec, { ...args, next });
    length += made.length;
    return isOver ? '' : made;
  });
  return { text, taken };
}

function convert(spec: Spec, args: PrintfArguments): string {
  switch (spec.conversion) {
    case 'd':
    case 'i':
      return signed(spec, args);
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return unsigned(spec, take(spec, args));
    case 'c':
      return pad(spec, '', String.fromCharCode(Number(args.next(4) & 0xffn)), false);
    case 's': {
      const address = args.next(8);
      const limit = spec.precision ?? Number.POSITIVE_INFINITY;
      return pad(spec, '', address === 0n ? nullText(limit) : args.text(address, limit), false);
    }
    case 'p': {
      const address = args.next(8);
      return pad(spec, '', address === 0n ? '(nil)' : `0x${address.toString(16)}`, false);
    }
    default:
      return float(spec, args.next(8));
  }
}

/** The text for a null pointer. If the precision is too small for all of `(null)`, glibc writes nothing. */
function nullText(limit: number): string {
  return limit >= 6 ? '(null)' : '';
}

const widths: Readonly<Record<string, number>> = { hh: 8, h: 16, '': 32 };

function widthOf({ size }: Spec): number {
  return widths[size] ?? 64;
}

function take(spec: Spec, args: PrintfArguments): bigint {
  const width = widthOf(spec);
  return BigInt.asUintN(width, args.next(width === 64 ? 8 : 4));
}

function signed(spec: Spec, args: PrintfArguments): string {
  const value = BigInt.asIntN(widthOf(spec), take(spec, args));
  const sign = value < 0n ? '-' : positiveSign(spec);
  return padNumber(spec, sign, digitsOf(spec, (value < 0n ? -value : value).toString()));
}

function positiveSign({ flags }: Spec): string {
  return flags.has('+') ? '+' : flags.has(' ') ? ' ' : '';
}

function unsigned(spec: Spec, value: bigint): string {
  const { conversion, flags, precision } = spec;
  const radix = conversion === 'o' ? 8 : conversion === 'u' ? 10 : 16;
  const text = digitsOf(spec, value.toString(radix));
  const alternate = flags.has('#');
  if (conversion === 'o') {
    const led = alternate && !text.startsWith('0') ? `0${text}` : text;
    return padNumber(spec, '', precision === 0 && value === 0n && alternate ? '0' : led);
  }
  const prefix = alternate && radix === 16 && value !== 0n ? '0x' : '';
  const shown = padNumber(spec, prefix, text);
  return conversion === 'X' ? shown.toUpperCase() : shown;
}

/** Pads to at least `precision` digits. With a precision of 0, the number zero is written without any digits. */
function digitsOf({ precision }: Spec, digits: string): string {
  if (precision === 0 && digits === '0') return '';
  return digits.padStart(precision ?? 1, '0');
}

/** Pads a number. If a precision is given, the `0` flag has no effect. */
function padNumber(spec: Spec, prefix: string, digits: string): string {
  return pad(spec, prefix, digits, spec.flags.has('0') && spec.precision === null);
}

function float(spec: Spec, bits: bigint): string {
  const { conversion, flags } = spec;
  const sign = bits >> 63n === 1n ? '-' : positiveSign(spec);
  if (isSpecial(bits)) return cased(conversion, pad(spec, sign, isNan(bits) ? 'nan' : 'inf', false));
  const text = magnitudeText(spec, bits & 0x7fff_ffff_ffff_ffffn);
  const hex = text.startsWith('0x');
  const shown = pad(spec, sign + (hex ? '0x' : ''), hex ? text.slice(2) : text, flags.has('0'));
  return cased(conversion, shown);
}

function magnitudeText({ conversion, precision, flags }: Spec, bits: bigint): string {
  const point = flags.has('#');
  switch (conversion.toLowerCase()) {
    case 'f':
      return fixed(bits, precision ?? 6, point);
    case 'e':
      return scientific(bits, precision ?? 6, point);
    case 'g':
      return general(bits, precision ?? 6, point);
    default:
      return hexadecimal(bits, precision, point);
  }
}

function cased(conversion: string, text: string): string {
  return conversion === conversion.toUpperCase() ? text.toUpperCase() : text;
}

/**
 * Pads a string to the field width with leading spaces, or with trailing spaces if the `-` flag is given. If `zeros` is
 * set, zeros are inserted after the prefix instead of leading spaces.
 */
function pad({ width, flags }: Spec, prefix: string, body: string, zeros: boolean): string {
  const text = prefix + body;
  if (flags.has('-')) return text.padEnd(width);
  return zeros ? prefix + body.padStart(width - prefix.length, '0') : text.padStart(width);
}
