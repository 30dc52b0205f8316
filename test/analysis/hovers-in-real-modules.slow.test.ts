import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Document } from '../../src/analysis.ts';

it('a hover explains every mnemonic of real modules that check without errors', () => {
  const folder = new URL('../../examples/kernels/', import.meta.url);
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.ptx'))) {
    const source = readFileSync(new URL(name, folder), 'latin1');
    const document = new Document(source);
    if (document.requirements().unchecked.length > 0) continue;
    for (const { start, end } of document.functions()) {
      const view = document.functionAt(start);
      for (const { start: at } of view?.liveRegisters() ?? []) {
        const mnemonic = at + (/^@!?\S+\s+/.exec(source.slice(at, end))?.[0].length ?? 0);
        expect(view?.hover(mnemonic)?.subject.kind, source.slice(at, at + 40)).toBe('instruction');
      }
    }
  }
});
