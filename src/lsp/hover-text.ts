/** Hovers as Markdown. */
import { demangle } from '../base/demangle/demangle.ts';
import type { RegisterFacts } from '../analysis/function-view.ts';
import type { Hover } from '../analysis/hover.ts';
import { instructionText } from '../explain/instruction-text.ts';
import { plainStyle } from '../diagnostics/renderers/style.ts';
import { boxGlyphs } from '../explain/draw.ts';

const width = 76;

export function hoverText({ subject }: Hover, register: RegisterFacts | null): string {
  switch (subject.kind) {
    case 'instruction':
      return code(instructionText(subject.explanation, { width, style: plainStyle, glyphs: boxGlyphs }).join('\n'));
    case 'constant': {
      const { text, what, bits, value } = subject.explanation;
      return code([text, what, `bits   ${bits}`, `value  ${value}`].join('\n'));
    }
    case 'register': {
      const lines = [`.reg ${subject.type} ${subject.name}`];
      if (register?.value != null) lines.push(`= ${register.value}`);
      if (register?.mayBeUnwritten === true) lines.push('may be read before it is written');
      return code(lines.join('\n'));
    }
    case 'special register':
      return code(`${subject.name}: ${subject.type}\n${subject.since}`);
    case 'variable':
      return code(`${subject.space} ${subject.type} ${subject.name}`);
    case 'function': {
      const written = demangle(subject.name);
      return code([`function ${subject.name}`, ...(written === null ? [] : [written])].join('\n'));
    }
    case 'label':
    case 'list of targets':
    case 'prototype':
      return code(`${subject.kind} ${subject.name}`);
  }
}

function code(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}
