/**
 * Shows the pairs of formats between which `cvt` can convert, as two matrices like those in PTX ISA 9.1, section 6.5.
 * The matrices are derived from the table of forms.
 */
import { ptxForms } from '../isa/table.ts';
import { formatNames, formats, type FormatName } from '../numerics/formats.ts';
import { type TargetChoice, plainVariants } from './target-choice.ts';

/** What a conversion does: it extends, truncates or copies the bits, or converts between signed, unsigned and float. */
export type Method = 'sext' | 'zext' | 'chop' | 'same' | 's2f' | 'u2f' | 'f2s' | 'f2u' | 'f2f';

/** Whether a rounding modifier is required, optional, or rejected. */
export type RoundingNeed = 'required' | 'optional' | 'refused';

export interface MatrixCell {
  readonly from: FormatName;
  readonly to: FormatName;
  readonly method: Method;
  readonly rounding: RoundingNeed;
  /** The forms of `cvt` that perform this conversion. */
  readonly forms: readonly string[];
}

/**
 * Every pair of formats between which `cvt` can convert for the given target and version, in the order of the table.
 */
export function conversionMatrix(choice: TargetChoice): readonly MatrixCell[] {
  const found = new Map<string, { from: FormatName; to: FormatName; rounded: Set<boolean>; forms: Set<string> }>();
  for (const compiled of ptxForms.forms('cvt')) {
    for (const { types, modifiers, form } of plainVariants(compiled, choice)) {
      const [to, from] = [types[0]?.format, types[1]?.format];
      if (to === undefined || to === null || from === undefined || from === null) continue;
      const key = `${from} ${to}`;
      const cell = found.get(key) ?? { from, to, rounded: new Set(), forms: new Set() };
      cell.rounded.add(modifiers['rounding'] !== undefined);
      cell.forms.add(form.id);
      found.set(key, cell);
    }
  }
  return [...found.values()].map(({ from, to, rounded, forms }) => ({
    from,
    to,
    method: methodOf(from, to),
    rounding: rounded.size === 2 ? 'optional' : rounded.has(true) ? 'required' : 'refused',
    forms: [...forms],
  }));
}

function methodOf(from: FormatName, to: FormatName): Method {
  const [source, destination] = [formats[from], formats[to]];
  if (source.kind !== 'integer') {
    if (destination.kind !== 'integer') return 'f2f';
    return destination.signed ? 'f2s' : 'f2u';
  }
  if (destination.kind !== 'integer') return source.signed ? 's2f' : 'u2f';
  if (destination.width === source.width) return 'same';
  if (destination.width < source.width) return 'chop';
  return source.signed ? 'sext' : 'zext';
}

const integers = formatNames.filter((name) => formats[name].kind === 'integer' && formats[name].width >= 8);
const wide: readonly FormatName[] = ['f16', 'bf16', 'f32', 'f64'];
const alternate = formatNames.filter((name) => formats[name].kind !== 'integer' && !wide.includes(name));

const marks: Readonly<Record<RoundingNeed, string>> = { required: '!', optional: '?', refused: '' };

/** The matrix as two tables of at most 80 columns, with a row for each source and a column for each destination. */
export function matrixText(cells: readonly MatrixCell[]): readonly string[] {
  return [
    'Fundamental types: source down, destination across',
    ...half(cells, [...integers, ...wide]),
    '',
    'Floating-point and alternate formats: source down, destination across',
    ...half(cells, [...wide, ...alternate]),
    '',
    'sext zext  extended with the sign, zeros   chop  the low bits   same  all bits',
    's2f u2f f2s f2u f2f  signed, unsigned or float to signed, unsigned or float',
    '!  rounding modifier required   ?  optional   no mark: rejected',
    '.  no such conversion',
    'Formats of up to 8 bits exist only packed: .e4m3x2, .e2m1x4, .ue8m0x2, .s2f6x2.',
    'If tables in the ISA disagree, docs/spec-questions.md says which one applies.',
  ];
}

function half(cells: readonly MatrixCell[], names: readonly FormatName[]): readonly string[] {
  const header = ['', ...names];
  const rows = names.map((from) => [
    from,
    ...names.map((to) => {
      const cell = cells.find((candidate) => candidate.from === from && candidate.to === to);
      return cell === undefined ? '.' : cell.method + marks[cell.rounding];
    }),
  ]);
  const table = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)) + 1);
  return table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('')
      .trimEnd(),
  );
}
