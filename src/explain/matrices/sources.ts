/**
 * Describes which lanes provide the metadata and the scales of a product. Each of them is described as a matrix whose
 * elements are indices or scales.
 */
import type { Digit } from '../../isa/fragments.ts';
import type { Scaling, Sparsity } from '../../isa/matrix-product.ts';
import type { NamedFragment } from './named-fragment.ts';

const rowsOf16: readonly Digit[] = ['l2', 'l3', 'l4'];

/** The operand that contains the metadata, and the operand that selects which lanes provide it. */
interface MetadataNames {
  readonly operand: string;
  readonly selector: string;
  /** Additional sentences about the metadata. */
  readonly notes: readonly string[];
}

/**
 * Each element of the metadata matrix is a pair of indices for one chunk of A's columns. The lanes shown are the ones
 * that provide the metadata if the selector is 0.
 */
export function metadataFragment(
  { unit, rowBits, lanes }: Sparsity,
  keptColumns: number,
  { operand, selector, notes }: MetadataNames,
): NamedFragment {
  const chunks = keptColumns / (2 * unit);
  const words = (chunks * 4) / rowBits;
  const [row, column]: readonly [Digit[], Digit[]] =
    rowBits === 16
      ? [
          [...rowsOf16, 'i2'],
          ['i0', 'i1'],
        ]
      : [
          [...rowsOf16, 'l0'],
          ['i0', 'i1', 'i2'],
        ];
  if (words === 2) column.push(rowBits === 16 ? 'l0' : 'l1');
  const kept = { 0.5: '1 of 2 columns', 1: '2 of 4 columns', 2: '2 of 4 pairs of columns' }[unit];
  return {
    matrix: 'metadata',
    operands: [operand],
    format: 'b4',
    fragment: {
      rows: 16,
      columns: chunks,
      matrices: 1,
      bits: 4,
      registers: 1,
      registerBits: 32,
      row,
      column,
      matrix: [],
    },
    selected: 8,
    notes: [
      `Column j is a chunk of A in which ${kept} are kept; the lower two bits are the index of the first of them.`,
      ...(unit === 0.5 ? ['The bits are 0b0100 for the first column of the chunk and 0b1110 for the second.'] : notes),
      ...(lanes < 4
        ? [
            `Drawn for ${selector} = 0. In general, add ${lanes === 1 ? selector : `${lanes} * ${selector}`} to each lane.`,
          ]
        : []),
    ],
  };
}

/** The lanes and bytes are those for byte-id 0 and thread-id 0. */
export function scaleFragments({ format, block, group }: Scaling): readonly NamedFragment[] {
  const count = group === 1 ? 1 : 64 / block;
  const blocks: readonly Digit[] = Array.from({ length: Math.log2(count) }, (_, i): Digit => `i${i}`);
  const own = { matrices: 1, bits: 8, registers: 1, registerBits: 32, matrix: [] } as const;
  const notes = (add: string): readonly string[] => [
    `Each scale is for ${block} products along k. Drawn for byte-id and thread-id 0.`,
    `In general, add ${add} to each lane, and byte-id to the number of each byte.`,
  ];
  return [
    {
      matrix: 'scales of A',
      operands: ['scale-a-data'],
      format,
      fragment: { ...own, rows: 16, columns: count, row: [...rowsOf16, 'l0'], column: blocks },
      selected: count,
      notes: notes('2 * thread-id-a'),
    },
    {
      matrix: 'scales of B',
      operands: ['scale-b-data'],
      format,
      fragment: { ...own, rows: count, columns: 8, row: blocks, column: rowsOf16 },
      selected: count,
      notes: notes('thread-id-b'),
    },
  ];
}
