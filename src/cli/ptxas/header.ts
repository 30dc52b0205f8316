/**
 * Checks for the directives that ptxas requires at the beginning of a module. If one of them is missing, ptxas reports
 * no other errors.
 */
import type { SourceText } from '../../base/source-text.ts';

/**
 * The message about the first directive that is missing from the beginning of the module, and the number of the line on
 * which the directive was expected. Null if both directives are present, or if the module is empty.
 */
export function headerFault(source: SourceText): { readonly line: number; readonly text: string } | null {
  const { text, name } = source;
  const first = wordAfter(text, 0);
  if (first === text.length) return null;
  const version = versionAt(text, first);
  if (version !== null && isTarget(text, version)) return null;
  const missing = version === null ? '.version' : '.target';
  const { line } = source.position(wordAfter(text, version ?? afterTargets(text, first)));
  return {
    line,
    text: `ptxas ${name}, line ${line}; fatal   : Missing ${missing} directive at start of file '${name}'`,
  };
}

/** Skips white space and comments, and returns the offset at which the next word begins. */
function wordAfter(text: string, from: number): number {
  const gaps = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
  gaps.lastIndex = from;
  return from + (gaps.exec(text)?.[0].length ?? 0);
}

/**
 * The end of the `.version` directive that begins at the given offset; null if there is none. The directive must be on
 * a single line.
 */
function versionAt(text: string, at: number): number | null {
  const directive = /\.version[ \t]+\d+\.\d+/y;
  directive.lastIndex = at;
  return directive.test(text) ? directive.lastIndex : null;
}

/** The end of a `.target` directive. ptxas reads this directive before it reports that `.version` is missing. */
function afterTargets(text: string, at: number): number {
  const directive = /\.target\s+sm_\w+(\s*,\s*\w+)*/y;
  directive.lastIndex = at;
  return directive.test(text) ? directive.lastIndex : at;
}

function isTarget(text: string, version: number): boolean {
  return /^\.target(?![\w$])/.test(text.slice(wordAfter(text, version)));
}
