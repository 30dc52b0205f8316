/** Highlights PTX as it is typed. */
import { HighlightStyle, StreamLanguage, type StreamParser, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

interface Inside {
  comment: boolean;
  /** Whether the next word is an opcode. */
  start: boolean;
}

const ptx: StreamParser<Inside> = {
  name: 'ptx',
  startState: () => ({ comment: false, start: true }),
  token(stream, state) {
    if (state.comment || stream.match('/*')) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^"[^"]*"?/)) return 'string';
    if (stream.match(/^[;{}]/)) {
      state.start = true;
      return 'punctuation';
    }
    if (stream.match(/^@!?%?[\w$]+/)) return 'keyword';
    if (stream.match(/^%[\w$.]+/)) return 'variableName';
    if (stream.match(/^\.[\w:]+/)) return 'typeName';
    if (stream.match(/^(?:0[xXfFdDbB][\da-fA-F]+U?|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)/)) return 'number';
    if (stream.match(/^[\w$]+\s*:(?!:)/)) return 'labelName';
    const isStart = state.start;
    if (stream.match(/^[a-z_$][\w$.:]*/i)) {
      state.start = false;
      return isStart ? 'operatorKeyword' : null;
    }
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
};

const colors = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: tags.operatorKeyword, color: 'var(--ink)', fontWeight: '650' },
  { tag: tags.keyword, color: 'var(--sign)' },
  { tag: tags.variableName, color: 'var(--significand)' },
  { tag: tags.typeName, color: 'var(--accent)' },
  { tag: [tags.number, tags.string], color: 'var(--exponent)' },
  { tag: tags.labelName, color: 'var(--sign)', fontWeight: '650' },
]);

export const ptxColors: Extension = [StreamLanguage.define(ptx), syntaxHighlighting(colors)];
