/**
 * Tests the reader of tensor files with arbitrary bytes: it must throw only TensorFileErrors, and the memory that it
 * allocates must stay in proportion to the size of the file.
 */
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, test } from 'vitest';
import { type ByteSource, memorySource, readBytes } from '../../src/tensors/bytes.ts';
import type { GgufField } from '../../src/tensors/gguf/fields.ts';
import { layoutFile } from '../../src/tensors/layout.ts';
import { writeNpy } from '../../src/tensors/npy/npy.ts';
import { openTensorFile } from '../../src/tensors/open.ts';
import { TensorFileError } from '../../src/tensors/tensor-error.ts';
import { type Container, containerNames } from '../../src/tensors/containers.ts';
import type { TensorFile } from '../../src/tensors/tensor-file.ts';

const containers = containerNames.filter((name) => name !== 'raw');

/** The size of the longest header that is accepted, plus the 8 bytes that precede the header. */
const mostAtOnce = 100_000_008;

/** Unlike `expect`, this is fast enough to call for every read. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/**
 * A source that stands for a file of `size` bytes. The file starts with `bytes`; if there are fewer than `size` of
 * these bytes, the rest of the file is read as zeros.
 */
function sourceOf(bytes: Uint8Array, size: number): ByteSource {
  const known = new WeakSet<ArrayBufferLike>();
  return {
    size,
    async read(offset, into) {
      must(into.byteLength <= Math.min(size, mostAtOnce), `reads ${into.byteLength} bytes at once`);
      must(offset + into.byteLength <= size, `reads ${into.byteLength} bytes at ${offset}, past the end`);
      // Only a buffer that was used for an earlier read has to be cleared; the bytes of a new buffer are already zero.
      if (known.has(into.buffer)) into.fill(0);
      known.add(into.buffer);
      into.set(bytes.subarray(offset, offset + into.byteLength));
    },
  };
}

async function readAll(file: TensorFile, size: number): Promise<void> {
  for (const entry of file.tensors) {
    const elements = entry.shape.reduce((product, extent) => product * extent, 1);
    must(entry.elements === elements, `${entry.elements} elements, not ${elements}`);
    must(file.container === 'npz' || entry.offset + entry.byteLength <= size, 'a tensor past the end');
    const data = file.data(entry);
    must(data.size === entry.byteLength, `${data.size} bytes, not ${entry.byteLength}`);
    const length = Math.min(64, data.size);
    await readBytes(data, 0, length);
    await readBytes(data, data.size - length, length);
  }
}

/** Opens and reads a file. Anything thrown must be a TensorFileError with a proper message. */
async function expectHandled(bytes: Uint8Array, container?: Container, size = bytes.length): Promise<void> {
  try {
    const openBeside = (name: string): Promise<ByteSource> =>
      Promise.resolve(memorySource(new TextEncoder().encode(name)));
    const file = await openTensorFile(sourceOf(bytes, size), { openBeside, ...(container && { container }) });
    await readAll(file, size);
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    must(/^[^\n]{5,400}$/.test(error.message), `the message is ${JSON.stringify(error.message)}`);
  }
}

const fields: readonly GgufField[] = [
  { key: 'general.architecture', type: 'string', items: null, value: 'llama' },
  { key: 'words', type: 'array', items: 'string', value: ['a', 'b'] },
  { key: 'number', type: 'u32', items: null, value: 7 },
];

const plans = { safetensors: ['F32', 'F6_E2M3', 'U8'], npy: ['<f4'], npz: ['<f4', '|V1'], gguf: ['F32', 'MXFP4'] };

/**
 * A valid file in each container format, a second npz file, which is deflated, and the index file of a sharded model.
 */
const good: readonly Uint8Array[] = [
  ...Object.entries(plans).map(([container, dtypes]) => {
    const layout = layoutFile(
      container as Container,
      dtypes.map((dtype, i) => ({ name: `t${i}`, dtype, shape: [2, 32] })),
      { metadata: { format: 'pt' }, fields },
    );
    const bytes = new Uint8Array(layout.size).fill(0x55);
    bytes.set(layout.header);
    return bytes;
  }),
  zipSync({ 'a.npy': writeNpy({ type: 'u1', shape: [300], bytes: new Uint8Array(300).fill(7) }) }),
  new TextEncoder().encode('{"metadata":{"total_size":1},"weight_map":{"a":"x.safetensors","b":"y.safetensors"}}'),
];

const edges = [0, 1, 0x7f, 0x80, 0xff, 0x22, 0x2d, 0x30, 0x39, 0x5b, 0x5c, 0x7b, 0x7d];

/** A valid file in which bytes are changed, removed or duplicated, or whose end is cut off. */
const mutated = fc
  .record({
    bytes: fc.constantFrom(...good),
    changes: fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...edges), fc.nat(255))), { maxLength: 8 }),
    splice: fc.option(fc.tuple(fc.nat(), fc.nat(20), fc.nat(40))),
    cut: fc.option(fc.nat()),
  })
  .map(({ bytes, changes, splice, cut }) => {
    const list = [...bytes];
    for (const [at, value] of changes) list[at % list.length] = value;
    if (splice !== null) {
      const [at, removed, doubled] = splice;
      const start = at % list.length;
      list.splice(start, removed, ...list.slice(start, start + doubled));
    }
    return Uint8Array.from(cut === null ? list : list.slice(0, cut % (list.length + 1)));
  });

/** A safetensors header made of words from real headers. */
const header = fc
  .array(
    fc.constantFrom(
      ...'{ } [ ] , : "a" "dtype" "shape" "data_offsets" "F32" "F4" "__metadata__" "__proto__" 0 1 4 -1 1e9 9007199254740993 "\\ud800" "\\" null'.split(
        ' ',
      ),
      '{"dtype":"U8","shape":[2],"data_offsets":[0,2]}',
      '"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}',
    ),
    { maxLength: 25 },
  )
  .map((words) => `{${words.join('')}}`);

function withLength(text: string, data: number): Uint8Array {
  const json = new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + json.length + data);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

describe('readers of tensor files', () => {
  test('valid files are read', async () => {
    for (const bytes of good.slice(0, 2))
      await readAll(await openTensorFile(sourceOf(bytes, bytes.length)), bytes.length);
  });

  test('accept any bytes', async () => {
    const any = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...containers));
    await fc.assert(fc.asyncProperty(any, ([bytes, container]) => expectHandled(bytes, container)));
  });

  test('accept valid files that were damaged', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, (bytes) => expectHandled(bytes)),
      { numRuns: 1500 },
    );
  });

  test('accept headers made of real words', async () => {
    const file = fc.tuple(header, fc.nat(4)).map(([text, data]) => withLength(text, data));
    await fc.assert(
      fc.asyncProperty(file, (bytes) => expectHandled(bytes, 'safetensors')),
      { numRuns: 500 },
    );
  });

  test('accept files of terabytes and allocate no more than a header', async () => {
    const size = fc.constantFrom(2 ** 33, 2 ** 45, Number.MAX_SAFE_INTEGER);
    await fc.assert(
      fc.asyncProperty(mutated, size, (bytes, large) => expectHandled(bytes, undefined, large)),
      {
        numRuns: 300,
      },
    );
  });
});
