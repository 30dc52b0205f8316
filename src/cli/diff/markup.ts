/** Builds HTML in which inserted text is always escaped. */

/** Markup that is safe to write as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

type Insert = string | number | Html | readonly Html[];

/** A template tag that escapes inserted text, except for values that are already Html. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  const texts = inserts.map((insert) => {
    if (insert instanceof Html) return insert.text;
    if (typeof insert === 'string' || typeof insert === 'number') return escapeHtml(String(insert));
    return insert.map(({ text }) => text).join('\n');
  });
  return new Html(parts.map((part, i) => part + (texts[i] ?? '')).join(''));
}
