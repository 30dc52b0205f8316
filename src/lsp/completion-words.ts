/** Explains, in the list of completion items, what the selected item means. */
import { isObject, textAt } from '../base/json-values.ts';
import { plainStyle } from '../diagnostics/renderers/style.ts';
import { boxGlyphs } from '../explain/draw.ts';
import { explain } from '../explain/explain.ts';
import { explanationText } from '../explain/text.ts';

const width = 76;

/** Adds documentation to a completion item: the forms of an opcode, or the meaning of a modifier or type. */
export function resolveCompletion(item: unknown): unknown {
  const explained = explain(textAt(item, 'label'));
  if (!isObject(item) || explained.kind === 'refused') return item;
  const text = explanationText(explained, { width, style: plainStyle, glyphs: boxGlyphs });
  return { ...item, documentation: { kind: 'markdown', value: `\`\`\`text\n${text}\`\`\`` } };
}
