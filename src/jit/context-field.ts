/**
 * Fields of a block's context as compiled code reads them: the first parameter of its functions is the context's
 * address.
 */
import type { Code } from '../wasm/code.ts';
import { context, type ContextField, type LaunchLayout } from './layout.ts';

/** Pushes a field. */
export function pushField(code: Code, { origin }: Pick<LaunchLayout, 'origin'>, name: ContextField): Code {
  return code.get(0).memory('i32.load', origin + context[name]);
}
