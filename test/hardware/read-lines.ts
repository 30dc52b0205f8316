import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The lines of a text file, which may be compressed. */
export function readLines(path: string): readonly string[] {
  const bytes = readFileSync(path);
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return text.toString().split('\n').filter(Boolean);
}
