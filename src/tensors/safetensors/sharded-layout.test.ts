/**
 * Tests that splitting a model into several files does not change the model, and that the index specifies where each
 * tensor is.
 */
import { elementAt } from '../../base/element-at.ts';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySink, memorySource, sliceSource } from '../bytes.ts';
import { openTensorFile } from '../open.ts';
import { layoutShards } from './sharded-layout.ts';
import type { FileLayout, TensorFile, TensorPlan } from '../tensor-file.ts';

const vector = (name: string, elements: number): TensorPlan => ({ name, dtype: 'U8', shape: [elements] });

/** Fills each tensor with a different byte value, and then opens the files through their index. */
async function written(layout: FileLayout): Promise<TensorFile> {
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  layout.tensors.forEach(({ offset, byteLength }, i) => bytes.fill(i + 1, offset, offset + byteLength));
  await layout.finish?.({ ...memorySource(bytes), ...memorySink(bytes) });
  const open = async (wanted: string): Promise<ByteSource> => {
    const file = layout.files?.find(({ name }) => name === wanted);
    if (file === undefined) throw new Error(`no ${wanted}`);
    return sliceSource(memorySource(bytes), file.offset, file.size);
  };
  return openTensorFile(await open(layout.files?.at(-1)?.name ?? ''), { openBeside: open });
}

const shardsOf = ({ tensors }: TensorFile): object =>
  Object.fromEntries(tensors.map(({ name, shard }) => [name, shard?.replace(/^m-0+(\d)-of-0+(\d)\..*$/, '$1/$2')]));

test('each file contains as many tensors as fit, in order; groups stay together', async () => {
  const groups = [[vector('d', 4)], [vector('b', 5), vector('c', 1)], [vector('a', 4)], [vector('e', 30)]];
  const layout = layoutShards(groups, { name: 'm', mostBytes: 10 }, { format: 'pt' });
  const file = await written(layout);
  expect(shardsOf(file)).toEqual({ a: '2/3', b: '1/3', c: '1/3', d: '1/3', e: '3/3' });
  expect(file.metadata).toEqual({ format: 'pt', total_size: 44 });
  for (const [i, { name }] of layout.tensors.entries()) {
    const entry = elementAt(
      file.tensors.filter((one) => one.name === name),
      0,
    );
    const found = new Uint8Array(entry.byteLength);
    await file.data(entry).read(0, found);
    expect(found).toEqual(new Uint8Array(entry.byteLength).fill(i + 1));
  }
});

describe('empty contents', () => {
  test('a model without tensors is one file and an index', async () => {
    const layout = layoutShards([], { name: 'm', mostBytes: 10 });
    expect(layout.files?.map(({ name }) => name)).toEqual(['m-00001-of-00001.safetensors', 'm.safetensors.index.json']);
    expect(shardsOf(await written(layout))).toEqual({});
  });

  test('tensors without elements get no files of their own', async () => {
    const groups = ['a', 'b', 'c'].map((name) => [vector(name, 0)]);
    expect(shardsOf(await written(layoutShards(groups, { name: 'm', mostBytes: 1 })))).toEqual({
      a: '1/1',
      b: '1/1',
      c: '1/1',
    });
  });
});

test('two tensors with the same name are rejected, even in different files', () => {
  const groups = [[vector('a', 9)], [vector('a', 9)]];
  expect(() => layoutShards(groups, { name: 'm', mostBytes: 9 })).toThrow(
    expect.objectContaining({ code: 'duplicate-name' }),
  );
});
