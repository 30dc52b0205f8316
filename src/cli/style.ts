import { plainStyle, type Style } from '../diagnostics/renderers/style.ts';
import type { Environment, Screen } from './session.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/**
 * Whether to write colors to a stream. `--color` takes precedence over NO_COLOR, which takes precedence over
 * FORCE_COLOR. If none of them is set, colors are written if the stream is a terminal.
 */
export function wantsColor(choice: ColorChoice, stream: Screen, env: Environment): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** The style for a stream. The color library is loaded only if colors are used. */
export async function styleFor(choice: ColorChoice, stream: Screen, env: Environment): Promise<Style> {
  if (!wantsColor(choice, stream, env)) return plainStyle;
  const { Ansis } = await import('ansis');
  const ansis = new Ansis(1);
  return {
    error: (text) => ansis.red.bold(text),
    warning: (text) => ansis.yellow.bold(text),
    note: (text) => ansis.blue.bold(text),
    strong: (text) => ansis.bold(text),
    faint: (text) => ansis.dim(text),
    accent: (text) => ansis.cyan(text),
  };
}

/** The number of columns of the terminal. Without a terminal, it is the value of COLUMNS or, if that is not set, 80. */
export function screenWidth({ columns }: Screen, env: Environment): number {
  return Math.max(columns ?? (Number.parseInt(env['COLUMNS'] ?? '', 10) || 80), 40);
}

/** The number of columns to use for output: the width of the terminal, limited to 120. Without a terminal, it is 80. */
export function columnsOf(stream: Screen): number {
  return Math.min(screenWidth(stream, {}), 120);
}

/**
 * Whether to draw with ASCII characters only: either because the user asked for it, or because the locale is not UTF-8.
 */
export function isAscii(asked: boolean, env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return asked || !/utf-?8/i.test(locale);
}
