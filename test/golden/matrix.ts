/** Launches of matrix products whose results were recorded or modeled elsewhere (golden/matrix/README.md). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Device, type LoadedModule } from '../../src/device.ts';

export interface MatrixJob {
  readonly target: string;
  readonly gpu?: string;
  readonly mnemonic: string;
  readonly source: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly in: readonly string[];
  readonly scales: readonly string[];
  readonly out: string;
  readonly mask?: string;
}

/** The jobs of a file, in the order of its lines. */
export function matrixJobs(name: 'hardware' | 'model'): readonly MatrixJob[] {
  const file = new URL(`matrix/${name}.jsonl.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  return lines.map((line): MatrixJob => JSON.parse(line));
}

/** A range of consecutive warps of a job. */
export interface Warps {
  readonly first: number;
  readonly count: number;
}

/** A job whose module is loaded, for launches on either engine. */
export interface LoadedJob {
  readonly job: MatrixJob;
  readonly device: Device;
  readonly module: LoadedModule;
}

export async function loadJob(job: MatrixJob): Promise<LoadedJob> {
  const device = await Device.create();
  return { job, device, module: device.load(job.source) };
}

/** The number of bytes of D that differ from the expected bytes. */
export async function differences(loaded: LoadedJob, engine: 'interp' | 'jit', warps: Warps): Promise<number> {
  const { job, device, module } = loaded;
  const own = (hex: string): Uint8Array => {
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    const size = bytes.length / job.grid[0];
    return bytes.slice(size * warps.first, size * (warps.first + warps.count));
  };
  const wanted = own(job.out);
  const d = device.alloc(wanted.length);
  const buffers = (texts: readonly string[]) => texts.map((text) => device.alloc(own(text)));
  const args = [...buffers(job.in), d, ...buffers(job.scales)];
  const launch = { grid: warps.count, block: job.block, args, engine };
  const result = await module.kernel('k').launch(launch);
  if (!result.ok) throw new Error(result.fault.message);
  const mask = job.mask === undefined ? null : own(job.mask);
  const found = d.read('u8');
  return wanted.reduce((sum, byte, i) => sum + (((found[i] ?? 0) ^ byte) & (mask?.[i] ?? 0xff) ? 1 : 0), 0);
}
