/**
 * wmma: PTX ISA 9.1, section 9.7.14.4. The ISA does not specify the layout of wmma fragments; here they have the layout
 * of mma fragments.
 */
import { has, type InstructionForm, type OperandPattern, read, type Variant } from '../../form.ts';
import type { AvailabilityRow } from '../../form.ts';
import type { Environment } from '../../environment.ts';
import { type Fragment, fragmentOf, placeOf } from '../../fragments.ts';
import type { MatrixProduct } from '../../matrix-product.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { spaceOf } from '../space-of.ts';
import { accessesOf, addressPlan, findAddresses } from './addresses.ts';
import {
  bitsOfSum,
  layouts,
  type ListType,
  matrixForm,
  refsOf,
  factorList,
  registerList,
  rowColumn,
  sharedRow,
  sumLists,
  type SumType,
} from './parts.ts';
import {
  bitwise,
  doubles,
  factorFormat,
  floatProduct,
  type Fragments,
  integers,
  multiply,
  registersOf,
  type Shape,
  shapeOf,
  sumFormat,
} from './products.ts';
import { loadRegisters, storeRegisters } from './transfer-steps.ts';

/** Types of A and B that support the same shapes. */
interface Family {
  readonly name: string;
  readonly factors: readonly TypeName[];
  readonly sums: readonly SumType[];
  readonly bits: number;
  /**
   * The types of the registers into which matrices are loaded (`loaded`), and of those from which products are computed
   * (`multiplied`).
   */
  readonly loaded: ListType;
  readonly multiplied: ListType;
  readonly shapes: readonly string[];
  readonly ways: readonly Availability[];
  /** True if A must be stored by rows and B by columns. */
  readonly rowColumn?: boolean;
}

const wide = ['m16n16k16', 'm32n8k16', 'm8n32k16'];
const ampere = [at('7.0', 80)];

const families: readonly Family[] = [
  {
    name: 'f16',
    factors: ['.f16'],
    sums: ['.f16', '.f32'],
    bits: 16,
    loaded: 'f16',
    multiplied: 'f16',
    shapes: wide,
    ways: [at('6.0', 70)],
  },
  {
    name: 'bf16',
    factors: ['.bf16'],
    sums: ['.f32'],
    bits: 16,
    loaded: 'bits',
    multiplied: 'bits',
    shapes: wide,
    ways: ampere,
  },
  {
    name: 'tf32',
    factors: ['.tf32'],
    sums: ['.f32'],
    bits: 32,
    loaded: 'bits',
    multiplied: 'bits',
    shapes: ['m16n16k8'],
    ways: ampere,
  },
  {
    name: 'f64',
    factors: ['.f64'],
    sums: ['.f64'],
    bits: 64,
    loaded: 'f64',
    multiplied: 'f64',
    shapes: ['m8n8k4'],
    ways: ampere,
  },
  ...(['.s8', '.u8'] as const).map(
    (type): Family => ({
      name: type.slice(1),
      factors: [type],
      sums: ['.s32'],
      bits: 8,
      loaded: 's32',
      multiplied: 's32',
      shapes: wide,
      ways: [at('6.3', 72)],
    }),
  ),
  ...(['.s4', '.u4'] as const).map(
    (type): Family => ({
      name: type.slice(1),
      factors: [type],
      sums: ['.s32'],
      bits: 4,
      loaded: 'any',
      multiplied: 's32',
      shapes: ['m8n8k32'],
      ways: [at('6.3', 75)],
      rowColumn: true,
    }),
  ),
  {
    name: 'b1',
    factors: ['.b1'],
    sums: ['.s32'],
    bits: 1,
    loaded: 'any',
    multiplied: 's32',
    shapes: ['m8n8k128'],
    ways: [at('6.3', 75)],
    rowColumn: true,
  },
];

/** Before PTX 6.3, `.aligned` could be omitted; types that were introduced later always require it. */
const aligned: readonly AvailabilityRow[] = [
  { subject: '.aligned', when: { modifiers: ['.aligned'] }, ways: [at('6.3', 70)] },
  { subject: 'wmma without .aligned', when: { without: ['.aligned'] }, ways: [{ ...at('6.0', 70), until: 603 }] },
];

const laterShape = (shape: string): readonly AvailabilityRow[] =>
  shape === 'm32n8k16' || shape === 'm8n32k16' ? [{ subject: `.${shape}`, ways: [at('6.1', 70)] }] : [];

const alignedOf = ({ name }: Family): string => (name === 'f16' ? '{.aligned}' : '.aligned');

type Side = 'a' | 'b' | 'c';

/**
 * For f16, the registers of A and B contain copies: each element occurs twice if the matrix has 256 elements, and four
 * times if it has 128.
 */
