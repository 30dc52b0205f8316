/**
 * Finds the source line that each finding in a module comes from, using the last `.loc` directive before the finding.
 */
import { leadingCount } from '../base/leading-count.ts';
import { elementAt } from '../base/element-at.ts';
import type { SourcePlace } from '../base/source-place.ts';
import { parseModule } from '../syntax/parser.ts';
import type { Item, Statement } from '../syntax/tree.ts';
import { SourcePlaces } from './source-places.ts';

/** The source position of all instructions between the offset `start` and the next mark. */
interface Mark {
  readonly start: number;
  readonly place: SourcePlace | null;
}

export class SourceMarks {
  private readonly marks: readonly Mark[];

  constructor(text: string) {
    this.marks = marksOf(parseModule(text).items);
  }

  /**
   * The source position of the instruction at an offset; null if no `.loc` in the same function precedes the
   * instruction.
   */
  at(offset: number): SourcePlace | null {
    const { marks } = this;
    const count = leadingCount(marks.length, (i) => elementAt(marks, i).start <= offset);
    return marks[count - 1]?.place ?? null;
  }
}

function marksOf(items: readonly Item[]): readonly Mark[] {
  const debug = items.flatMap((item) => (item.kind === 'debug' ? [item] : []));
  const files = new Map(debug.flatMap(({ file }) => (file === null ? [] : [[file.index, file.name] as const])));
  const sections = debug.flatMap(({ directive, text }) => (directive === '.section' ? [text] : []));
  return items.flatMap((item) => {
    if (item.kind !== 'function' || item.body === null) return [];
    const places = new SourcePlaces({ files, sections });
    return [{ start: item.start, place: null }, ...marksIn(item.body, places), { start: item.end, place: null }];
  });
}

function marksIn(body: readonly Statement[], places: SourcePlaces): readonly Mark[] {
  const marks: Mark[] = [];
  const open: Iterator<Statement>[] = [body.values()];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { done, value } = inner.next();
    if (done === true) open.pop();
    else if (value.kind === 'block') open.push(value.statements.values());
    else if (value.kind === 'loc') marks.push({ start: value.start, place: places.read(value) });
  }
  return marks;
}
