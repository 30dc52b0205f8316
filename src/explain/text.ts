import { SourceText } from '../base/source-text.ts';
import { assertNever } from '../base/assert-never.ts';
import { renderPretty } from '../diagnostics/renderers/pretty.ts';
import { codeText } from './diagnostic-code.ts';
import type { Explanation } from './explain.ts';
import { detailedText } from './form-listing.ts';
import { instructionText, type TextOptions } from './instruction-text.ts';
import { literalText } from './literal.ts';
import { nameText } from './name.ts';

/** Prints any explanation as text for a terminal, ending in a newline. */
export function explanationText(explained: Explanation, options: TextOptions): string {
  if (explained.kind === 'refused') {
    const source = new SourceText(explained.source, '<text>');
    return renderPretty({ source, diagnostics: explained.diagnostics }, { style: options.style, width: options.width });
  }
  return `${linesOf(explained, options).join('\n').trimEnd()}\n`;
}

function linesOf(
  explained: Exclude<Explanation, { readonly kind: 'refused' }>,
  options: TextOptions,
): readonly string[] {
  const { width, style } = options;
  switch (explained.kind) {
    case 'instruction':
      return instructionText(explained, options);
    case 'opcode':
      return detailedText(explained.forms, width);
    case 'literal':
      return literalText(explained, width, style);
    case 'code':
      return codeText(explained, width, style);
    case 'type':
    case 'target':
    case 'modifier':
      return nameText(explained, width, style);
    default:
      return assertNever(explained);
  }
}