function fragment(side: Side, { m, n, k }: Shape, bits: number, doubled: boolean): Fragment {
  const [rows, columns] = side === 'a' ? [m, k] : side === 'b' ? [k, n] : [m, n];
  const registers = doubled ? 8 : registersOf(rows * columns, bits);
  return fragmentOf(side, { rows, columns, bits, registers });
}

// --- load and store -------------------------------------------------------------------------------------------------

const spaces = { ss: ['.global', '.shared', '.shared::cta'] } as const;

/** The default stride: the number of elements in a row or column. */
function defaultStride({ rows, columns }: Fragment, byRows: boolean): number {
  return byRows ? columns : rows;
}

/** What the addresses of a matrix depend on. */
interface Placement {
  readonly variant: Variant;
  readonly own: Fragment;
  readonly byRows: boolean;
  readonly stride: Ref | null;
  /** The registers whose contents are stored; empty for a load. */
  readonly words: readonly Ref[];
}

function findElements({ variant, own, byRows, stride, words }: Placement): readonly Step[] {
  const { perAccess, count } = accessesOf(own, byRows);
  const rows = stride === null ? defaultStride(own, byRows) : 0;
  const plan = addressPlan(
    own,
    count,
    (lane, index) => {
      const { row, column } = placeOf(own, lane, index * perAccess);
      const [strides, along] = byRows ? [row, column] : [column, row];
      return { source: lane, stride: stride === null ? 0 : strides, bytes: ((rows * strides + along) * own.bits) / 8 };
    },
    { strideBits: own.bits, words: words.map(() => own.registerBits) },
  );
  const name = `${variant.mnemonic}${stride === null ? '' : ' stride'}`;
  return findAddresses(name, plan, { address: '$p', stride, words });
}

interface TransferRow {
  readonly side: Side;
  readonly shape: string;
  readonly family: Family;
  readonly types: readonly TypeName[];
  readonly bits: number;
  /** What the form's id calls the elements. */
  readonly name: string;
  /** The types of the registers. */
  readonly list: ListType;
}

const stride: OperandPattern = read('stride', '.u32', { unpacked: true });

function transferForms(row: TransferRow): readonly InstructionForm[] {
  return [false, true].flatMap((strided) => {
    const loads = transferForm(row, false, strided);
    return row.side === 'c' ? [loads, transferForm(row, true, strided)] : [loads];
  });
}

function transferForm(
  { side, shape, family, types, bits, name, list: listType }: TransferRow,
  stores: boolean,
  strided: boolean,
): InstructionForm {
  const own = fragment(side, shapeOf(shape), bits, side !== 'c' && family.name === 'f16');
  const isSum = side === 'c';
  const list = registerList('r', stores ? 'read' : 'write', own.registers, listType);
  const address: OperandPattern = {
    kind: 'address',
    name: 'p',
    access: stores ? 'store' : 'load',
    least: { bits: 32 },
  };
  const opcode = stores ? 'wmma.store.d' : `wmma.load.${side}`;
  const names = stores ? '[p], r' : 'r, [p]';
  const words = stores ? refsOf('r', own.registers) : [];
  const only = family.rowColumn === true && !isSum ? (side === 'a' ? ['.row'] : ['.col']) : ['.row', '.col'];
  return matrixForm({
    id: `${opcode}.${shape}.${name}${strided ? '.stride' : ''}`,
    section: stores ? '9.7.14.4.4' : '9.7.14.4.3',
    syntax: `${opcode}.sync${alignedOf(family)}.layout.${shape}{.ss}.type  ${names}${strided ? ', stride' : ''}`,
    summary: stores
      ? 'Stores a matrix that a warp holds.'
      : `Loads matrix ${side.toUpperCase()} of a product into a warp.`,
    subject: `${opcode} of ${types.join(', ')}`,
    ways: family.ways,
    rows: [...aligned, ...laterShape(shape), sharedRow],
    sets: { ...spaces, layout: only, type: types },
    constraints: [{ kind: 'needs-modifier', modifier: '.shared::cta', oneOf: ['.aligned'] }],
    operands: [...(stores ? [address, list] : [list, address]), ...(strided ? [stride] : [])],
    steps: (variant) => {
      const byRows = has(variant, '.row');
      const transfer = { own, byRows, space: spaceOf(variant) };
      return [
        ...findElements({ variant, own, byRows, stride: strided ? '$stride' : null, words }),
        ...(stores ? storeRegisters(transfer) : loadRegisters(transfer)),
      ];
    },
  });
}

/**
 * The rows for loads and stores of accumulators. If several families have the same shape and accumulator type, the row
 * is taken from the first of them, because that family introduced the shape.
 */
