/** Finds the conversion for a choice of formats, lanes and modifiers. */
import { type ConversionEntry, conversions, type FormatName } from 'ptxlab/numbers';

export interface Choice {
  readonly from: FormatName;
  readonly to: FormatName;
  /** Number of values that one instruction converts; null selects the smallest number that the modifiers allow. */
  readonly lanes: number | null;
  readonly modifiers: readonly string[];
}

const roundings = new Set(['rn', 'rz', 'rm', 'rp', 'rna', 'rs', 'rni', 'rzi', 'rmi', 'rpi']);

export function isRounding(modifier: string): boolean {
  return roundings.has(modifier);
}

/** All conversions in the table, grouped by source and destination format, because users choose these formats first. */
export class Catalog {
  private readonly entries: readonly ConversionEntry[] = conversions();
  private readonly byFormats: ReadonlyMap<string, readonly ConversionEntry[]> = grouped(this.entries);
  private readonly byMnemonic: ReadonlyMap<string, ConversionEntry> = new Map(
    this.entries.map((entry) => [entry.mnemonic, entry]),
  );
  readonly sources: readonly FormatName[] = distinct(this.entries.map(({ from }) => from));
  readonly destinations: readonly FormatName[] = distinct(this.entries.map(({ to }) => to));

  /** The formats that a format can be converted to. */
  destinationsOf(from: FormatName): ReadonlySet<FormatName> {
    return new Set(this.entries.filter((entry) => entry.from === from).map(({ to }) => to));
  }

  lanesOf(from: FormatName, to: FormatName): readonly number[] {
    const entries = this.between(from, to);
    return distinct(entries.map(({ lanes }) => lanes)).sort((a, b) => a - b);
  }

  /**
   * All modifiers of the conversions between the same two formats with the same number of lanes, in the order in which
   * they are written.
   */
  modifiersOf({ from, to, lanes }: ConversionEntry): readonly string[] {
    return distinct(
      this.between(from, to)
        .filter((entry) => entry.lanes === lanes)
        .flatMap(({ modifiers }) => modifiers),
    );
  }

  /**
   * Returns the conversion that is closest to what the user has chosen: the one that adds and removes the fewest
   * modifiers. If `must` is a modifier, the conversion has this modifier if and only if the user has chosen it. Returns
   * null if no conversion between the two formats qualifies.
   */
  nearest(choice: Choice, must: string | null = null): ConversionEntry | null {
    const wanted = new Set(choice.modifiers);
    let best: ConversionEntry | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const entry of this.between(choice.from, choice.to)) {
      if (must !== null && entry.modifiers.includes(must) !== wanted.has(must)) continue;
      const distance = differences(entry.modifiers, wanted) + lanesDistance(entry.lanes, choice.lanes);
      if (distance >= least) continue;
      best = entry;
      least = distance;
    }
    return best;
  }

  /** Whether any conversion has this modifier. */
  hasModifier(modifier: string): boolean {
    return this.entries.some(({ modifiers }) => modifiers.includes(modifier));
  }

  find(mnemonic: string): ConversionEntry | null {
    return this.byMnemonic.get(mnemonic) ?? null;
  }

  all(): readonly ConversionEntry[] {
    return this.entries;
  }

  private between(from: FormatName, to: FormatName): readonly ConversionEntry[] {
    return this.byFormats.get(pairOf(from, to)) ?? [];
  }
}

function grouped(entries: readonly ConversionEntry[]): ReadonlyMap<string, readonly ConversionEntry[]> {
  const found = new Map<string, ConversionEntry[]>();
  for (const entry of entries) {
    const pair = pairOf(entry.from, entry.to);
    const known = found.get(pair);
    if (known === undefined) found.set(pair, [entry]);
    else known.push(entry);
  }
  return found;
}

function pairOf(from: FormatName, to: FormatName): string {
  return `${from} ${to}`;
}

/**
 * A difference in the number of lanes outweighs all differences in modifiers. If the user has not chosen a number of
 * lanes, conversions with fewer lanes are preferred.
 */
function lanesDistance(lanes: number, chosen: number | null): number {
  if (chosen === null) return lanes / 16;
  return lanes === chosen ? 0 : 100 + lanes;
}

function differences(modifiers: readonly string[], wanted: ReadonlySet<string>): number {
  const shared = modifiers.filter((modifier) => wanted.has(modifier)).length;
  return modifiers.length + wanted.size - 2 * shared;
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
