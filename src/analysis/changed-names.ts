/** Compares the names that chunks declare before and after an edit. */
import type { DeclaredSymbol } from '../check/symbols.ts';
import type { Chunk, Declared } from './chunk.ts';
import { keyOf, type NameKey } from './chunk-names.ts';

/**
 * A declaration, or the start or end of a scope. The scopes are included so that moving a name to another scope counts
 * as a difference.
 */
type Part = DeclaredSymbol | Extract<Declared, { readonly kind: 'alias' }> | ScopeMark;

interface ScopeMark {
  readonly kind: 'scope';
  /** The kind of the outline part that starts or ends the scope. */
  readonly of: string;
}

/** The names that a chunk declares at module scope. */
export function moduleNames({ checked }: Chunk): readonly Part[] {
  return (checked?.module ?? []).flatMap((one): Part[] => {
    if (one.kind === 'symbol') return [one.symbol];
    return one.kind === 'alias' ? [one] : [];
  });
}

/** The names that a chunk declares in functions. */
export function bodyNames(chunk: Chunk): readonly Part[] {
  const declared = (chunk.checked?.body ?? []).flatMap((one): readonly Part[] => {
    if (one.kind === 'symbol') return [one.symbol];
    return one.kind === 'function' ? one.formals : [{ kind: 'scope', of: one.kind }];
  });
  return [...declared, ...labelNames(chunk)];
}

/** The labels of a chunk. */
export function labelNames({ outline }: Chunk): readonly Part[] {
  return outline.map((part) => (part.kind === 'label' ? part.symbol : { kind: 'scope', of: part.kind }));
}

/**
 * The names whose declarations may have changed: all names from the first to the last place where `old` and `fresh`
 * differ. If several of these names have the same stem, only the name with the lowest number is returned.
 */
export function changedKeys(old: readonly Part[], fresh: readonly Part[]): readonly NameKey[] {
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && hasSameMeaning(old[start], fresh[start])) start++;
  let end = 0;
  while (end < most - start && hasSameMeaning(old[old.length - 1 - end], fresh[fresh.length - 1 - end])) end++;
  const changed = [...old.slice(start, old.length - end), ...fresh.slice(start, fresh.length - end)];
  return leastOf(changed.map(nameKeyOf));
}

function leastOf(keys: readonly NameKey[]): readonly NameKey[] {
  const least = new Map<string, NameKey>();
  for (const key of keys)
    if ((least.get(key.stem)?.number ?? Number.POSITIVE_INFINITY) > key.number) least.set(key.stem, key);
  return [...least.values()];
}

function nameKeyOf(part: Part): NameKey {
  if (part.kind === 'scope') return keyOf('{');
  if (part.kind === 'register' && part.count !== null) return { stem: part.name, number: 0 };
  return keyOf(part.name);
}

/**
 * The properties that contain positions or refer to scopes. An edit may change them even if the meaning of the
 * declaration stays the same.
 */
const withoutMeaning = new Set(['declared', 'start', 'end', 'nameStart', 'nameEnd', 'typeStart', 'typeEnd', 'scope']);

/** Whether two declarations agree in all properties that can affect a use of the name. */
function hasSameMeaning(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => withoutMeaning.has(key) || (Object.hasOwn(b, key) && hasSameMeaning(a[key], b[key])));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
