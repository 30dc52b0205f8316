/**
 * Prints jobs that show what the ISA leaves open about textures and surfaces: how coordinates and levels are rounded,
 * how texels are mixed and converted, and what happens outside of a texture.
 *
 * tsx tools/hardware/jobs-textures.ts > JOBS.jsonl
 */
import type { Job } from '../../test/hardware/job.ts';
import { cubes, randomJobs } from './textures-cubes.ts';
import { formatted, reduced } from './textures-formatted.ts';
import { gradients, levels } from './textures-levels.ts';
import { codes, sums, weights } from './textures-mixing.ts';
import { gathers, integers, layers, offsets, places, residency } from './textures-places.ts';
import { allWeights, colors, fineGradients, sumsOfPlanes } from './textures-precise.ts';
import { queries, refused, riskyQueries } from './textures-queries.ts';
import { errors, straddling, surfaces } from './textures-surfaces.ts';

const groups: readonly (() => readonly Job[])[] = [
  weights,
  sums,
  codes,
  places,
  integers,
  layers,
  levels,
  gradients,
  gathers,
  offsets,
  residency,
  cubes,
  randomJobs,
  refused,
  queries,
  surfaces,
  straddling,
  formatted,
  reduced,
  allWeights,
  sumsOfPlanes,
  fineGradients,
  colors,
  riskyQueries,
  errors,
];

function main(): void {
  const jobs = groups.flatMap((group) => group());
  const ids = new Set<string>();
  for (const { id } of jobs) {
    if (ids.has(id)) throw new Error(`two jobs are called '${id}'`);
    ids.add(id);
  }
  process.stdout.write(jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
}

main();
