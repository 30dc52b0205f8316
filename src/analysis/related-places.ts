/** Finds places in the text that help the reader to understand a finding. */
import type { Span } from '../base/span.ts';
import type { HeaderChange } from '../diagnostics/fix.ts';
import type { ChunkList } from './chunk-list.ts';
import type { HeaderPlaces } from './header-fixes.ts';
import type { Navigation } from './navigation.ts';

export interface RelatedPlace {
  readonly span: Span;
  /** Describes what is at this place. */
  readonly message: string;
}

/**
 * The first declaration of a name that is declared twice. The first declaration may be that of a register family; for
 * example, `%f<2>` already declares `%f1`.
 */
export function firstDeclaration(
  place: Span,
  list: ChunkList,
  { names, references }: Navigation,
): readonly RelatedPlace[] {
  const name = list.slice(place.start, place.end).replace(/:$/, '');
  const families = names.scopeAt(place.start)?.families ?? [];
  const family = families.find(({ symbol, start }) => {
    if (symbol.kind !== 'register' || start >= place.start) return false;
    const member = name.slice(symbol.name.length);
    return name.startsWith(symbol.name) && (member === '' || Number(member) < (symbol.count ?? 0));
  });
  const declared = family ?? references.entityAt(place.start)?.declared;
  if (declared === undefined || declared.start >= place.start) return [];
  return [{ span: { start: declared.start, end: declared.end }, message: 'declared here first' }];
}

/** The header directives that at least one of the given changes would replace. */
export function headersMeant(
  changes: readonly HeaderChange[],
  { version, target }: HeaderPlaces,
): readonly RelatedPlace[] {
  const places = [
    { span: version, isMeant: changes.some((change) => change.version !== null), message: 'the version of the module' },
    { span: target, isMeant: changes.some((change) => change.target !== null), message: 'the target of the module' },
  ];
  return places.flatMap(({ span, isMeant, message }) => (span === null || !isMeant ? [] : [{ span, message }]));
}
