/** The output of `diff --json` for two modules. */
import {
  type BlockDiff,
  type BlockOutline,
  demangle,
  type Document,
  type FunctionDiff,
  type FunctionPlace,
  type LineDiff,
} from '../../analysis.ts';
import { countsOf } from './module-facts.ts';
import type { ModuleFilesDiff } from './module-files-diff.ts';

export function moduleDiffJson(diff: ModuleFilesDiff): object {
  const { files, declarations, functions, onlyInA, onlyInB, mnemonics } = diff;
  const { a, b } = files;
  return {
    a: { file: a.path, functions: a.document.functions().length },
    b: { file: b.path, functions: b.document.functions().length },
    same: diff.isSame,
    declarations,
    functions: functions.map((one) => functionJson(one, a.document, b.document)),
    onlyInA: onlyInA.map(nameJson),
    onlyInB: onlyInB.map(nameJson),
    unread: diff.unread.map(nameJson),
    mnemonics,
  };
}

function nameJson({ name }: FunctionPlace): object {
  return { name, demangled: demangle(name) };
}

function functionJson(diff: FunctionDiff, a: Document, b: Document): object {
  const { declarations, mnemonics, blocks } = diff;
  return {
    a: nameJson(diff.a),
    b: nameJson(diff.b),
    kind: diff.a.entry ? 'kernel' : 'function',
    same: diff.isSame,
    instructions: countsOf(diff),
    declarations,
    mnemonics,
    blocks: blocks.map((block) => blockJson(block, a, b)),
  };
}

/** The lines that differ; equal lines are omitted. */
function blockJson({ a: inA, b: inB, lines }: BlockDiff, a: Document, b: Document): object {
  return {
    a: inA === null ? null : placeJson(inA, a),
    b: inB === null ? null : placeJson(inB, b),
    lines: lines.filter(({ kind }) => kind !== 'same').map((line) => lineJson(line, a, b)),
  };
}

function placeJson({ start, labels, instructions }: BlockOutline, document: Document): object {
  return { line: document.position(start).line, labels, instructions };
}

function lineJson({ kind, a: inA, b: inB }: LineDiff, a: Document, b: Document): object {
  const textIn = (document: Document, span: LineDiff['a']): object | null =>
    span === null
      ? null
      : { line: document.position(span.start).line, text: oneLine(document.slice(span.start, span.end)) };
  return { kind, a: textIn(a, inA), b: textIn(b, inB) };
}

/** An instruction on one line, without comments. */
export function oneLine(text: string): string {
  return text
    .replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
