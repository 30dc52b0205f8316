/** Whether two sources hold the same bytes. */
import type { ByteSource } from '../../tensors/bytes.ts';

const chunkBytes = 2 ** 20;

export async function equalBytes(a: ByteSource, b: ByteSource): Promise<boolean> {
  if (a.size !== b.size) return false;
  const [left, right] = [Buffer.alloc(Math.min(chunkBytes, a.size)), Buffer.alloc(Math.min(chunkBytes, a.size))];
  for (let at = 0; at < a.size; at += chunkBytes) {
    const size = Math.min(chunkBytes, a.size - at);
    const parts = [left.subarray(0, size), right.subarray(0, size)] as const;
    await Promise.all([a.read(at, parts[0]), b.read(at, parts[1])]);
    if (!parts[0].equals(parts[1])) return false;
  }
  return true;
}
