/**
 * Writes code that reads the fields of a block's context. The first parameter of every generated function is the
 * address of the context.
 */
import type { Code } from '../wasm/code.ts';
import { context, type ContextField, type LaunchLayout } from './layout.ts';

/** Pushes a field of the context. */
export function pushField(code: Code, { origin }: Pick<LaunchLayout, 'origin'>, name: ContextField): Code {
  return code.get(0).memory('i32.load', origin + context[name]);
}
