/**
 * Compiles the modules of jobs with the installed ptxas and packs the jobs for run-jobs.cpp, or adds the results to the
 * jobs.
 *
 * tsx tools/hardware/pack.ts pack JOBS.jsonl[.gz] JOBS.bin [--sm 90a]
 * tsx tools/hardware/pack.ts unpack JOBS.jsonl[.gz] RESULTS.bin RECORDED.jsonl.gz [--date YYYY-MM-DD]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TensorElement, TextureAddressMode } from '../../src/device.ts';
import { scratchFolder } from '../../test/bench/scratch-folder.ts';
import type {
  Job,
  JobArgument,
  Recorded,
  Recorder,
  SurfaceArgument,
  TensorMapArgument,
  TextureArgument,
  Triple,
} from '../../test/hardware/job.ts';
import { readLines } from '../../test/hardware/read-lines.ts';

// --- the driver's numbers ---------------------------------------------------------------------------------------------

const elementTypes: Readonly<Record<TensorElement, readonly [code: number, bits: number]>> = {
  u8: [0, 8],
  u16: [1, 16],
  u32: [2, 32],
  s32: [3, 32],
  u64: [4, 64],
  s64: [5, 64],
  f16: [6, 16],
  f32: [7, 32],
  f64: [8, 64],
  bf16: [9, 16],
  'f32.ftz': [10, 32],
  tf32: [11, 32],
  'tf32.ftz': [12, 32],
  b4x16: [13, 4],
  b4x16_p64: [14, 4],
  b6x16_p32: [15, 6],
};
const swizzles = { 0: 0, 32: 1, 64: 2, 96: 7, 128: 3 } as const;
const atoms = { 16: 3, 32: 4, '32-flip-8': 5, 64: 6 } as const;
const texelTypes = { u8: 1, u16: 2, u32: 3, s8: 8, s16: 9, s32: 10, f16: 16, f32: 32 } as const;
const addressModes: Readonly<Record<TextureAddressMode, number>> = { wrap: 0, clamp: 1, mirror: 2, border: 3 };
const filters = { point: 0, linear: 1 } as const;
const layered = 1;
const cubemap = 4;
const readAsInteger = 1;
const normalizedCoordinates = 2;

// --- packing ----------------------------------------------------------------------------------------------------------

class Writer {
  private readonly parts: Uint8Array[] = [];

  u32(...values: readonly number[]): this {
    this.parts.push(new Uint8Array(Uint32Array.from(values).buffer));
    return this;
  }

  u64(...values: readonly number[]): this {
    this.parts.push(new Uint8Array(BigUint64Array.from(values, BigInt).buffer));
    return this;
  }

  f32(...values: readonly number[]): this {
    this.parts.push(new Uint8Array(Float32Array.from(values).buffer));
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.u32(bytes.length);
    this.parts.push(bytes);
    return this;
  }

  all(): Uint8Array {
    return Buffer.concat(this.parts);
  }
}

const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

function packArgument(to: Writer, argument: JobArgument): void {
  switch (argument.kind) {
    case 'scalar':
      to.u32(0).bytes(fromHex(argument.bytes));
      return;
    case 'buffer':
      to.u32(1, argument.size)
        .bytes(fromHex(argument.bytes ?? ''))
        .u32(argument.returned === true ? 1 : 0);
      return;
    case 'tensorMap':
      packTensorMap(to, argument);
      return;
    case 'texture':
      packTexture(to, argument);
      return;
    case 'surface':
      to.u32(4);
      packTexels(to, argument);
      return;
  }
}

function packTensorMap(to: Writer, { buffer, options, byPointer }: TensorMapArgument): void {
  const { dimensions, im2col, box, swizzle = 0, swizzleAtom = 16 } = options;
  const rank = dimensions.length;
  const [code, bits] = elementTypes[options.type];
  let stride = ((dimensions[0] ?? 0) * bits) / 8;
  const packed = dimensions.slice(1).map((count) => {
    const found = stride;
    stride *= count;
    return found;
  });
  to.u32(2, buffer, code, rank)
    .u64(...dimensions)
    .u64(...(options.strides ?? packed));
  to.u32(...(options.elementStrides ?? dimensions.map(() => 1)));
  if (im2col === undefined) to.u32(0, ...(box ?? []));
  else to.u32(1, ...im2col.lowerCorner, ...im2col.upperCorner, im2col.channelsPerPixel, im2col.pixelsPerColumn);
  to.u32(swizzle === 128 ? atoms[swizzleAtom] : swizzles[swizzle]);
  to.u32(options.fill === 'nan' ? 1 : 0, byPointer === true ? 1 : 0);
}

function packTexels(to: Writer, { buffer, options }: TextureArgument | SurfaceArgument): void {
  const [width = 0, height = 0, depth = 0] = options.size;
  const layers = (options.layers ?? 0) * (options.cube === true ? 6 : 1);
  const flags = (options.layers === undefined ? 0 : layered) + (options.cube === true ? cubemap : 0);
  const slices = layers > 0 ? layers : options.cube === true ? 6 : depth;
  const levels = 'levels' in options ? (options.levels ?? 1) : 1;
  to.u32(buffer, texelTypes[options.type], options.channels ?? 1, width, height, slices, flags, levels);
}

function packTexture(to: Writer, argument: TextureArgument): void {
  const { options } = argument;
  to.u32(3);
  packTexels(to, argument);
  const { addressMode = 'clamp', filter = 'point', levelFilter = 'point', border = [] } = options;
  const modes = typeof addressMode === 'string' ? [addressMode, addressMode, addressMode] : addressMode;
  to.u32(...[0, 1, 2].map((i) => addressModes[modes[i] ?? 'clamp']), filters[filter], filters[levelFilter]);
  to.f32(options.levelBias ?? 0, options.leastLevel ?? 0, options.greatestLevel ?? (options.levels ?? 1) - 1);
  to.f32(...[0, 1, 2, 3].map((i) => border[i] ?? 0));
  const readsIntegers = /^[us]/.test(options.type) && options.normalizedTexels !== true;
  to.u32((readsIntegers ? readAsInteger : 0) + (options.normalizedCoordinates === true ? normalizedCoordinates : 0));
}

function packJob(to: Writer, job: Job, module: number): void {
  const none: Triple = [0, 0, 0];
  to.u32(module).bytes(Buffer.from(job.kernel));
  to.u32(...job.grid, ...job.block, ...(job.cluster ?? none), job.shared ?? 0, job.args.length);
  for (const argument of job.args) packArgument(to, argument);
}

/** Compiles a module; returns null if ptxas refuses it. */
function compile(source: string, sm: string, folder: string): Uint8Array | null {
  const [input, output] = [join(folder, 'm.ptx'), join(folder, 'm.cubin')];
  writeFileSync(input, source);
  const run = spawnSync('ptxas', [`-arch=sm_${sm}`, input, '-o', output], { encoding: 'utf8' });
  if (run.status === 0) return readFileSync(output);
  console.error(run.stderr);
  return null;
}

