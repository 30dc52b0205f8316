/** Warnings about the contents of tensor files. */
import { printable } from '../diagnostics/renderers/printable.ts';
import type { Model } from '../tensors/checkpoints/model-tensors.ts';
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

/** Descriptions of everything that is unusual about a file's tensors, one phrase each. */
export function modelWords({ file, lookAlikes }: Model): readonly string[] {
  const odd = lookAlikes.map(({ name, words }) => `${printable(name)} ${words}`);
  const leftOut = (file.unreadable ?? []).map(({ reason }) => `left out: ${printable(reason)}`);
  return [...unlistedWords(file.unlisted ?? []), ...leftOut, ...odd];
}

/** The maximum number of names that are shown from a list. */
const mostNames = 3;

function unlistedWords(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const [are, them] =
    names.length === 1 ? ['tensor of its files is', 'it is'] : ['tensors of its files are', 'they are'];
  return [`${countText(names.length)} ${are} not listed in the index, so ${them} left out: ${someNames(names)}`];
}

/** The first names in a list, as text. */
export function someNames(names: readonly string[]): string {
  const more = names.length > mostNames ? ['…'] : [];
  return [...names.slice(0, mostNames).map(printable), ...more].join(', ');
}

/** The text of a warning, such as `w has 3 NaN and 1 infinity`. */
export function nonFiniteWords(name: string, nans: number, infinities: number): string {
  const infinite = `${countText(infinities)} ${infinities === 1 ? 'infinity' : 'infinities'}`;
  const counts = [...(nans > 0 ? [`${countText(nans)} NaN`] : []), ...(infinities > 0 ? [infinite] : [])];
  return `${printable(name)} has ${counts.join(' and ')}`;
}
