/** Shows powers of two in text, such as `2^-25`, with superscript exponents. */
import { html, type TemplateResult } from 'lit';

/** The text, with powers such as `2^-25` written with a superscript. */
export function withPowers(text: string): readonly (string | TemplateResult)[] {
  return text.split(/(2\^-?\d+)/).map((part, i) => (i % 2 === 0 ? part : html`2<sup>${part.slice(2)}</sup>`));
}
