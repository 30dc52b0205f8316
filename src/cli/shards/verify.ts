/** Checks the results of shards completely, which takes longer than reading them. */
import type { Plan } from './manifest.ts';
import type { Found } from './results.ts';

/**
 * Reads the data of a result as well, which `readResult` does not. Only conversions have data; the results of other
 * plans are checked completely when they are read.
 */
export async function verifiedResult(plan: Plan, found: Found): Promise<Found> {
  if (found.kind !== 'done' || plan.manifest.what.command !== 'convert') return found;
  return (await import('./convert-data.ts')).verifiedData(plan, found);
}
