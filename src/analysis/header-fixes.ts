/** Fixes that change `.version` or `.target`. */
import type { Span } from '../base/span.ts';
import type { Edit, Fix, HeaderChange } from '../diagnostics/fix.ts';
import { findDeclaredTarget } from '../isa/targets.ts';
import type { Item } from '../syntax/tree.ts';

/**
 * The positions of a module's `.version` directive and of the architecture that its `.target` specifies; null if they
 * are missing.
 */
export interface HeaderPlaces {
  readonly version: Span | null;
  readonly target: Span | null;
}

export function headerPlaces(items: readonly Item[]): HeaderPlaces {
  const version = items.find((item) => item.kind === 'version') ?? null;
  const names = items.flatMap((item) => (item.kind === 'target' ? item.names : []));
  const target = names.findLast(({ name }) => findDeclaredTarget(name) !== undefined) ?? null;
  return { version, target };
}

/** Returns one fix for each change, except for changes to a directive that the header lacks. */
export function headerFixes(changes: readonly HeaderChange[], places: HeaderPlaces): readonly Fix[] {
  return changes.flatMap(({ version, target }): readonly Fix[] => {
    if ((version !== null && places.version === null) || (target !== null && places.target === null)) return [];
    const edits: Edit[] = [];
    const words: string[] = [];
    if (target !== null && places.target !== null) {
      edits.push(edit(places.target, target));
      words.push(`Change .target to ${target}`);
    }
    if (version !== null && places.version !== null) {
      edits.push(edit(places.version, `.version ${version}`));
      words.push(`${words.length === 0 ? 'Raise' : 'raise'} .version to ${version}`);
    }
    edits.sort((a, b) => a.span.start - b.span.start);
    return [{ title: words.join(' and '), applicability: target === null ? 'certain' : 'possible', edits }];
  });
}

function edit({ start, end }: Span, text: string): Edit {
  return { span: { start, end }, text };
}
