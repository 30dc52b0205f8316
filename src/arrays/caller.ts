/** Checks arguments that no compiler has checked: every mistake is reported, and none is silently reinterpreted. */
import { PtxlabError } from '../base/error.ts';
import { joinWords } from '../base/join-words.ts';
import { type Bytes, tagOf } from './storage.ts';

/** Formats a value for use in a message. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${value}'`;
    case 'bigint':
      return `${value}n`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'symbol':
    case 'function':
    case 'object':
      return value === null ? 'null' : `a value of type ${tagOf(value)}`;
  }
}

function badOption(message: string): PtxlabError {
  return new PtxlabError('bad-option', message);
}

/** Throws `bad-option` if the caller passed no options object; `needs` says which options are required. */
export function requireOptions(options: unknown, needs: string): void {
  if (typeof options !== 'object' || options === null) throw badOption(`options are missing: ${needs}`);
}

/** Throws `bad-option` for a value that is neither undefined nor one of the choices. */
export function requireChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  const all = choices.map((choice) => `'${choice}'`);
  throw badOption(`${name} must be ${joinWords(all, 'or')}, not ${shown(value)}`);
}

/** Throws `bad-option` for a value that is not a boolean, because a string such as 'false' would count as true. */
export function requireFlag(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw badOption(`${name} must be true or false, not ${shown(value)}`);
}

/**
 * Throws an error with the given code if a value is neither a buffer nor a view of one, or if its buffer is detached.
 */
export function requireBytes(value: unknown, name: string, code: 'bad-source' | 'bad-output'): asserts value is Bytes {
  if (!isBytes(value)) {
    throw new PtxlabError(code, `${name} must be a typed array, another view or a buffer, not ${shown(value)}`);
  }
  if (isDetached(value)) throw new PtxlabError(code, `the buffer of ${name} has been transferred and has no bytes`);
}

function isBytes(value: unknown): value is Bytes {
  return ArrayBuffer.isView(value) || /^(Shared)?ArrayBuffer$/.test(tagOf(value));
}

function isDetached(bytes: Bytes): boolean {
  const buffer = ArrayBuffer.isView(bytes) ? bytes.buffer : bytes;
  if (buffer.byteLength > 0) return false;
  try {
    return new Uint8Array(buffer).byteLength > 0;
  } catch {
    return true;
  }
}

/** Whether two views share at least one byte of memory. */
export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.buffer !== b.buffer) return false;
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}
