/** Tests the rows of the container table, and how the rest of the library uses them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memorySource } from './bytes.ts';
import {
  type Container,
  containerNamed,
  containerNames,
  containers,
  containerThatBegins,
  containerTitles,
} from './containers.ts';
import { formatNames } from '../numerics/formats.ts';
import { layoutFile } from './layout.ts';
import { safetensorsDtype, safetensorsDtypes } from './safetensors/dtypes.ts';
import { openTensorFile } from './open.ts';
import type { FileLayout } from './tensor-file.ts';

const dtypes: Readonly<Record<Container, string>> = {
  safetensors: 'F32',
  npy: '<f4',
  npz: '<f4',
  gguf: 'F32',
  raw: 'f32',
};

async function written({ size, header, finish }: FileLayout): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  bytes.set(header);
  const source = memorySource(bytes);
  await finish?.({ ...source, write: async (offset, part) => bytes.set(part, offset) });
  return bytes;
}

describe.each(containerNames)('%s', (container) => {
  const row = containers[container];
  const plan = { name: 'x', dtype: dtypes[container], shape: [2] };

  test('is recognized by its file name extensions', () => {
    for (const ending of row.endings) {
      expect(containerNamed(`a.b/c.${ending}`)).toBe(container);
      expect(containerNamed(`C.${ending.toUpperCase()}`)).toBe(container);
    }
  });

  test('is recognized by its first bytes, and read as it is written', async () => {
    const bytes = await written(layoutFile(container, [plan]));
    const hasHeader = row.signature !== null || row.resembles !== null;
    expect(containerThatBegins(bytes.subarray(0, 9))).toBe(hasHeader ? container : null);
    const options = hasHeader ? {} : { container, dtype: 'f32' as const, shape: [2] };
    const file = await openTensorFile(memorySource(bytes), { name: 'x', ...options });
    expect(file.container).toBe(container);
    expect(file.tensors).toMatchObject([{ name: 'x', format: 'f32', shape: [2], byteLength: 8 }]);
  });

  test(`holds ${row.holdsOne ? 'one tensor' : 'many tensors'}`, () => {
    const two = (): FileLayout => layoutFile(container, [plan, { ...plan, name: 'y' }]);
    if (row.holdsOne) expect(two).toThrow(`${row.words} holds one tensor`);
    else expect(two().tensors).toHaveLength(2);
  });

  test('is in the documentation', () => {
    const table = readFileSync(new URL('../../docs/tensor-files.md', import.meta.url), 'utf8');
    expect(table.match(/^\| container [^]*?\n\n/m)?.[0]).toContain(row.title);
    const commands = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    for (const ending of row.endings) expect(commands).toContain(`\`.${ending}\``);
  });
});

test('no two share an extension', () => {
  const endings = Object.values(containers).flatMap((row) => row.endings);
  expect(new Set(endings).size).toBe(endings.length);
});

test('raw files are never detected', () => {
  expect(containerTitles('with header')).not.toContain('raw');
  expect(containerTitles()).toContain('raw');
});

test('safetensors has an element type for every format that has a spelling there', () => {
  const spelled = formatNames.map((format) => safetensorsDtype(format)).filter((name) => name !== null);
  expect(spelled.filter((name) => !safetensorsDtypes.has(name))).toEqual([]);
});
