/** Warnings about what is in tensor files. */
import { printable } from '../diagnostics/renderers/printable.ts';
import type { LookAlike } from '../tensors/checkpoints/look-alikes.ts';
import { writeError } from './output.ts';
import { countText } from './number-text.ts';

/** Lines of one kind that are printed before the rest is counted. */
const most = 5;

/** Writes warnings to stderr. */
export async function warn(path: string, words: readonly string[]): Promise<void> {
  for (const one of words.slice(0, most)) await writeError(`ptxlab: warning: ${path}: ${one}\n`);
  const more = words.length - most;
  if (more > 0) await writeError(`ptxlab: warning: ${path}: and ${countText(more)} more of this kind\n`);
}

export function lookAlikeWords(lookAlikes: readonly LookAlike[]): readonly string[] {
  return lookAlikes.map(({ name, words }) => `${printable(name)} ${words}`);
}

/** `w has 3 NaN and 1 infinity`. */
export function nonFiniteWords(name: string, nans: number, infinities: number): string {
  const infinite = `${countText(infinities)} ${infinities === 1 ? 'infinity' : 'infinities'}`;
  const counts = [...(nans > 0 ? [`${countText(nans)} NaN`] : []), ...(infinities > 0 ? [infinite] : [])];
  return `${printable(name)} has ${counts.join(' and ')}`;
}
