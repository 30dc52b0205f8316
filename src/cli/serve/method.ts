/** A method of the server: the rule that its parameters must follow, and its implementation. */
import { flag, mistakeIn, objectOf, type Rule, text, whole } from '../../base/rules.ts';
import { RequestError } from './errors.ts';
import type { DeviceTable } from './device-table.ts';
import type { Limits } from './limits.ts';
import type { SharedFolder } from './shared-folder.ts';

/** The parts of the server that methods can use. */
export interface ServerState {
  readonly folder: SharedFolder;
  readonly limits: Limits;
  readonly devices: DeviceTable;
  readonly version: string;
}

export interface Method {
  /** @throws RequestError `bad-params`; errors thrown by the library are passed on */
  readonly call: (params: unknown, state: ServerState, signal: AbortSignal) => object | Promise<object>;
}

/** @param rule the rule for the parameters; a request whose parameters break it is rejected */
export function method<P>(
  rule: Rule<P>,
  act: (params: P, state: ServerState, signal: AbortSignal) => object | Promise<object>,
): Method {
  return {
    call: (params, state, signal) => {
      const given: unknown = params ?? {};
      requireRule(given, rule);
      return act(given, state, signal);
    },
  };
}

function requireRule<P>(value: unknown, rule: Rule<P>): asserts value is P {
  const mistake = mistakeIn(value, rule);
  if (mistake === null) return;
  const { path, words } = mistake;
  throw new RequestError('bad-params', path === '' ? `the parameters: ${words}` : `${path}: ${words}`);
}

/** Returns the value of a parameter, or throws a RequestError if the parameter is missing. */
export function required<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new RequestError('bad-params', `${name}: is required`);
}

/** The source of the bytes in a request: a part of a file in the server's folder, or base64. */
export interface DataSource {
  readonly file?: string;
  /** The offset of the part in the file. Default 0. */
  readonly at?: number;
  /** The size of the part. Default: everything up to the end. */
  readonly bytes?: number;
  readonly base64?: string;
}

/** The destination for the bytes of a response: a file in the server's folder. */
export interface DataTarget {
  readonly file?: string;
  readonly at?: number;
}

export const count: Rule<number> = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');
export const sourceRule: Rule<DataSource> = objectOf<DataSource>({ file: text, at: count, bytes: count, base64: text });
export const targetRule: Rule<DataTarget> = objectOf<DataTarget>({ file: text, at: count });
export { flag, text };

/** Returns the size of the data in bytes without reading any file. */
export function sizeOfData({ file, at = 0, bytes, base64 }: DataSource, folder: SharedFolder): number {
  if (file !== undefined) return folder.sizeOf(file, at, bytes);
  return Buffer.byteLength(required(base64, 'base64'), 'base64');
}

/**
 * Passes the data to `take` piece by piece. A piece is valid only during the call.
 *
 * @throws RequestError `bad-params` if the data is not valid base64
 */
export function readData(
  { file, at = 0, bytes, base64 }: DataSource,
  folder: SharedFolder,
  take: (piece: Uint8Array, offset: number) => void,
): void {
  if (file === undefined) take(decoded(required(base64, 'base64')), 0);
  else folder.read(file, at, bytes, take);
}

/** Node.js skips characters that are not base64, so the decoded data would be too short. */
function decoded(base64: string): Buffer {
  const data = Buffer.from(base64, 'base64');
  if (base64.length % 4 === 0 && data.length === Buffer.byteLength(base64, 'base64')) return data;
  throw new RequestError('bad-params', 'base64: must be base64 with padding, without spaces or line breaks');
}

/** A copy of the data. */
export function bytesOfData(source: DataSource, folder: SharedFolder): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(sizeOfData(source, folder));
  readData(source, folder, (piece, offset) => copy.set(piece, offset));
  return copy;
}

/** Writes the bytes to a file if the request specifies one. Otherwise, they become part of the response. */
export function giveData(bytes: Uint8Array, target: DataTarget | undefined, folder: SharedFolder): object {
  if (target?.file === undefined) {
    const { buffer, byteOffset, byteLength } = bytes;
    return { bytes: byteLength, base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
  }
  folder.write(target.file, target.at ?? 0, bytes);
  return { bytes: bytes.byteLength, file: target.file };
}
