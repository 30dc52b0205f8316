/** Reads a command line as ptxas 13.0 does: with the same options and the same messages for mistakes. */
import { splitWords } from './option-words.ts';
import { type OptionRow, optionRows } from './option-rows.ts';

/** The parsed command line. */
export interface ReadOptions {
  readonly files: readonly string[];
  /**
   * The last value of each option that was given, keyed by the option's long name; '' for an option that takes no
   * value.
   */
  readonly values: ReadonlyMap<string, string>;
  /** The source text of each module that is given with `-ias`; this option may occur several times. */
  readonly strings: readonly string[];
  /** Warnings, without prefix. */
  readonly warnings: readonly string[];
}

/** A mistake in the options, with ptxas's wording but without its prefix. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** Reads the contents of an options file; null if it cannot be opened. */
export type ReadOptionsFile = (path: string) => string | null;

const byLong: ReadonlyMap<string, OptionRow> = new Map(optionRows.map((row) => [row.long, row]));
const byShort: ReadonlyMap<string, OptionRow> = new Map(optionRows.map((row) => [row.short, row]));

/** Options whose value may follow without a space, such as `-O3`. */
const joined: ReadonlySet<string> = new Set(['O', 'm']);

const maximumFiles = 64;

/**
 * @throws OptionError for an unknown option, an invalid value of an option, or an options file that cannot be
 *   opened
 */
export function readOptions(args: readonly string[], readFile: ReadOptionsFile): ReadOptions {
  const files: string[] = [];
  const strings: string[] = [];
  const warnings: string[] = [];
  const values = new Map<string, string>();
  const words = [...args];
  let optionFiles = 0;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') {
      files.push(word);
      continue;
    }
    const { row, name, own } = optionOf(word);
    const value = valueOf(row, name, own, words);
    checkValue(row, value);
    switch (row.long) {
      case 'options-file':
        for (const path of value.split(',')) {
          if (++optionFiles > maximumFiles) throw new OptionError(`Could not open options file '${path}'`);
          words.unshift(...wordsIn(path, readFile));
        }
        break;
      case 'input-as-string':
        strings.push(value);
        break;
      default: {
        const before = values.get(row.long);
        if (before !== undefined && before !== value)
          warnings.push(`incompatible redefinition for option '${row.long}', the last value of this option was used`);
        values.set(row.long, value);
      }
    }
  }
  return { files, values, strings, warnings };
}

interface FoundOption {
  readonly row: OptionRow;
  /** The option as written, with its dashes. */
  readonly name: string;
  /** The value in the same word, after the `=`; null if there is none. */
  readonly own: string | null;
}

function optionOf(word: string): FoundOption {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const own = equals < 0 ? null : word.slice(equals + 1);
  const row = name.startsWith('--') ? byLong.get(name.slice(2)) : byShort.get(name.slice(1));
  if (row !== undefined) return { row, name, own };
  const letter = word.slice(1, 2);
  const short = joined.has(letter) ? byShort.get(letter) : undefined;
  if (short === undefined || name.startsWith('--')) throw new OptionError(`Unknown option '${name.slice(1)}'`);
  return { row: short, name: `-${letter}`, own: word.slice(2) };
}

function valueOf({ long, value }: OptionRow, name: string, own: string | null, words: string[]): string {
  if (value.kind === 'nothing') {
    if (own !== null) throw new OptionError(`no argument expected after '${name}'`);
    return '';
  }
  // A number sets the optimization level only if it is in the same word as the option, as in `-O3`. A separate
  // number is taken as the name of an input file, so `-O 3` reads the file named 3.
  if (own === null && long === 'opt-level') return '3';
  const found = own ?? words.shift();
  if (found === undefined) throw new OptionError(`argument expected after '${name}'`);
  return found;
}

function checkValue({ long, short, value }: OptionRow, found: string): void {
  switch (value.kind) {
    case 'nothing':
    case 'text':
    case 'list':
      return;
    case 'number':
      if (!/^\d+$/.test(found)) throw new OptionError(`'${found}': expected a number`);
      return;
    case 'boolean':
      if (found !== 'true' && found !== 'false') throw new OptionError(`'${found}': expected true or false`);
      return;
    case 'registers':
      if (!/^(\d+|archmax|archmin)$/.test(found))
        throw new OptionError(`Invalid value '${found}' for option '${long}'`);
      return;
    case 'one of':
      if (value.values.includes(found)) return;
      if (long === 'Ofast-compile')
        throw new OptionError(`Invalid value for --${long}/-${short} (${found}), is not 'max', 'mid', 'min', or '0'`);
      throw new OptionError(`Value '${found}' is not defined for option '${long}'`);
  }
}

function wordsIn(path: string, readFile: ReadOptionsFile): readonly string[] {
  const text = readFile(path);
  if (text === null) throw new OptionError(`Could not open options file '${path}'`);
  return splitWords(text);
}
