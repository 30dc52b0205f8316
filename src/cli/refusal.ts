/**
 * Explains to the user why an instruction cannot be evaluated. The finding and its help look the same as in the output
 * of `check`.
 */
import { note } from '../diagnostics/renderers/pretty.ts';
import { printable } from '../diagnostics/renderers/printable.ts';
import type { EvalError } from '../evaluation/prepare.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import { type ColorChoice, columnsOf, styleFor } from './style.ts';

export async function writeRefusal(
  { code, message, help }: EvalError,
  color: ColorChoice,
  { stderr, env }: Session,
): Promise<void> {
  const style = await styleFor(color, stderr, env);
  const notes = help === undefined ? [] : note(['help: ', printable(help)], '', style, columnsOf(stderr));
  await write(stderr, `${[`ptxlab: ${code}: ${printable(message)}`, ...notes].join('\n')}\n`);
}
