/**
 * Formats each traced instruction as one line, and reads the flags and job keys that select which instructions are
 * traced.
 */
import { hex } from '../../base/bits.ts';
import type { Dim3, TraceChoice, TraceEvent, TraceRegister } from '../../device.ts';
import { printable } from '../../diagnostics/renderers/printable.ts';
import { typeOf } from '../../isa/types.ts';
import { valueOf } from '../../evaluation/operands.ts';
import { UsageError } from '../exit.ts';
import type { JobTrace } from './job-rules.ts';

export interface TraceFlags {
  readonly trace?: boolean;
  readonly traceThread?: string;
  readonly traceBlock?: string;
  readonly traceLines?: string;
}

const textWidth = 40;

/** `0,0,0 5,0,0 12: add.f32 %f3, %f1, %f2;   %f1=0x3f800000 (1) %f2=0x40000000 (2) -> %f3=0x40400000 (3)`. */
export function traceLine({ block, thread, line, text, registers, addresses }: TraceEvent): string {
  const said = printable(text.replace(/\s+/g, ' '));
  const read = registers.filter((register) => register.read).map((register) => valueText(register, register.before));
  const at = addresses.map((address) => `[0x${address.toString(16)}]`);
  const written = registers
    .filter((register) => register.written)
    .map((register) => valueText(register, register.after));
  const values = [...read, ...at, ...(written.length === 0 ? [] : ['->', ...written])].join(' ');
  return `${block.join(',')} ${thread.join(',')} ${line}: ${said.padEnd(textWidth)}   ${values}`.trimEnd();
}

/**
 * The bits of a register, followed by its value. The value is left out for registers of bit-size types, whose bits have
 * no defined meaning.
 */
function valueText({ name, type }: TraceRegister, bits: number | bigint): string {
  const found = typeOf(type);
  if (found.class === 'predicate') return `${name}=${bits}`;
  const width = Math.max(8, found.width);
  const seen = BigInt.asUintN(width, BigInt(bits));
  const shown = `${name}=0x${hex(seen, width)}`;
  if (found.format === null) return shown;
  return `${shown} (${valueOf({ type: found, bits: found.width > 32 ? seen : Number(seen) })})`;
}

/** The trace that the flags select; null if no trace flag is given. */
export function readTraceFlags({ trace, traceThread, traceBlock, traceLines }: TraceFlags): TraceChoice | null {
  if (trace !== true && traceThread === undefined && traceBlock === undefined && traceLines === undefined) return null;
  return {
    ...(traceThread === undefined ? {} : { thread: readIndex(traceThread.split(','), '--trace-thread') }),
    ...(traceBlock === undefined ? {} : { block: readIndex(traceBlock.split(','), '--trace-block') }),
    ...(traceLines === undefined
      ? {}
      : { lines: readLines(/^(\d+)\.\.(\d+)$/.exec(traceLines)?.slice(1), '--trace-lines') }),
  };
}

/** A job's `trace`: true, or `{"thread": [x, y, z], "block": [x, y, z], "lines": [first, last]}`. */
export function readTraceKey(given: boolean | JobTrace = false): TraceChoice | null {
  if (given === false) return null;
  if (given === true) return {};
  const { thread, block, lines } = given;
  return {
    ...(thread === undefined ? {} : { thread: readIndex([thread].flat(), 'thread') }),
    ...(block === undefined ? {} : { block: readIndex([block].flat(), 'block') }),
    ...(lines === undefined ? {} : { lines: readLines(lines, 'lines') }),
  };
}

function readIndex(parts: readonly unknown[], what: string): Dim3 {
  const numbers = parts.map(readNumber);
  if (numbers.length > 3 || numbers.includes(null)) throw new UsageError(`${what} must be an index x, x,y or x,y,z`);
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
}

function readLines(parts: readonly unknown[] | undefined, what: string): readonly [number, number] {
  const [first = null, last = null, ...rest] = (parts ?? []).map(readNumber);
  if (first === null || last === null || rest.length > 0 || last < first)
    throw new UsageError(`${what} needs two lines, the first and the last, such as 12..20`);
  return [first, last];
}

function readNumber(part: unknown): number | null {
  const isNumber = typeof part === 'number' || (typeof part === 'string' && /^\d+$/.test(part));
  const value = isNumber ? Number(part) : Number.NaN;
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
