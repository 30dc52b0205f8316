/** Describes which lane holds which element of each matrix of an instruction, as data for drawing. */
import type { Collective } from '../../isa/collective.ts';
import type { Variant } from '../../isa/form.ts';
import { type Digit, elementsOf, type Fragment, placeOf } from '../../isa/fragments.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import { opcodeIn } from '../../isa/notation.ts';
import type { Step } from '../../isa/steps/step.ts';
import { digitsText } from './digits.ts';
import type { NamedFragment } from './named-fragment.ts';
import { metadataFragment, scaleFragments } from './sources.ts';

/** Elements that are neighbors in the matrix and are held in the same register of a lane. */
export interface FragmentCell {
  readonly lane: number;
  readonly register: number;
  /** The position, in the register, of the first element's lowest bit. */
  readonly low: number;
  /** The index of the matrix, if the registers hold several matrices. */
  readonly matrix: number;
  /** The first row and column of the elements, and the number of rows and columns. */
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** A matrix that the lanes of a warp hold. */
export interface FragmentExplanation {
  /**
   * `A`, `B`, `C`, `D`, `metadata`, `scales of A` or `scales of B`; or `memory` for a matrix that is moved between
   * memory and registers.
   */
  readonly matrix: string;
  /** The operand names of the registers that hold the matrix. */
  readonly operands: readonly string[];
  /** The format of an element or, if elements have no format, their width: `f16`, `b16`. */
  readonly format: string;
  readonly rows: number;
  readonly columns: number;
  /** Number of matrices of this size that the registers hold. */
  readonly matrices: number;
  /** Number of bits between the start of one element and the start of the next in a register. */
  readonly elementBits: number;
  readonly registerBits: 32 | 64;
  /**
   * Formulas for the position of element `i` of a lane: `row = lane / 4 + 8 * (i / 2 % 2)`. Divisions are integer
   * divisions.
   */
  readonly formulas: readonly string[];
  /**
   * The cells, ordered by lane and then by register. If several lanes hold the same element, there is a cell for each
   * copy.
   */
  readonly cells: readonly FragmentCell[];
  readonly notes: readonly string[];
}

/** Describes the matrices that the steps of a variant use, in the order of its operands. */
export function explainFragments(variant: Variant, steps: readonly Step[]): readonly FragmentExplanation[] {
  return steps.flatMap((step) => (step.kind === 'collective' ? fragmentsIn(step.fn, variant) : [])).map(explained);
}

function fragmentsIn(fn: Collective, variant: Variant): readonly NamedFragment[] {
  switch (fn.form) {
    case 'mma':
      return productFragments(fn.product, variant);
    case 'addresses':
      return [movedFragment(fn.plan.fragment, variant)];
    case 'transpose':
      return transposed;
    default:
      return [];
  }
}

const registerNames = (name: string, { registers }: Fragment): readonly string[] =>
  Array.from({ length: registers }, (_, i) => `${name}.${i}`);

const inWarpgroup =
  'The matrix has 64 rows, 16 for each warp of the warpgroup; rows are counted from the first row of the warp.';

const ofWarp = {
  operand: 'e',
  selector: 'f',
  notes: ['Under .sp::ordered_metadata the second index must be greater than the first.'],
} as const;
const ofWarpgroup = { operand: 'sp-meta', selector: 'sp-sel', notes: [] } as const;

/** The fragments of A and D that one warp of a warpgroup holds. B is in shared memory, and A may be there as well. */
function warpgroupFragments({ a, d, k, sparsity }: MatrixProduct, isInRegisters: boolean): readonly NamedFragment[] {
  const named = (
    name: 'a' | 'd',
    { format, fragment }: MatrixProduct['a' | 'd'],
    notes: readonly string[] = [],
  ): NamedFragment => ({
    matrix: name.toUpperCase(),
    operands: registerNames(name, fragment),
    format,
    fragment,
    notes: [...notes, inWarpgroup],
  });
  const metadata = sparsity === null ? [] : [metadataFragment(sparsity, a.fragment.columns, ofWarpgroup)];
  return [...(isInRegisters ? [named('a', a, keptNote(sparsity, k))] : []), named('d', d), ...metadata];
}

function productFragments(product: MatrixProduct, { form }: Variant): readonly NamedFragment[] {
  const has = (name: string): boolean => form.operands.some((operand) => operand.name === name);
  if (!has('b')) return warpgroupFragments(product, has('a'));
  const { a, b, c, d, sparsity } = product;
  const named = (name: 'a' | 'b' | 'c' | 'd', notes: readonly string[] = []): NamedFragment => {
    const { format, fragment } = product[name];
    return { matrix: name.toUpperCase(), operands: registerNames(name, fragment), format, fragment, notes };
  };
  const sums =
    c.format === d.format
      ? [
          {
            ...named('c'),
            matrix: 'C and D',
            operands: [...registerNames('c', c.fragment), ...registerNames('d', d.fragment)],
          },
        ]
      : [named('c'), named('d')];
  return [
    named('a', [...keptNote(sparsity, product.k), ...lowBits(a)]),
    named('b', lowBits(b)),
    ...sums,
    ...(sparsity === null ? [] : [metadataFragment(sparsity, a.fragment.columns, ofWarp)]),
    ...(product.kind === 'float' && product.scaling !== null ? scaleFragments(product.scaling) : []),
  ];
}

function keptNote(sparsity: MatrixProduct['sparsity'], k: number): readonly string[] {
  return sparsity === null ? [] : [`Only the elements that are kept are shown: half of the ${k} columns.`];
}

function lowBits({ format, low }: MatrixProduct['a']): readonly string[] {
  return low === 0 ? [] : [`Each ${format} is in bits ${low + 3} to ${low} of its byte.`];
}

/** A matrix that is moved between memory and registers. */
function movedFragment(fragment: Fragment, variant: Variant): NamedFragment {
  const opcode = opcodeIn(variant.mnemonic);
  const [family, ...rest] = opcode.split('.');
  const own = { operands: registerNames('r', fragment), fragment };
  if (family === 'wmma') {
    const format = (variant.types[0]?.name ?? `.b${fragment.bits}`).slice(1);
    return { ...own, matrix: (rest[rest.length - 1] ?? '').toUpperCase(), format };
  }
  const last = fragment.matrices > 1 ? `${fragment.rows} * m + r` : 'r';
  const which = fragment.matrices > 1 ? 'row r of matrix m' : 'row r';
  const note = `Rows are 16-byte rows of memory: lane ${last} gives the address of ${which}.`;
  return { ...own, matrix: 'memory', format: `b${fragment.bits}`, notes: [note] };
}

const square = { rows: 8, columns: 8, matrices: 1, bits: 16, registers: 1, registerBits: 32, matrix: [] } as const;
const pairs: readonly Digit[] = ['i0', 'l0', 'l1'];
const groups: readonly Digit[] = ['l2', 'l3', 'l4'];

/** movmatrix. */
const transposed: readonly NamedFragment[] = [
  { matrix: 'source', operands: ['a'], format: 'b16', fragment: { ...square, row: groups, column: pairs } },
  {
    matrix: 'result',
    operands: ['d'],
    format: 'b16',
    fragment: { ...square, row: pairs, column: groups },
    notes: ['Row and column numbers refer to the source matrix.'],
  },
];

function explained({ fragment, selected, notes = [], ...named }: NamedFragment): FragmentExplanation {
  const { rows, columns, matrices, bits, registerBits } = fragment;
  return {
    ...named,
    rows,
    columns,
    matrices,
    elementBits: bits,
    registerBits,
    formulas: formulasOf(fragment),
    cells: selected === undefined ? cellsOf(fragment, elementsOf(fragment)) : selectedCells(fragment, selected),
    notes,
  };
}

function formulasOf({ row, column, matrix }: Fragment): readonly string[] {
  const formulas = [`row = ${digitsText(row)}`, `column = ${digitsText(column)}`];
  return matrix.length === 0 ? formulas : [...formulas, `matrix = ${digitsText(matrix)}`];
}

/** Returns the number of adjacent rows or columns whose elements are in one register. */
function runOf(digits: readonly Digit[], perRegister: number): number {
  const inRegister = (digit: Digit): boolean => digit.startsWith('i') && 2 ** Number(digit.slice(1)) < perRegister;
  const end = digits.findIndex((digit) => !inRegister(digit));
  return 2 ** (end === -1 ? digits.length : end);
}

function cellsOf(fragment: Fragment, elements: number): readonly FragmentCell[] {
  const { bits, registerBits, row: rowDigits, column: columnDigits } = fragment;
  const perRegister = registerBits / bits;
  const [rows, columns] = [runOf(rowDigits, perRegister), runOf(columnDigits, perRegister)];
  const run = rows * columns;
  const starts = Array.from({ length: elements / run }, (_, i) => i * run);
  return Array.from({ length: 32 }, (_, lane) =>
    starts.map((element): FragmentCell => {
      const register = Math.floor(element / perRegister);
      return {
        lane,
        register,
        low: (element % perRegister) * bits,
        ...placeOf(fragment, lane, element),
        rows,
        columns,
      };
    }),
  ).flat();
}

/**
 * If an element can be in one of several lanes, depending on a selector of the instruction, only the cell of the first
 * of these lanes is included.
 */
function selectedCells(fragment: Fragment, elements: number): readonly FragmentCell[] {
  const digits = [...fragment.row, ...fragment.column];
  const isFirst = ({ lane }: FragmentCell): boolean =>
    [0, 1, 2, 3, 4].every((digit) => ((lane >> digit) & 1) === 0 || digits.includes(`l${digit}`));
  return cellsOf(fragment, elements).filter(isFirst);
}
