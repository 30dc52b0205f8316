/** HTML as text: values are escaped, markup is not. */

/** Text that is already HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[];

/** Builds HTML from a template; strings in it are escaped, lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = strings.map((string, i) => string + (i < parts.length ? shown(parts[i] ?? '') : '')).join('');
  return new Markup(text);
}

function shown(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return part.map(({ text }) => text).join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
