/** The match of a sticky pattern that begins at `start`; null if there is none. */
export function matchAt(pattern: RegExp, source: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(source);
}
