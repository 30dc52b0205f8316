/** Tests the library functions that correspond to the commands `inspect` and `diff`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openFile, openTensors } from '../../src/hosts/node-library.ts';
import { compareFiles, modelOf, openTensorFile, summarizeTensor, type TensorFile } from '../../src/tensors.ts';
import { writeNpy } from '../../src/tensors/npy/npy.ts';

const folder = mkdtempSync(join(tmpdir(), 'ptxlab-library-'));
afterAll(() => rmSync(folder, { recursive: true }));

function npy(name: string, ...values: readonly number[]): string {
  const path = join(folder, name);
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  writeFileSync(path, writeNpy({ type: 'f4', shape: [values.length], bytes }));
  return path;
}

async function using<T>(paths: readonly string[], use: (...files: readonly TensorFile[]) => Promise<T>): Promise<T> {
  const opened = await Promise.all(paths.map((path) => openTensors(path)));
  try {
    return await use(...opened.map(({ file }) => file));
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}

describe('files by their path', () => {
  test('are compared', async () => {
    const paths = [npy('a.npy', 1, 2, 4), npy('b.npy', 1, 2.5, 4)];
    await using(paths, async (a, b) => {
      if (a === undefined || b === undefined) throw new Error('two files');
      let elements = 0;
      const { pairs } = await compareFiles(a, b, { progress: (count) => (elements += count) });
      expect(pairs).toMatchObject([{ outcome: { kind: 'compared', comparison: { different: 1, maxAbs: 0.5 } } }]);
      expect(elements).toBe(3);
    });
  });

  test('are summarized', async () => {
    await using([npy('c.npy', -3, 0, 2)], async (file) => {
      if (file === undefined) throw new Error('one file');
      const [tensor] = modelOf(file).tensors;
      if (tensor === undefined) throw new Error('one tensor');
      expect(await summarizeTensor(file, tensor)).toMatchObject({ min: -3, max: 2, amax: 3, zeros: 1 });
    });
  });

  test('can be read by everything that accepts a source', async () => {
    const source = await openFile(npy('d.npy', 1));
    const file = await openTensorFile(source, { name: 'd.npy' });
    expect(file.tensors.map(({ name, shape }) => [name, shape])).toEqual([['d', [1]]]);
    await source.close();
  });
});
