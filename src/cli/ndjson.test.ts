import { expect, test } from 'vitest';
import { PendingLine } from './ndjson.ts';

/**
 * The lines that PendingLine finds if the text arrives in chunks of `size` bytes. A line that is too long is returned
 * as `!`.
 */
function linesOf(text: string, size: number, limit = 1_000): readonly string[] {
  const bytes = Buffer.from(text);
  const pending = new PendingLine(limit);
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const chunk = bytes.subarray(start, start + size);
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      pending.add(chunk);
      continue;
    }
    lines.push(...pending.complete(chunk.subarray(0, end)).map((line) => (line.ok ? line.value : '!')));
    pending.add(chunk.subarray(end + 1));
  }
  return [...lines, ...pending.complete(Buffer.alloc(0)).map((line) => (line.ok ? line.value : '!'))];
}

test.each([1, 2, 3, 5, 7, 1_000])('lines are the same however the text is split: %i bytes at a time', (size) => {
  expect(linesOf('one\ntw\u00f6\n\n\ud83d\ude00\nlast', size)).toEqual(['one', 'tw\u00f6', '', '\ud83d\ude00', 'last']);
});

test.each([1, 4, 16])('a line beyond the limit is dropped and its neighbors are kept: %i bytes at a time', (size) => {
  expect(linesOf(`ok\n${'x'.repeat(50)}\nfine\n`, size, 20)).toEqual(['ok', '!', 'fine', '']);
});
