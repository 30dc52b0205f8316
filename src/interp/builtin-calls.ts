/**
 * Built-in functions in the reference engine. Arguments are read from local memory, and the result is written back
 * there.
 */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { type BuiltinServices, runBuiltin } from '../machine/builtins.ts';
import type { Segment } from '../machine/memory/segment.ts';
import { requireWritten } from './memory-access.ts';
import type { Builtin } from '../program/builtins.ts';
import { formalLayout } from '../program/call-site.ts';

/**
 * Runs a built-in function whose activation begins at offset `base` of local memory. `line` is the source line of the
 * call.
 */
export function callBuiltin(
  { name, signature }: Builtin,
  local: Segment,
  base: number,
  line: number,
  services: BuiltinServices,
): void {
  const layout = formalLayout(signature);
  const args = signature.parameters.map(({ bytes }, i) => {
    const offset = base + elementAt(layout.parameters, i);
    requireWritten(local, offset, bytes, line);
    return BigInt(local.load(offset, bytes * 8));
  });
  const result = runBuiltin(name, args, services);
  const [formal] = signature.results;
  if (result === null || formal === undefined) return;
  const offset = base + elementAt(layout.results, 0);
  const bits: Bits = formal.bytes === 8 ? result : Number(result);
  local.mark(offset, formal.bytes);
  local.store(offset, formal.bytes * 8, bits);
}
