/** Tests that the table of folders in docs/architecture.md lists exactly the imports that the linter's rules allow. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Layer {
  readonly name: string;
  readonly to: { readonly pathNot: readonly string[] };
}

const rules = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Layer[];
};
const ending = '-reaches-only';
const everywhere = ['base', 'diagnostics'];

/** The folders that each folder may import, in addition to those that every folder may import. */
const allowed = new Map(
  rules.forbidden
    .filter(({ name }) => name.endsWith(ending))
    .map(({ name, to }) => {
      const folder = name.slice(0, -ending.length);
      const reached = to.pathNot.flatMap((path) => /^\^src\/\(?([a-z|]+)/.exec(path)?.[1]?.split('|') ?? []);
      return [folder, [...new Set(reached)].filter((one) => one !== folder && !everywhere.includes(one)).sort()];
    }),
);

test('the document lists for each folder what it may import', () => {
  const document = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| folder +\| what lives there +\| may import[^\n]*\n([^]*?)\n\n/.exec(document) ?? [];
  const listed = new Map(
    [...table.matchAll(/^\| `(\w+)` +\|[^|]*\|([^|]*)\|$/gm)].map(([, folder = '', imports = '']) => [
      folder,
      [...imports.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort(),
    ]),
  );
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(allowed));
});
