import { expect, test } from 'vitest';
import { memorySource } from './bytes.ts';
import { openRaw } from './raw.ts';
import { summarizeTensor } from './summarize.ts';

// If a tensor has 70,000 elements, its codes are counted in a table. A tensor with 300,000 elements does not fit into
// one chunk.
test.each([1_000, 70_000, 300_000])('%i elements of 16 bits', async (elements) => {
  const patterns = Uint16Array.from({ length: elements }, (_, i) => (i === elements - 1 ? 0xc000 : 0x3f80));
  const file = openRaw(memorySource(new Uint8Array(patterns.buffer)), { name: 'x', dtype: 'bf16', shape: [elements] });
  let done = 0;
  const progress = (more: number): void => {
    done += more;
  };
  const signal = new AbortController().signal;
  const [entry] = file.tensors;
  if (entry === undefined) throw new Error('no tensor');
  const found = await summarizeTensor(file, { entry, scales: null }, { progress, signal });
  expect(found).toMatchObject({ count: elements, min: -2, max: 1, nans: 0, zeros: 0 });
  expect(found?.mean).toBe((elements - 3) / elements);
  expect(done).toBe(elements);
});

test('a file is looked through once, not for each of its tensors', async () => {
  const file = openRaw(memorySource(new Uint8Array(2)), { name: 'x', dtype: 'bf16', shape: [1] });
  const [entry] = file.tensors;
  if (entry === undefined) throw new Error('no tensor');
  let looks = 0;
  const watched = {
    ...file,
    get tensors() {
      looks++;
      return file.tensors;
    },
  };
  for (let i = 0; i < 3; i++) await summarizeTensor(watched, { entry, scales: null });
  expect(looks).toBe(1);
});
