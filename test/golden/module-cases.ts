/**
 * Cases of `test/golden/modules`: modules with the verdicts of ptxas 13.0. The README in that folder describes the
 * format.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface ModuleCase {
  readonly title: string;
  readonly version: string;
  readonly target: string;
  /** The header line and the text below it, as they are written in the file. */
  readonly input: string;
  /** The module itself. */
  readonly source: string;
  /** `accepted`, `warning: …` or `error: …`. */
  readonly verdict: string;
}

const registers =
  '.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;';

export const folder: URL = new URL('modules/', import.meta.url);

export function caseFiles(): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.txt'));
}

export function readCases(file: string): readonly ModuleCase[] {
  const [, ...parts] = readFileSync(new URL(file, folder), 'utf8').split(/^# /m);
  return parts.map(readCase);
}

function readCase(part: string): ModuleCase {
  const end = part.indexOf('\n');
  const [input = '', verdict = ''] = part.slice(end + 1).split(/^==>\n/m);
  const [, header = '', text = ''] = /^(.*)\n([\s\S]*)$/.exec(input) ?? [];
  const [version = '', target = '', size = '-'] = header.split(' ');
  const body = /^body\n([\s\S]*)$/.exec(text)?.[1];
  const module = body === undefined ? text : `.entry k() {\n${registers}\n${body}ret;\n}\n`;
  const sizeLine = size === '-' ? '' : `.address_size ${size}\n`;
  const source = `.version ${version}\n.target ${target}\n${sizeLine}${module}`;
  return { title: part.slice(0, end), version, target, input, source, verdict: verdict.trim() };
}
