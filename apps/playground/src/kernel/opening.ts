/**
 * Determines which kernel a `<ptx-kernel>` opens: the one in the `project` property, in a link, in a file or in the
 * text of the element, or else an example.
 */
import { damagedLink } from '../shell/link-problem.ts';
import type { Facts } from './document-worker.ts';
import { example } from './example.ts';
import { extentsOf, firstLaunch, type Launch } from './launch.ts';
import { type Project, readLink } from './link.ts';

/**
 * The properties of a `<ptx-kernel>` that specify what to open. Properties that are not set are null, except for
 * `link`, which is then an empty string.
 */
export interface Wanted {
  readonly link: string;
  readonly src: string | null;
  readonly project: Project | null;
  readonly entry: string | null;
  readonly grid: string | null;
  readonly block: string | null;
}

export interface Opening {
  readonly text: string;
  readonly launch: Launch;
  /** One sentence for each property that could not be used. */
  readonly note: string;
}

/** @param ownText The PTX written inside the element; null if there is none. */
export async function openingOf(wanted: Wanted, ownText: string | null): Promise<Opening> {
  const { link, src } = wanted;
  const linked = await readLink(link);
  const project = wanted.project ?? linked;
  const file = linked !== null || src === null ? null : await textAt(src);
  const problems = [
    link.length > 1 && linked === null ? damagedLink('kernel') : '',
    src !== null && linked === null && file === null
      ? `${src} could not be loaded. A different kernel is shown instead.`
      : '',
    complaint('grid', wanted.grid),
    complaint('block', wanted.block),
  ];
  return {
    text: project?.source ?? file ?? ownText ?? example,
    launch: withExtents(project === null ? { ...firstLaunch, entry: wanted.entry ?? '' } : launchOf(project), wanted),
    note: problems.filter((sentence) => sentence !== '').join(' '),
  };
}

/** The settings of a project's launch. They do not include the project's text, because the editor keeps it. */
function launchOf({ entry, grid, block, sharedBytes, args }: Project): Launch {
  return { entry, grid, block, sharedBytes, args };
}

/** Replaces the extents of the launch with those that the properties specify. */
export function withExtents(launch: Launch, { grid, block }: Pick<Wanted, 'grid' | 'block'>): Launch {
  return { ...launch, grid: extentsOf(grid ?? '') ?? launch.grid, block: extentsOf(block ?? '') ?? launch.block };
}

function complaint(name: string, extents: string | null): string {
  return extents === null || extentsOf(extents) !== null
    ? ''
    : `${name}="${extents}" is not valid. Give one to three extents, such as 32 or 8,4.`;
}

/** Null if the file cannot be loaded. */
async function textAt(src: string): Promise<string | null> {
  try {
    const answer = await fetch(new URL(src, document.baseURI));
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/**
 * Returns the PTX in a `<pre>` or `<script>` inside an element, without the indentation that all of its lines share;
 * null if there is no such text.
 */
export function writtenIn(element: Element): string | null {
  const holder = element.querySelector('pre, script');
  const text = withoutIndentation(holder?.textContent ?? '');
  return text === '' ? null : text;
}

/** Removes empty lines at the start and end of the text, and the indentation that all of its lines share. */
export function withoutIndentation(text: string): string {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const shared = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
  return shared === Infinity ? '' : `${lines.map((line) => line.slice(shared)).join('\n')}\n`;
}

/** Returns a message if the given entry or target does not exist, and an empty string otherwise. */
export function unknownNames(entry: string | null, target: string | null, { kernels, targets }: Facts): string {
  const isKnown = target === null || targets.some(({ name }) => name === target);
  const hasEntry = entry === null || kernels.length === 0 || kernels.some(({ name }) => name === entry);
  return (isKnown ? '' : ` ${target} is not a target.`) + (hasEntry ? '' : ` There is no kernel named ${entry}.`);
}
