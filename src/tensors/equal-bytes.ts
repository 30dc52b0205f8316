/** Whether two sources hold the same bytes. */
import type { ByteSource } from './bytes.ts';

const chunkBytes = 2 ** 20;

export async function equalBytes(a: ByteSource, b: ByteSource): Promise<boolean> {
  if (a.size !== b.size) return false;
  const [left, right] = [new Uint8Array(Math.min(chunkBytes, a.size)), new Uint8Array(Math.min(chunkBytes, a.size))];
  for (let at = 0; at < a.size; at += chunkBytes) {
    const size = Math.min(chunkBytes, a.size - at);
    const parts = [left.subarray(0, size), right.subarray(0, size)] as const;
    await Promise.all([a.read(at, parts[0]), b.read(at, parts[1])]);
    if (!isEqual(parts[0], parts[1])) return false;
  }
  return true;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
