/**
 * Assigns an index to each register family. A register is then identified by two numbers: the index of its family and
 * its number within the family.
 */
import type { RegisterSymbol, Scope } from '../symbols.ts';

/**
 * Maximum number of families that get an index. No real program has more; registers of other families are looked up by
 * name.
 */
const mostFamilies = 4096;
/** Maximum number of families that may be visible in a scope. If there are more, all entries of `counts` are 0. */
const mostVisible = 512;

/**
 * The indices of families. Two families have the same index if they have the same name, type and number of lanes, no
 * matter where they are declared.
 */
export class FamilyTable {
  private readonly indices = new Map<string, number>();

  get size(): number {
    return this.indices.size;
  }

  /** The index of a register's family; -1 if the table is full. */
  indexOf({ name, type, lanes }: RegisterSymbol): number {
    const key = `${name} ${type.index} ${lanes}`;
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.indices.size;
    if (index >= mostFamilies) return -1;
    this.indices.set(key, index);
    return index;
  }
}

/** The number of members of each family that are visible in a scope. */
export class VisibleFamilies {
  private numbers = new Int32Array(64);
  private readonly families: FamilyTable;
  private readonly set: number[] = [];
  private scope: Scope | null = null;
  private changes = 0;

  constructor(families: FamilyTable) {
    this.families = families;
  }

  /**
   * The number of visible members of each family, by family index. A register number is valid if it is less than the
   * entry for its family.
   */
  get counts(): Int32Array {
    return this.numbers;
  }

  /**
   * Updates `counts` for a scope. Returns true if names may have different meanings in this scope than in the scope for
   * which `counts` was last updated.
   */
  enter(scope: Scope): boolean {
    const isNew = this.update(scope);
    if (this.families.size > this.numbers.length) this.grow();
    return isNew;
  }

  private grow(): void {
    const larger = new Int32Array(mostFamilies);
    larger.set(this.numbers);
    this.numbers = larger;
  }

  private update(scope: Scope): boolean {
    if (scope === this.scope && scope.changes === this.changes) return false;
    this.scope = scope;
    this.changes = scope.changes;
    for (const index of this.set) this.numbers[index] = 0;
    this.set.length = 0;
    if (namesIn(scope) > mostVisible) return true;
    const hidden = new Set<string>();
    for (let at: Scope | null = scope; at !== null; at = at.parent) this.add(at, hidden);
    return true;
  }

  /** Adds a scope's families, except those whose names are hidden, wholly or partly, by names in an inner scope. */
  private add(scope: Scope, hidden: Set<string>): void {
    for (const family of scope.families) {
      const index = hidden.has(family.name) ? -1 : this.families.indexOf(family);
      if (index < 0) continue;
      if (index >= this.numbers.length) this.grow();
      this.numbers[index] = family.count ?? 0;
      this.set.push(index);
    }
    for (const family of scope.families) hidden.add(family.name);
    for (const prefix of scope.numberedNames) hidden.add(prefix);
  }
}

function namesIn(scope: Scope): number {
  let names = 0;
  for (let at: Scope | null = scope; at !== null; at = at.parent) names += at.families.length + at.numberedNames.size;
  return names;
}