function pack(jobs: readonly Job[], sm: string): Uint8Array {
  const folder = scratchFolder();
  const modules = new Map<string, number>();
  const compiled = new Writer();
  const packed = new Writer();
  for (const job of jobs) {
    let module = modules.get(job.source);
    if (module === undefined) {
      module = modules.size;
      const code = compile(job.source, sm, folder);
      if (code === null) throw new Error(`ptxas refuses the module of job '${job.id}'`);
      compiled.bytes(code);
      modules.set(job.source, module);
    }
    packJob(packed, job, module);
  }
  return Buffer.concat([
    new Writer().u32(modules.size).all(),
    compiled.all(),
    new Writer().u32(jobs.length).all(),
    packed.all(),
  ]);
}

// --- unpacking --------------------------------------------------------------------------------------------------------

class Reader {
  private readonly view: DataView;
  private at = 0;

  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  hexes(): readonly string[] {
    return Array.from({ length: this.u32() }, () => this.part().toString('hex'));
  }

  part(): Buffer {
    const length = this.u32();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function unpack(jobs: readonly Job[], results: Buffer, date: string): readonly (Recorder | Recorded)[] {
  const reader = new Reader(results);
  const recorder: Recorder = { device: reader.part().toString(), driver: reader.u32(), sm: reader.u32(), date };
  const recorded = jobs.map((job): Recorded => {
    const status = reader.u32() | 0;
    const [buffers, maps] = [reader.hexes(), reader.hexes()];
    return { ...job, result: status === 0 ? buffers : status, ...(maps.length > 0 && { maps }) };
  });
  return [recorder, ...recorded];
}

// --- files ------------------------------------------------------------------------------------------------------------

const readJobs = (path: string): readonly Job[] => readLines(path).map((line): Job => JSON.parse(line));

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function main(): void {
  const [verb, first, second, third] = process.argv.slice(2);
  if (verb === 'pack' && first !== undefined && second !== undefined) {
    writeFileSync(second, pack(readJobs(first), option('--sm') ?? '90a'));
  } else if (verb === 'unpack' && first !== undefined && second !== undefined && third !== undefined) {
    const date = option('--date') ?? new Date().toISOString().slice(0, 10);
    const lines = unpack(readJobs(first), readFileSync(second), date).map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(third, gzipSync(lines.join('')));
  } else {
    console.error('usage: pack.ts pack JOBS JOBS.bin [--sm 90a] | pack.ts unpack JOBS RESULTS.bin RECORDED [--date D]');
    process.exitCode = 2;
  }
}

main();
