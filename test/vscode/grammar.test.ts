/** Tests the grammar of the VS Code extension with the library that VS Code itself uses. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, parseRawGrammar, Registry } from 'vscode-textmate';
import { expect, it } from 'vitest';

const grammarFile = new URL('../../apps/vscode/syntaxes/ptx.tmLanguage.json', import.meta.url);
const kernel = new URL('../../examples/kernels/quantize_sm89.ptx', import.meta.url);

await loadWASM(readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm')));
const registry = new Registry({
  onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
  loadGrammar: async () => parseRawGrammar(readFileSync(grammarFile, 'utf8'), grammarFile.pathname),
});
const grammar = await registry.loadGrammar('source.ptx');

/** Splits text into words, and returns each word with the first part of the scope that the grammar assigns to it. */
function colored(text: string): readonly (readonly [word: string, scope: string])[] {
  let state = INITIAL;
  return text.split('\n').flatMap((line) => {
    const found = grammar?.tokenizeLine(line, state);
    if (found === undefined) throw new Error('the grammar did not load');
    state = found.ruleStack;
    return found.tokens.flatMap(({ startIndex, endIndex, scopes }) => {
      const scope = scopes.at(-1) ?? '';
      const word = line.slice(startIndex, endIndex).trim();
      return word === '' || scopes.length < 2 ? [] : [[word, scope.replace(/\.ptx$/, '')] as const];
    });
  });
}

it('distinguishes the parts of an instruction', () => {
  expect(colored('@%p1 cvt.rn.f16.f32 %h1, 0f3F800000; // half')).toEqual([
    ['@%p1', 'variable.other.register'],
    ['cvt', 'keyword.control'],
    ['.rn.f16.f32', 'support.type.modifier'],
    ['%h1', 'variable.other.register'],
    ['0f3F800000', 'constant.numeric.float'],
    ['// half', 'comment.line.double-slash'],
  ]);
});

it('recognizes directives, labels and comments over several lines', () => {
  expect(colored('.reg .b32 %r<3>;\n$L1:\n/* a\nret; */')).toEqual([
    ['.reg', 'storage.modifier'],
    ['.b32', 'storage.type'],
    ['%r', 'variable.other.register'],
    ['3', 'constant.numeric'],
    ['$L1', 'entity.name.label'],
    ['/*', 'comment.block'],
    ['a', 'comment.block'],
    ['ret;', 'comment.block'],
    ['*/', 'comment.block'],
  ]);
});

it('finds every instruction of a real kernel', () => {
  const text = readFileSync(kernel, 'utf8');
  const opcodes = colored(text).filter(([, scope]) => scope === 'keyword.control');
  const statements = [...text.replace(/\/\/.*/g, '').matchAll(/(?<=^|[;{}:])\s*(@!?%?\w+\s+)?[a-z]\w*(?=[\s.;])/gm)];
  expect(opcodes.length).toBeGreaterThan(100);
  expect(opcodes.length).toBe(statements.length);
});
