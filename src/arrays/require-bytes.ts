/** Checks arguments that must hold bytes. */
import { PtxlabError } from '../base/error.ts';
import { shown } from '../base/rules.ts';
import { tagOf } from '../base/tag-of.ts';
import type { Bytes } from './storage.ts';

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
