/**
 * Resolves the source positions that `.loc` assigns to the instructions after it, using `.file` and the strings in
 * `.debug_str`.
 */
import type { SourcePlace } from '../base/source-place.ts';
import type { InlinedAt, LocationDirective } from '../syntax/tree.ts';
import { keyOf, type SourcePosition } from './declarations/debug-places.ts';

/** The parts of a module that are needed to resolve source positions. */
export interface DebugNames {
  /** Source file names by file number. */
  readonly files: ReadonlyMap<number, string>;
  /** The `.section` items as written. */
  readonly sections: readonly string[];
}

/** Follows the `.loc` directives of one function. */
export class SourcePlaces {
  private readonly names: DebugNames;
  /**
   * The positions that have been read so far. Compilers write the position of a call before the positions of the code
   * that was inlined there, so the position of the call is already in this map when the inlined code refers to it.
   */
  private readonly known = new Map<string, SourcePlace>();
  private readonly functions = new Map<string, string | null>();

  constructor(names: DebugNames) {
    this.names = names;
  }

  /** Returns the position of a `.loc`; null for line 0, which means that no line is known. */
  read(location: LocationDirective): SourcePlace | null {
    const { file, line, column, inlined } = location;
    if (line === 0) return null;
    const name = this.names.files.get(file) ?? `file ${file}`;
    const place: SourcePlace = {
      file: name,
      line,
      column,
      inlined: inlined === null ? null : { function: this.functionOf(inlined), at: this.at(inlined) },
    };
    this.known.set(keyOf(location), place);
    return place;
  }

  private functionOf(inlined: InlinedAt): string | null {
    const key = `${inlined.functionName}+${inlined.functionOffset}`;
    const known = this.functions.get(key);
    if (known !== undefined) return known;
    const found = debugString(this.names.sections, inlined);
    this.functions.set(key, found);
    return found;
  }

  private at(position: SourcePosition): SourcePlace {
    const { file, line, column } = position;
    const known = this.known.get(keyOf(position));
    return known ?? { file: this.names.files.get(file) ?? `file ${file}`, line, column, inlined: null };
  }
}

/** Returns the zero-terminated string at an offset from a label in a debug section. */
function debugString(sections: readonly string[], { functionName, functionOffset }: InlinedAt): string | null {
  for (const section of sections) {
    const at = labelEnd(section, functionName);
    if (at < 0) continue;
    const bytes: number[] = [];
    // A string may continue after a label, so the bytes after later labels are collected as well.
    for (const [, list] of section.slice(at).matchAll(/\.b8\s+([\d\s,]+)/g)) {
      bytes.push(...(list ?? '').split(',').map(Number));
      if (bytes.indexOf(0, functionOffset) >= 0) break;
    }
    const end = bytes.indexOf(0, functionOffset);
    return end < 0 ? null : String.fromCharCode(...bytes.slice(functionOffset, end));
  }
  return null;
}

function labelEnd(section: string, label: string): number {
  for (let at = section.indexOf(label); at >= 0; at = section.indexOf(label, at + 1)) {
    const isWhole = !/[\w$]/.test(section[at - 1] ?? ' ') && section[at + label.length] === ':';
    if (isWhole) return at + label.length + 1;
  }
  return -1;
}
