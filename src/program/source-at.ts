/** Maps a PTX line back to the source that it was compiled from. */
import type { SourcePlace } from '../base/source-place.ts';
import type { KernelProgram } from './link.ts';

/** Returns the source position of the instruction on a PTX line; null if unknown. */
export function sourceAt({ functions }: KernelProgram, line: number | null): SourcePlace | null {
  for (const fn of functions) {
    if (fn.kind !== 'program') continue;
    const found = fn.program.instructions.find((instruction) => instruction.line === line);
    if (found !== undefined) return found.source;
  }
  return null;
}
