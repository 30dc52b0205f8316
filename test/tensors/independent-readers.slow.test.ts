/**
 * Checks that other libraries read exactly the bytes that ptxlab has written to a file, and that ptxlab reads exactly
 * the bytes that other libraries have written.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'npyjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFile } from '../../src/hosts/node-pending-file.ts';
import { openTensors } from '../../src/hosts/node-tensors.ts';
import { readBytes } from '../../src/tensors/bytes.ts';
import { layoutFile } from '../../src/tensors/layout.ts';
import type { TensorFileError } from '../../src/tensors/tensor-error.ts';
import type { Container } from '../../src/tensors/containers.ts';
import type { TensorEntry, TensorPlan } from '../../src/tensors/tensor-file.ts';

/** What another reader reports about a tensor. */
type Read = readonly [name: string, shape: readonly number[], sha256: string];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ptxlab-readers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function python(script: string, ...args: readonly string[]): string {
  return execFileSync('python3', ['-c', script, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function hasNumpy(): boolean {
  try {
    python('import numpy');
    return true;
  } catch {
    return false;
  }
}

/** Bytes that differ from tensor to tensor and from position to position. */
function dataOf({ name, byteLength }: TensorEntry): Uint8Array {
  const seed = name.length;
  return Uint8Array.from({ length: byteLength }, (_, i) => Math.imul(i + seed, 0x9e3779b1) >>> 24);
}

async function write(path: string, container: Container, plans: readonly TensorPlan[]): Promise<Read[]> {
  const { size, header, tensors, finish } = layoutFile(container, plans);
  const file = await createFile(path, { size });
  await file.write(0, header);
  for (const entry of tensors) await file.write(entry.offset, dataOf(entry));
  await finish?.(file);
  await file.commit();
  return tensors.map((entry) => [entry.name, entry.shape, digest(dataOf(entry))]);
}

async function readHere(path: string): Promise<Read[]> {
  const { file, close } = await openTensors(path);
  const all: Read[] = [];
  for (const entry of file.tensors)
    all.push([entry.name, entry.shape, digest(await readBytes(file.data(entry), 0, entry.byteLength))]);
  await close();
  return all;
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const plans = (dtypes: readonly string[]): TensorPlan[] =>
  dtypes
    .map((dtype, i) => ({ name: `${dtype} ü${i}`, dtype, shape: [[4, 8], [], [0, 3], [8]][i % 4] ?? [] }))
    .map(whole);

/**
 * A tensor whose elements are smaller than a byte must still fill a whole number of bytes. Such tensors are therefore
 * written with 32 elements.
 */
const whole = (plan: TensorPlan): TensorPlan =>
  plan.dtype.startsWith('F6') || plan.dtype === 'F4' ? { ...plan, shape: [4, 8] } : plan;

const safetensors = `
import json, struct, sys, hashlib
data = open(sys.argv[1], 'rb').read()
n, = struct.unpack('<Q', data[:8])
header, data = json.loads(data[8:8 + n]), data[8 + n:]
header.pop('__metadata__', None)
ends = [0] + sorted(t['data_offsets'][1] for t in header.values())
assert ends[-1] == len(data) and n % 8 == 0
read = lambda t: hashlib.sha256(data[slice(*t['data_offsets'])]).hexdigest()
print(json.dumps([[name, t['shape'], read(t)] for name, t in header.items()]))
`;

const numpy = `
import json, sys, hashlib, numpy
def read(path):
    loaded = numpy.load(path)
    arrays = {name: loaded[name] for name in loaded.files} if path.endswith('.npz') else {'one': loaded}
    return [[name, list(a.shape), hashlib.sha256(a.tobytes()).hexdigest()] for name, a in arrays.items()]
print(json.dumps([read(path) for path in sys.argv[1:]]))
`;
const byNumpy = (...paths: readonly string[]): Read[][] => JSON.parse(python(numpy, ...paths)) as Read[][];

const npyTypes = [
  '<f2',
  '<f4',
  '<f8',
  '|i1',
  '<i2',
  '<i4',
  '<i8',
  '|u1',
  '<u2',
  '<u4',
  '<u8',
  '|b1',
  '<c8',
  '|V1',
  '<V2',
];

describe.skipIf(!hasNumpy())('python3 with numpy (skipped where it is not installed)', () => {
  test('safetensors, parsed from its description', async () => {
    const path = join(folder, 'a.safetensors');
    const dtypes = [
      'F64',
      'F32',
      'F16',
      'BF16',
      'F8_E4M3',
      'F8_E5M2',
      'F8_E8M0',
      'F6_E2M3',
      'F6_E3M2',
      'F4',
      'I64',
      'BOOL',
    ];
    const written = await write(path, 'safetensors', plans(dtypes));
    expect(JSON.parse(python(safetensors, path))).toEqual(written);
    expect(await readHere(path)).toEqual(written);
  });

  test('.npz', async () => {
    const path = join(folder, 'a.npz');
    const written = await write(path, 'npz', plans(npyTypes));
    expect(byNumpy(path)).toEqual([written]);
    expect(await readHere(path)).toEqual(written);
  });

  test('.npy of every type', async () => {
    const paths = npyTypes.map((dtype) => join(folder, dtype.slice(1), 'one.npy'));
    const written: Read[][] = [];
    for (const [i, path] of paths.entries()) {
      await mkdir(dirname(path));
      written.push(await write(path, 'npy', [{ name: 'one', dtype: npyTypes[i] ?? '', shape: [3, 5] }]));
    }
    expect(byNumpy(...paths)).toEqual(written);
    expect(await Promise.all(paths.map(readHere))).toEqual(written);
  });

  test('files that numpy.savez and numpy.savez_compressed write', async () => {
    const paths = [join(folder, 'plain.npz'), join(folder, 'compressed.npz')];
    python(
      `import sys, numpy
arrays = dict(x=numpy.arange(60000.).reshape(3, -1), y=numpy.int8(3))
numpy.savez(sys.argv[1], **arrays)
numpy.savez_compressed(sys.argv[2], **arrays)`,
      ...paths,
    );
    expect(await Promise.all(paths.map(readHere))).toEqual(byNumpy(...paths));
  });

  test('an array in Fortran order has the elements that numpy shows', async () => {
    const paths = ['fortran.npy', 'c.npy'].map((name) => join(folder, name));
    python(
      `import sys, numpy
array = numpy.arange(2 * 3 * 4, dtype='<f4').reshape(2, 3, 4)
numpy.save(sys.argv[1], numpy.asfortranarray(array))
numpy.save(sys.argv[2], array)`,
      ...paths,
    );
    const [fortran, c] = await Promise.all(
      paths.map(async (path) => {
        const { file, close } = await openTensors(path);
        const [entry] = file.tensors;
        if (entry === undefined) throw new Error('one tensor');
        const bytes = await readBytes(file.data(entry), 0, entry.byteLength);
        await close();
        return [...bytes];
      }),
    );
    expect(fortran).toEqual(c);
  });

  test('big-endian arrays are read', async () => {
    const path = join(folder, 'big.npy');
    python(`import sys, numpy\nnumpy.save(sys.argv[1], numpy.array([1, -2, 0.5], dtype='>f4'))`, path);
    const { file, close } = await openTensors(path);
    const [entry] = file.tensors;
    if (entry === undefined) throw new Error('one tensor');
    const bytes = await readBytes(file.data(entry), 0, entry.byteLength);
    await close();
    expect([...new Float32Array(bytes.buffer)]).toEqual([1, -2, 0.5]);
  });

  test('files that ptxlab has no equivalent for are rejected', async () => {
    const arrays = {
      'numpy.ones(3, dtype=object)': 'unsupported',
      "numpy.ones(3, dtype=[('a', 'f4')])": 'unsupported',
    };
    const paths = Object.keys(arrays).map((_, i) => join(folder, `bad${i}.npy`));
    python(
      `import sys, numpy
for path, array in zip(sys.argv[1:], [${Object.keys(arrays)}]): numpy.save(path, array)`,
      ...paths,
    );
    const codes = paths.map((path) => openTensors(path).catch((error: TensorFileError) => error.code));
    expect(await Promise.all(codes)).toEqual(Object.values(arrays));
  });
});

test.each(['<f4', '<f8', '|i1', '<u2', '<i4', '<u8'])('.npy of %s, read by npyjs', async (dtype) => {
  const path = join(folder, 'js.npy');
  const [written] = await write(path, 'npy', [{ name: 'js', dtype, shape: [3, 5] }]);
  const { data, shape } = parse(new Uint8Array(await readFile(path)).buffer);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  expect(['js', shape, digest(bytes)]).toEqual(written);
  await rm(path);
});
