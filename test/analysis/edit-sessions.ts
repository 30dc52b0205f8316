/**
 * Random edits to real modules: typing and removing lines, pasting text, undoing edits, opening and closing comments,
 * moving groups of lines, and replacing longer passages. A session starts with the text of a module and makes a series
 * of edits that are derived from a seed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { randomSource } from '../kernels/reference.ts';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const folders = ['../../examples/kernels/', '../kernels/cuda/', '../kernels/compilers/'];

/** Real modules produced by compilers, from the smallest to the largest. */
export const realModules: readonly string[] = folders
  .map((path) => new URL(path, import.meta.url))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ptx'))
      .sort()
      .map((name) => readFileSync(new URL(name, folder), 'latin1')),
  )
  .toSorted((a, b) => a.length - b.length);

const lines = `
add.s32 %r1, %r2, %r3;
mov.u32 %r1, %tid.x;
@%p1 bra $L__BB0_2;
$L__BB0_2:
$L_new:
bra $L_new;
.reg .b32 %r<2>;
.reg .b32 %r<999>;
.reg .pred %p<4>;
.reg .f32 %extra;
add.f32 %extra, %extra, 0f3F800000;
.shared .align 4 .b8 tile[128];
mov.u32 %r1, tile;
.loc 1 10 3
.loc 1 11 5, function_name $L__info_string0, inlined_at 1 10 3
cvt.rn.f16.f32 %rs1, %f1;
cvt.f16.f32 %rs1, %f1;
mbarrier.init.shared.b64 [%rd1], %r1;
wgmma.fence.sync.aligned;
{
}
{ .reg .b32 %t<2>; mov.b32 %t0, 1; }
/*
*/
// a comment
ret;
.visible .entry added(.param .u64 added_0) { ret; }
.func helper(.reg .b32 %a) { ret; }
.extern .func other(.param .b32 other_0);
.global .align 4 .u32 counter = 5;
call helper, (%r1);
.version 8.0
.target sm_90
.file 9 "other.cu"
.pragma "nounroll";
"
`
  .trim()
  .split('\n');

export class EditSession {
  readonly start: string;
  private readonly random: () => number;
  private undo: Edit[] = [];

  constructor(seed: number, modules: readonly string[] = realModules) {
    this.random = randomSource(seed);
    for (let i = 0; i < 3; i++) this.random();
    this.start = this.pick(modules);
  }

  /** Returns the next edit, for a text that is the result of all earlier edits. */
  next(text: string): Edit {
    const last = this.undo.pop();
    // Most edits are undone by the next edit; otherwise, errors would accumulate in the text.
    if (last !== undefined && this.random() < 0.85) return last;
    this.undo = [];
    const edit = this.make(text);
    this.undo.push({ start: edit.start, end: edit.start + edit.text.length, text: text.slice(edit.start, edit.end) });
    return edit;
  }

  private make(text: string): Edit {
    const at = this.lineStart(text, this.below(text.length + 1));
    const end = this.lineEnd(text, at);
    const choice = this.random();
    if (choice < 0.35) return { start: at, end: at, text: `${this.pick(lines)}\n` };
    if (choice < 0.45) return { start: at, end: Math.min(end + 1, text.length), text: '' };
    if (choice < 0.65) return this.inLine(text, at, end);
    if (choice < 0.72) return this.paste(text, at);
    if (choice < 0.77) return this.move(text, at);
    if (choice < 0.85)
      return { start: at, end: this.lineEnd(text, Math.min(text.length, at + this.below(600))), text: '' };
    if (choice < 0.95)
      return { start: at, end, text: this.pick(['// ', '/*', '*/', '{', '}', '']) + text.slice(at, end) };
    return { start: at, end: this.lineEnd(text, Math.min(text.length, at + this.below(3000))), text: this.pick(lines) };
  }

  /**
   * Inserts a random character, or a word from another line, in the middle of a line. Half of the time, the inserted
   * text replaces the word at this position.
   */
  private inLine(text: string, at: number, end: number): Edit {
    const start = at + this.below(end - at + 1);
    const words = text.slice(start, end).match(/^[\w.%$]+/);
    const length = this.random() < 0.5 ? (words?.[0].length ?? 0) : 0;
    const other = this.pick(lines).split(/[ ,]+/);
    return {
      start,
      end: start + length,
      text: this.random() < 0.5 ? this.pick(Array.from('r1%.,; :{}$a"/*')) : this.pick(other),
    };
  }

  /** Inserts a copy of some lines from elsewhere in the text. */
  private paste(text: string, at: number): Edit {
    const from = this.lineStart(text, this.below(text.length + 1));
    return {
      start: at,
      end: at,
      text: text.slice(from, this.lineEnd(text, Math.min(text.length, from + this.below(2000)))),
    };
  }

  /** Swaps some lines with the lines that follow them. */
  private move(text: string, at: number): Edit {
    const start = this.lineStart(text, at);
    const middle = this.nextLine(text, Math.min(text.length, start + this.below(1500)));
    const end = this.nextLine(text, Math.min(text.length, middle + this.below(1500)));
    return { start, end, text: text.slice(middle, end) + text.slice(start, middle) };
  }

  private nextLine(text: string, offset: number): number {
    return Math.min(this.lineEnd(text, offset) + 1, text.length);
  }

  private lineStart(text: string, offset: number): number {
    return text.lastIndexOf('\n', offset - 1) + 1;
  }

  private lineEnd(text: string, offset: number): number {
    const end = text.indexOf('\n', offset);
    return end < 0 ? text.length : end;
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(values: readonly T[]): T {
    const found = values[this.below(values.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }
}

/** Returns the text after an edit. */
export function applied(text: string, { start, end, text: inserted }: Edit): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

/** Returns the first `count` edits of a session. */
export function editsOf(session: EditSession, count: number): readonly Edit[] {
  const edits: Edit[] = [];
  let text = session.start;
  while (edits.length < count) {
    const edit = session.next(text);
    edits.push(edit);
    text = applied(text, edit);
  }
  return edits;
}

/** Returns only the edits that are needed to make the test fail. */
export function shrunk(
  start: string,
  edits: readonly Edit[],
  fails: (edits: readonly Edit[]) => boolean,
): readonly Edit[] {
  let kept = edits;
  for (let i = edits.length - 1; i >= 0; i--) {
    const fewer = fitting(start, kept.toSpliced(i, 1));
    if (fails(fewer)) kept = fewer;
  }
  return kept;
}

/** Changes the offsets of edits where necessary, so that they are within the text. */
function fitting(start: string, edits: readonly Edit[]): readonly Edit[] {
  let text = start;
  return edits.map((edit) => {
    const from = Math.min(edit.start, text.length);
    const fitted = { start: from, end: Math.max(from, Math.min(edit.end, text.length)), text: edit.text };
    text = applied(text, fitted);
    return fitted;
  });
}
