/** wmma.load and wmma.store: PTX ISA 9.1, sections 9.7.14.4.3 and 9.7.14.4.4. */
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import { type Fragment, placeOf, type Side } from '../../fragments.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { TypeName } from '../../types.ts';
import { spaceOf } from '../space-of.ts';
import { accessesOf, addressPlan, findAddresses } from './addresses.ts';
import { bitsOfSum, type ListType, matrixForm, refsOf, registerList, sharedRow, sumLists } from './parts.ts';
import { shapeOf } from './products.ts';
import { loadRegisters, storeRegisters } from './transfer-steps.ts';
import { type Family, families, fragmentIn, rowsFor } from './wmma-families.ts';

const spaces = { ss: ['.global', '.shared', '.shared::cta'] } as const;

/** The default stride: the number of elements in a row or column. */
function defaultStride({ rows, columns }: Fragment, byRows: boolean): number {
  return byRows ? columns : rows;
}

/** The values on which the addresses of a matrix depend. */
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

/** The properties shared by all forms that load or store one matrix. */
interface TransferRow {
  readonly side: Side;
  readonly shape: string;
  readonly family: Family;
  readonly types: readonly TypeName[];
  readonly bits: number;
  /** The name of the elements in the form's id. */
  readonly name: string;
  /** The types of the registers. */
  readonly list: ListType;
  readonly layouts: readonly string[];
}

const anyLayout = ['.row', '.col'];

const stride: OperandPattern = read('stride', '.u32', { unpacked: true });

function transferForms(row: TransferRow): readonly InstructionForm[] {
  return [false, true].flatMap((strided) => {
    const loads = transferForm(row, false, strided);
    return row.side === 'c' ? [loads, transferForm(row, true, strided)] : [loads];
  });
}

function transferForm(
  { side, shape, family, types, bits, name, list: listType, layouts }: TransferRow,
  stores: boolean,
  strided: boolean,
): InstructionForm {
  const own = fragmentIn(family, side, shapeOf(shape), bits);
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
  return matrixForm({
    id: `${opcode}.${shape}.${name}${strided ? '.stride' : ''}`,
    section: stores ? '9.7.14.4.4' : '9.7.14.4.3',
    syntax: `${opcode}.sync${family.aligned ?? '.aligned'}.layout.${shape}{.ss}.type  ${names}${strided ? ', stride' : ''}`,
    summary: stores
      ? 'Stores a matrix that a warp holds.'
      : `Loads matrix ${side.toUpperCase()} of a product into a warp.`,
    subject: `${opcode} of ${types.join(', ')}`,
    ways: family.ways,
    rows: [...rowsFor(shape), sharedRow],
    sets: { ...spaces, layout: layouts, type: types },
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
        found.set(key, { side: 'c', shape, family, types: [type], bits, name, list, layouts: anyLayout });
      }
    }
  }
  return [...found.values()];
}

const factorRows = (): readonly TransferRow[] =>
  families.flatMap((family) => {
    const { shapes, factors, bits, name, loaded, rowColumn = false } = family;
    const rest = { family, types: factors, bits, name, list: loaded } as const;
    return shapes.flatMap((shape): readonly TransferRow[] => [
      { ...rest, shape, side: 'a', layouts: rowColumn ? ['.row'] : anyLayout },
      { ...rest, shape, side: 'b', layouts: rowColumn ? ['.col'] : anyLayout },
    ]);
  });

export const wmmaMoveForms = (): readonly InstructionForm[] => [...factorRows(), ...sumRows()].flatMap(transferForms);