function sumRows(): readonly TransferRow[] {
  const found = new Map<string, TransferRow>();
  for (const family of families) {
    for (const shape of family.shapes) {
      for (const type of family.sums) {
        const key = `${shape} ${type}`;
        if (found.has(key)) continue;
        const [bits, name, list] = [bitsOfSum(type), type.slice(1), sumLists[type][1]] as const;
        found.set(key, { side: 'c', shape, family, types: [type], bits, name, list });
      }
    }
  }
  return [...found.values()];
}

const factorRows = (): readonly TransferRow[] =>
  families.flatMap((family) =>
    family.shapes.flatMap((shape) =>
      (['a', 'b'] as const).map((side): TransferRow => {
        const { factors, bits, name, loaded } = family;
        return { side, shape, family, types: factors, bits, name, list: loaded };
      }),
    ),
  );

// --- mma ------------------------------------------------------------------------------------------------------------

/** One line of wmma.mma. */
interface ProductRow {
  readonly family: Family;
  readonly shape: string;
  readonly d: SumType;
  readonly c: SumType;
}

function productRows(family: Family): readonly ProductRow[] {
  return family.shapes.flatMap((shape) =>
    family.sums.flatMap((d) => family.sums.map((c): ProductRow => ({ family, shape, d, c }))),
  );
}

const roundings: Readonly<Record<string, string>> = { f64: '{.frnd}' };
const endings = new Set(['f16', 's8', 'u8', 's4', 'u4']);

/** For floats, the modifier was allowed only up to version 6.4. */
const finiteRow: AvailabilityRow = {
  subject: 'wmma.mma of floats with .satfinite',
  when: { modifiers: ['.satfinite'] },
  ways: [{ ...at('6.0', 70), until: 605 }],
};

function productForm({ family, shape, d, c }: ProductRow): InstructionForm {
  const size = shapeOf(shape);
  const isHalf = family.name === 'f16';
  const [a, b] = [fragment('a', size, family.bits, isHalf), fragment('b', size, family.bits, isHalf)];
  const [own, result] = [fragment('c', size, bitsOfSum(c), false), fragment('c', size, bitsOfSum(d), false)];
  const fragments: Fragments = { ...size, a, b, c: own, d: result };
  const types = isHalf ? `${d}${c}` : `${d}${family.factors.join('')}${family.factors.join('')}${c}`;
  const op = family.name === 'b1' ? '.bitOp.popc' : '';
  return matrixForm({
    id: `wmma.mma.${shape}${d}.${family.name}${d === c ? '' : c}`,
    section: '9.7.14.4.5',
    syntax: `wmma.mma${op}.sync${alignedOf(family)}.alayout.blayout.${shape}${roundings[family.name] ?? ''}${types}${endings.has(family.name) ? '{.satfinite}' : ''}  d, a, b, c`,
    summary: `D = A * B + C with A of ${size.m} by ${size.k} and B of ${size.k} by ${size.n}, in wmma fragments.`,
    subject: `wmma.mma of ${family.factors.join(', ')}`,
    ways: family.ways,
    rows: [...aligned, ...laterShape(shape), ...(isHalf ? [finiteRow] : []), ...andRow(family)],
    sets: { ...layouts, bitOp: ['.and', '.xor'] },
    constraints: family.rowColumn === true ? rowColumn : [],
    operands: [
      registerList('d', 'write', result.registers, sumLists[d][1]),
      factorList('a', a.registers, family.multiplied),
      factorList('b', b.registers, family.multiplied),
      registerList('c', 'read', own.registers, sumLists[c][0]),
    ],
    steps: (variant, environment) =>
      multiply(variant.mnemonic, productOf(family, fragments, variant, environment), {
        to: refsOf('d', result.registers),
        from: [...refsOf('a', a.registers), ...refsOf('b', b.registers), ...refsOf('c', own.registers)],
      }),
  });
}

function andRow({ name }: Family): readonly AvailabilityRow[] {
  return name === 'b1' ? [{ subject: 'wmma.mma with .and', when: { modifiers: ['.and'] }, ways: [at('7.1', 80)] }] : [];
}

function productOf({ name }: Family, fragments: Fragments, variant: Variant, environment: Environment): MatrixProduct {
  switch (name) {
    case 's8':
    case 'u8':
    case 's4':
    case 'u4':
      return integers(fragments, variant);
    case 'b1':
      return bitwise(fragments, variant);
    case 'f64':
      return doubles(fragments, variant);
    default: {
      const last = variant.types.length - 1;
      const factor = last === 1 ? 'f16' : factorFormat(variant, 1);
      return floatProduct(fragments, [factor, factor, sumFormat(variant, last), sumFormat(variant, 0)], environment);
    }
  }
}

/** wmma.load, wmma.store and wmma.mma. */
export const wmmaForms = (): readonly InstructionForm[] => [
  ...factorRows().flatMap(transferForms),
  ...sumRows().flatMap(transferForms),
  ...families.flatMap(productRows).map(productForm),
];
