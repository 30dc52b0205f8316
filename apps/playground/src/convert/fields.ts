/** The bits of a format, grouped by meaning. */
import { type Bits, type FormatName, formats } from 'ptxlab/numbers';

export type FieldKind = 'sign' | 'exponent' | 'significand' | 'padding';

export interface BitCell {
  /** Position of the bit in the pattern; 0 is the lowest bit. */
  readonly index: number;
  readonly kind: FieldKind;
  readonly isSet: boolean;
}

/** The cells of a pattern, highest bit first. */
export function cellsOf(format: FormatName, bits: Bits): readonly BitCell[] {
  const { width } = formats[format];
  const pattern = BigInt(bits);
  return Array.from({ length: width }, (_, i) => {
    const index = width - 1 - i;
    return { index, kind: kindOf(format, index), isSet: ((pattern >> BigInt(index)) & 1n) === 1n };
  });
}

function kindOf(format: FormatName, index: number): FieldKind {
  const row = formats[format];
  if (row.signed && index === row.width - 1) return 'sign';
  if (row.kind !== 'float') return 'significand';
  if (index < row.padding) return 'padding';
  return index < row.padding + row.fractionBits ? 'significand' : 'exponent';
}

/** Divides the cells into runs of adjacent cells of the same kind. The run with the highest bits comes first. */
export function fieldsOf(cells: readonly BitCell[]): readonly { kind: FieldKind; cells: readonly BitCell[] }[] {
  const fields: { kind: FieldKind; cells: BitCell[] }[] = [];
  for (const cell of cells) {
    const last = fields.at(-1);
    if (last?.kind === cell.kind) last.cells.push(cell);
    else fields.push({ kind: cell.kind, cells: [cell] });
  }
  return fields;
}

/** A short description of what a field means, such as the power of two that an exponent stands for. */
export function fieldText(format: FormatName, kind: FieldKind, cells: readonly BitCell[]): string {
  const row = formats[format];
  const value = cells.reduce((sum, { isSet }) => sum * 2 + Number(isSet), 0);
  if (kind === 'sign') return value === 1 ? '−' : '+';
  if (kind === 'padding') return 'unused';
  if (row.kind !== 'float') return 'value';
  if (kind === 'significand') return 'significand';
  const isSpecial = row.nan === 'ieee' && value === 2 ** row.exponentBits - 1;
  if (isSpecial) return 'all ones';
  return value === 0 && row.subnormals ? `2^${1 - row.bias}, subnormal` : `2^${value - row.bias}`;
}
