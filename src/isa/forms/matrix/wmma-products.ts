/** wmma.mma: PTX ISA 9.1, section 9.7.14.4.5. */
import type { InstructionForm } from '../../form.ts';
import {
  bitsOfSum,
  factorList,
  layouts,
  matrixForm,
  refsOf,
  registerList,
  rowColumn,
  sumLists,
  type SumType,
} from './parts.ts';
import { type Fragments, multiply, shapeOf } from './products.ts';
import { type Family, families, fragmentIn, rowsFor } from './wmma-families.ts';

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

function productForm({ family, shape, d, c }: ProductRow): InstructionForm {
  const { name, factors, bits, multiplied, op = '', aligned = '.aligned', before = '', after = '' } = family;
  const size = shapeOf(shape);
  const [a, b] = [fragmentIn(family, 'a', size, bits), fragmentIn(family, 'b', size, bits)];
  const [own, result] = [fragmentIn(family, 'c', size, bitsOfSum(c)), fragmentIn(family, 'c', size, bitsOfSum(d))];
  const fragments: Fragments = { ...size, a, b, c: own, d: result };
  const named = family.areFactorsImplied === true ? [] : [...factors, ...factors];
  return matrixForm({
    id: `wmma.mma.${shape}${d}.${name}${d === c ? '' : c}`,
    section: '9.7.14.4.5',
    syntax: `wmma.mma${op}.sync${aligned}.alayout.blayout.${shape}${before}${[d, ...named, c].join('')}${after}  d, a, b, c`,
    summary: `D = A * B + C with A of ${size.m} by ${size.k} and B of ${size.k} by ${size.n}, in wmma fragments.`,
    subject: `wmma.mma of ${factors.join(', ')}`,
    ways: family.ways,
    rows: [...rowsFor(shape), ...(family.productRows ?? [])],
    sets: { ...layouts, bitOp: ['.and', '.xor'] },
    constraints: family.rowColumn === true ? rowColumn : [],
    operands: [
      registerList('d', 'write', result.registers, sumLists[d][1]),
      factorList('a', a.registers, multiplied),
      factorList('b', b.registers, multiplied),
      registerList('c', 'read', own.registers, sumLists[c][0]),
    ],
    steps: (variant, environment) =>
      multiply(variant.mnemonic, family.product(fragments, variant, environment), {
        to: refsOf('d', result.registers),
        from: [...refsOf('a', a.registers), ...refsOf('b', b.registers), ...refsOf('c', own.registers)],
      }),
  });
}

export const wmmaProductForms = (): readonly InstructionForm[] => families.flatMap(productRows).map(productForm);
