import type { SourcePlace } from '../../base/source-place.ts';

/** `kernel.cu:12:5 in _Z5innerPii, inlined at kernel.cu:20:7`. */
export function sourcePlaceText({ file, line, column, inlined }: SourcePlace): string {
  const place = `${file}:${line}${column === 0 ? '' : `:${column}`}`;
  if (inlined === null) return place;
  const fn = inlined.function === null ? '' : ` in ${inlined.function}`;
  return `${place}${fn}, inlined at ${sourcePlaceText(inlined.at)}`;
}
