/** The instructions that multiply matrices, and the fields by which users select one of them. */
import { type ProductEntry, products } from 'ptxlab';

/** The fields that users choose, one after the other, to select an instruction. */
export const fields = ['opcode', 'shape', 'types', 'mnemonic'] as const;
export type Field = (typeof fields)[number];

export class Catalog {
  private readonly entries: readonly ProductEntry[] = products();
  private readonly byMnemonic: ReadonlyMap<string, ProductEntry> = new Map(
    this.entries.map((entry) => [entry.mnemonic, entry]),
  );

  find(mnemonic: string): ProductEntry | null {
    return this.byMnemonic.get(mnemonic) ?? null;
  }

  /**
   * The values that can be chosen for a field: all values of this field among the instructions that agree with `entry`
   * in every earlier field.
   */
  valuesOf(field: Field, entry: ProductEntry): readonly string[] {
    const before = fields.slice(0, fields.indexOf(field));
    const fitting = this.entries.filter((other) => before.every((one) => textOf(other, one) === textOf(entry, one)));
    return [...new Set(fitting.map((other) => textOf(other, field)))];
  }

  /**
   * The instruction that has the given value in a field and the same values as `entry` in all earlier fields. If
   * several instructions qualify, returns the one that agrees with `entry` in the largest number of fields.
   */
  withField(entry: ProductEntry, field: Field, value: string): ProductEntry {
    const before = fields.slice(0, fields.indexOf(field));
    const fitting = this.entries.filter(
      (other) => textOf(other, field) === value && before.every((one) => textOf(other, one) === textOf(entry, one)),
    );
    const same = (other: ProductEntry): number =>
      fields.filter((one) => textOf(other, one) === textOf(entry, one)).length;
    return fitting.reduce((best, other) => (same(other) > same(best) ? other : best), fitting[0] ?? entry);
  }
}

/** The value of an instruction's field as text, such as `mma.sp`, `m16n8k16` or `f16 × f16 + f32 → f32`. */
export function textOf(entry: ProductEntry, field: Field): string {
  const { mnemonic, m, n, k, a, b, c, d } = entry;
  switch (field) {
    case 'opcode':
      return mnemonic.slice(0, mnemonic.indexOf('.sync'));
    case 'shape':
      return `m${m}n${n}k${k}`;
    case 'types':
      return `${a} × ${b} + ${c} → ${d}`;
    case 'mnemonic':
      return mnemonic;
  }
}
