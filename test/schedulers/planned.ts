/**
 * Creates plans for schedulers to run. Also produces the same files in a single process, without a plan, so that tests
 * can compare them with the results of the schedulers.
 */
import { randomFillSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { scratchIn, spawned } from '../cli/ptxlab.ts';
import { putSafetensors, tensor } from '../cli/tensor-files.ts';
import { path } from './slurm-node.ts';

/** A note such as ` (skipped: no slurmd)`; empty if all programs are installed. */
export function lacking(...programs: readonly string[]): string {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const missing = programs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;
}

/** Runs ptxlab, which must succeed. */
export async function succeed(...args: readonly string[]): Promise<void> {
  expect(await spawned(args)).toMatchObject({ code: 0 });
}

export const conversions: readonly string[] = ['cvt.rn.f16.f32', 'cvt.rn.satfinite.e4m3x2.f32'];

export interface Planned {
  readonly plan: string;
  /** Merges the plan. */
  readonly merged: () => Promise<Buffer>;
  /** The file that a single process writes without a plan. */
  readonly single: () => Promise<Buffer>;
}

export async function plannedSweep(folder: string, shards: number, scheduler: string): Promise<Planned> {
  const place = scratchIn(folder);
  const plan = join(place, 'plan');
  await succeed('plan', 'sweep', ...conversions, '--shards', `${shards}`, '--out', plan, '--for', scheduler);
  return {
    plan,
    merged: () => written(join(place, 'merged.json'), (out) => ['merge', plan, '--out', out]),
    single: () =>
      written(join(place, 'single.json'), (out) => ['sweep', ...conversions, '--threads', '1', '--out', out]),
  };
}

/**
 * Plans the conversion of a tensor that consists of sixteen pieces. The whole tensor must be read before its scales are
 * known.
 */
export async function plannedConversion(folder: string, shards: number, scheduler: string): Promise<Planned> {
  const place = scratchIn(folder);
  const plan = join(place, 'plan');
  const halves = randomFillSync(new Uint16Array(4096 * 4096)).map((bits) => bits & 0xbfff);
  const model = putSafetensors(place, 'model.safetensors', {
    'big.weight': tensor('F16', [4096, 4096], halves),
    'small.weight': tensor('F16', [32, 64], halves.subarray(0, 2048)),
  });
  const choice = ['--to', 'nvfp4'];
  await succeed('plan', 'convert', model, ...choice, '--shards', `${shards}`, '--out', plan, '--for', scheduler);
  return {
    plan,
    merged: () => written(join(place, 'merged.safetensors'), (out) => ['merge', plan, '--out', out]),
    single: () => written(join(place, 'single.safetensors'), (out) => ['convert', model, out, ...choice]),
  };
}

async function written(out: string, args: (out: string) => readonly string[]): Promise<Buffer> {
  await succeed(...args(out));
  return readFileSync(out);
}
