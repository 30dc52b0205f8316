/** Describes a fault: what happened, on which line of the PTX text and of its source, and in which thread. */
import { withDemangled } from '../../base/demangle/demangle.ts';
import type { SourceText } from '../../base/source-text.ts';
import { type Dim3, type Fault, mostRaces, type Race, type RaceAccess } from '../../device.ts';
import { catalog } from '../../diagnostics/catalog.ts';
import { framed, note } from '../../diagnostics/renderers/pretty.ts';
import { printable } from '../../diagnostics/renderers/printable.ts';
import { sourcePlaceText } from '../../diagnostics/renderers/source-place.ts';
import type { Style } from '../../diagnostics/renderers/style.ts';
import { plural } from '../number-text.ts';

/** The lines that report a fault, with carets under the instruction. */
export function faultText(fault: Fault, source: SourceText, style: Style, width: number): string {
  const { code, message, line } = fault;
  const heading = `${style.error(`fault[${code}]`)}${style.strong(`: ${printable(withDemangled(message))}`)}`;
  const notes = notesOf(fault);
  if (line === null || line < 1) {
    return `${[heading, ...notes.flatMap((one) => note(one, '', style, width))].join('\n')}\n`;
  }
  const { frame, gutter } = framed(source, spanOfLine(source, line), { paint: style.error, style, width });
  return `${[heading, ...frame, ...notes.flatMap((one) => note(one, gutter, style, width))].join('\n')}\n`;
}

/**
 * The lines that report data races. For each race, they show both instructions and the threads that executed them. If
 * there are several races between the same two lines of the original source, for example in a loop that a compiler has
 * unrolled, only the first is shown.
 */
export function racesText(races: readonly Race[], source: SourceText, style: Style, width: number): string {
  const groups = new Map<string, Race[]>();
  for (const race of races) groups.set(sourceLinesOf(race), [...(groups.get(sourceLinesOf(race)) ?? []), race]);
  const lines = [...groups.values()].flatMap(([race, ...others], i) => {
    if (race === undefined) return [];
    const { code, message, first, second } = race;
    const frames = [...new Set([first.line, second.line])].map((line) =>
      framed(source, spanOfLine(source, line), { paint: style.error, style, width }),
    );
    const notes = raceNotes(race, others, i === 0);
    return [
      `${style.error(`race[${code}]`)}${style.strong(`: ${printable(withDemangled(message))}`)}`,
      ...frames.flatMap(({ frame }) => frame),
      ...notes.flatMap((one) => note(one, frames[0]?.gutter ?? '', style, width)),
      '',
    ];
  });
  return lines.join('\n');
}

/** Identifies the two lines of a race: in the original source or, if there is no `.loc`, in the PTX text. */
function sourceLinesOf({ missing, first, second }: Race): string {
  const placeOf = ({ line, source }: RaceAccess): string =>
    source === null ? String(line) : `${source.file}:${source.line}`;
  return [missing, ...[placeOf(first), placeOf(second)].sort()].join(' ');
}

function raceNotes(
  { code, first, second, count }: Race,
  others: readonly Race[],
  isFirst: boolean,
): readonly (readonly [string, string])[] {
  const { explain, section } = catalog[code];
  const times = count === 1 ? [] : [`${count} times; this is the first`];
  const pairs = plural(others.length, 'other pair');
  const more = others.length === 0 ? [] : [`between ${pairs} of PTX lines from the same source lines`];
  return [
    ['first: ', accessText(first)],
    ['then: ', accessText(second)],
    ...[...times, ...more].map((words) => ['found: ', words] as const),
    ...(isFirst ? [['help: ', explain] as const, ['see: ', `PTX ISA 9.1, section ${section}`] as const] : []),
  ];
}

/** A line with the number of races that were found. `isWhole` is true if the kernel ran to its end. */
export function raceSummary({ length }: readonly Race[], isWhole: boolean): string {
  const found = length === 0 ? 'no data races' : plural(length, 'data race');
  const more = length < mostRaces ? '' : '; there may be more, which are not listed';
  return `found ${found}${more}${isWhole ? '' : ', until the fault'}\n`;
}

function accessText({ access, line, source, block, thread }: RaceAccess): string {
  const where = source === null ? '' : ` (${printable(sourcePlaceText(source))})`;
  return `${access} at line ${line}${where} by thread ${triple(thread)} of block ${triple(block)}`;
}

function notesOf({ code, kernel, block, thread, source }: Fault): readonly (readonly [string, string])[] {
  const inBlock = block === null ? '' : ` of block ${triple(block)}`;
  const who =
    thread === null ? (block === null ? '' : `, block ${triple(block)}`) : `, thread ${triple(thread)}${inBlock}`;
  const { explain, section } = catalog[code];
  return [
    ['kernel: ', printable(`${withDemangled(kernel)}${who}`)],
    ...(source === null ? [] : [['source: ', printable(sourcePlaceText(source))] as const]),
    ['help: ', explain],
    ...(section === null ? [] : [['see: ', `PTX ISA 9.1, section ${section}`] as const]),
  ];
}

function triple(index: Dim3): string {
  return `(${index.join(', ')})`;
}

/** The span of a line's text without its comment and without leading and trailing white space. */
function spanOfLine(source: SourceText, line: number): { readonly start: number; readonly end: number } {
  const text = source.line(line);
  const start = source.lineStart(line);
  const indent = text.length - text.trimStart().length;
  const said = text.replace(/\s*\/\/.*$/, '').trimEnd();
  return { start: start + indent, end: start + Math.max(indent, said.length) };
}
