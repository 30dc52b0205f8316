/** Warnings about the contents of tensor files. */
import { printable } from '../diagnostics/renderers/printable.ts';
import type { LookAlike } from '../tensors/checkpoints/look-alikes.ts';
import { write } from './output.ts';
import type { OutputStream } from './session.ts';
import { countText } from './number-text.ts';

/** The maximum number of warnings of one kind that are printed. If there are more, the rest are only counted. */
const most = 5;

/** Writes warnings about a file. */
export async function warn(output: OutputStream, path: string, words: readonly string[]): Promise<void> {
  for (const one of words.slice(0, most)) await write(output, `ptxlab: warning: ${path}: ${one}\n`);
  const more = words.length - most;
  if (more > 0) await write(output, `ptxlab: warning: ${path}: and ${countText(more)} more of this kind\n`);
}

export function lookAlikeWords(lookAlikes: readonly LookAlike[]): readonly string[] {
  return lookAlikes.map(({ name, words }) => `${printable(name)} ${words}`);
}

/** The text of a warning, such as `w has 3 NaN and 1 infinity`. */
export function nonFiniteWords(name: string, nans: number, infinities: number): string {
  const infinite = `${countText(infinities)} ${infinities === 1 ? 'infinity' : 'infinities'}`;
  const counts = [...(nans > 0 ? [`${countText(nans)} NaN`] : []), ...(infinities > 0 ? [infinite] : [])];
  return `${printable(name)} has ${counts.join(' and ')}`;
}
