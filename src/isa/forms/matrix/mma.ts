/** Dense matrix products without scales: the instruction mma in section 9.7.14.5 of PTX ISA 9.1. */
import type { InstructionForm, Variant } from '../../form.ts';
import { choice } from '../../variant.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import { at, atSuffixed, type Availability, type VersionName } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { eachNeeds, needs } from '../availability-rows.ts';
import {
  bitsOfSum,
  bytesOfFloats,
  kinds,
  layouts,
  type ListType,
  matrixForm,
  refsOf,
  factorList,
  registerList,
  rowColumn,
  smallFloats,
  smallFloatSums,
  sumLists,
  type SumType,
} from './parts.ts';
import {
  bitwise,
  doubles,
  floats,
  fourfoldHalves,
  type Fragments,
  fragmentsOf,
  integers,
  multiply,
  type ProductOf,
  quadPairFragments,
  type Registers,
  registersFor,
  type Shape,
  shapeOf,
} from './products.ts';

const section = '9.7.14.5.14';

/** Types of A and B that follow the same rules. */
interface Row {
  /** The name that stands for the types of A and B in the form's id; absent if there is only one type. */
  readonly name?: string;
  readonly shape: string;
  readonly d: SumType;
  readonly c?: SumType;
  readonly factors: readonly TypeName[];
  /** The number of bits that an element of A or B takes up in a register. */
  readonly bits: number;
  /** Register types that A and B may have. */
  readonly list: ListType;
  /** Register types that C may have, if they differ from those for its element type. */
  readonly sources?: ListType;
  readonly ways: readonly Availability[];
  readonly rows?: readonly AvailabilityRow[];
  /** Modifiers that are written before the types, and modifiers that are written after them. */
  readonly before?: string;
  readonly after?: string;
  /** True if A and B may be stored by rows or by columns. */
  readonly anyLayout?: boolean;
  readonly product: ProductOf;
}

/**
 * Creates the form for a row. If the row lists several types for A and B, the syntax line contains a set of types for
 * each of the two matrices.
 */
function mmaForm(row: Row): InstructionForm {
  const { shape: text, d, c = d, factors, before = '', after = '' } = row;
  const [first] = factors;
  const single = factors.length === 1 && first !== undefined;
  const [a, b] = single ? [first, first] : ['.atype', '.btype'];
  const shape = shapeOf(text);
  const width = { factor: row.bits, c: bitsOfSum(c), d: bitsOfSum(d) };
  const isFourfold = row.anyLayout === true;
  const registers = isFourfold ? fourfoldRegisters(width) : registersFor(shape, width);
  const [sourceList, resultList] = [row.sources ?? sumLists[c][0], sumLists[d][1]];
  return matrixForm({
    id: `mma.${text}${d}${single ? first : `.${row.name}`}${c === d ? '' : c}`,
    section,
    syntax: `mma.sync.aligned.${text}.alayout.blayout${before}${d}${a}${b}${c}${after}  d, a, b, c`,
    summary: `D = A * B + C with A of ${shape.m} by ${shape.k} and B of ${shape.k} by ${shape.n}, spread over a warp.`,
    subject: `mma.${text} of ${factors.join(', ')} with ${d}`,
    ways: row.ways,
    ...(row.rows === undefined ? {} : { rows: row.rows }),
    sets: { ...layouts, bitOp: ['.and', '.xor'], kind: kinds, ...(single ? {} : { atype: factors, btype: factors }) },
    constraints: isFourfold ? [] : rowColumn,
    operands: [
      registerList('d', 'write', registers.d, resultList),
      factorList('a', registers.a, row.list),
      factorList('b', registers.b, row.list),
      registerList('c', 'read', registers.c, sourceList),
    ],
    steps: (variant, environment) =>
      multiply(variant.mnemonic, row.product(fragmentsFor(row, shape, registers, variant), variant, environment), {
        to: refsOf('d', registers.d),
        from: [...refsOf('a', registers.a), ...refsOf('b', registers.b), ...refsOf('c', registers.c)],
      }),
  });
}

/**
 * A single m8n8k4 instruction for f16 computes four matrix products. Each lane therefore holds 4 elements each of A and
 * B, and 8 elements each of C and D.
 */
function fourfoldRegisters({ c, d }: { readonly c: number; readonly d: number }): Registers {
  return { a: 2, b: 2, c: c / 4, d: d / 4 };
}

function fragmentsFor(
  { d, c = d, bits, anyLayout }: Row,
  shape: Shape,
  registers: Registers,
  variant: Variant,
): Fragments {
  const width = { factor: bits, c: bitsOfSum(c), d: bitsOfSum(d) };
  if (anyLayout !== true) return fragmentsOf(shape, width, registers);
  const isRow = (axis: string): boolean => choice(variant, axis, ['row', 'col']) === 'row';
  return quadPairFragments(isRow('alayout'), isRow('blayout'), width);
}

// --- rows -----------------------------------------------------------------------------------------------------------

const ampere = [at('7.0', 80)];
const turing = [at('6.5', 75)];

const halves = (): readonly Row[] =>
  (
    [
      ['m16n8k8', ['.f16'], ['.f16', '.f32'], turing],
      ['m16n8k16', ['.f16'], ['.f16', '.f32'], ampere],
      ['m16n8k8', ['.bf16'], ['.f32'], ampere],
      ['m16n8k16', ['.bf16'], ['.f32'], ampere],
      ['m16n8k4', ['.tf32'], ['.f32'], ampere],
      ['m16n8k8', ['.tf32'], ['.f32'], ampere],
    ] as const
  ).flatMap(([shape, factors, results, ways]) =>
    results.map(
      (d): Row => ({
        shape,
        d,
        factors,
        bits: factors[0] === '.tf32' ? 32 : 16,
        list: factors[0] === '.f16' ? 'f16' : 'bits',
        ways,
        product: floats,
      }),
    ),
  );

const fourfold = (): readonly Row[] =>
  (
    [
      ['.f16', '.f16'],
      ['.f32', '.f16'],
      ['.f32', '.f32'],
    ] as const
  ).map(
    ([d, c]): Row => ({
      shape: 'm8n8k4',
      d,
      c,
      factors: ['.f16'],
      bits: 16,
      list: 'f16',
      ways: [at('6.4', 70)],
      anyLayout: true,
      product: fourfoldHalves,
    }),
  );

const doubleRows = (): readonly Row[] =>
  ['m8n8k4', 'm16n8k4', 'm16n8k8', 'm16n8k16'].map(
    (shape): Row => ({
      shape,
      d: '.f64',
      factors: ['.f64'],
      bits: 64,
      list: 'any double',
      ways: shape === 'm8n8k4' ? ampere : [at('7.8', 90)],
      before: '{.frnd}',
      product: doubles,
    }),
  );

const bytes: readonly TypeName[] = ['.u8', '.s8'];
const nibbles: readonly TypeName[] = ['.u4', '.s4'];

const integerRows = (): readonly Row[] =>
  (
    [
      ['m8n8k16', bytes, 8, turing],
      ['m16n8k16', bytes, 8, ampere],
      ['m16n8k32', bytes, 8, ampere],
      ['m8n8k32', nibbles, 4, turing],
      ['m16n8k32', nibbles, 4, ampere],
      ['m16n8k64', nibbles, 4, ampere],
    ] as const
  ).map(
    ([shape, factors, width, ways]): Row => ({
      name: `int${width}`,
      shape,
      d: '.s32',
      factors,
      bits: width,
      list: shape === 'm8n8k16' ? 's32' : 'any',
      ways,
      before: '{.satfinite}',
      product: integers,
    }),
  );

const bitRows = (): readonly Row[] =>
  ['m8n8k128', 'm16n8k128', 'm16n8k256'].map(
    (shape): Row => ({
      shape,
      d: '.s32',
      factors: ['.b1'],
      bits: 1,
      list: 'any',
      ways: [at('7.0', shape === 'm8n8k128' ? 75 : 80)],
      rows: [needs('mma with .and', { modifiers: ['.and'] }, at('7.1', 80))],
      after: '.bitOp.popc',
      product: bitwise,
    }),
  );

const kindRow = (version: VersionName): readonly AvailabilityRow[] => eachNeeds(kinds, atSuffixed(version, 100));

const fp8Rows = (): readonly Row[] =>
  (['m16n8k16', 'm16n8k32'] as const).flatMap((shape) =>
    (['.f16', '.f32'] as const).map((d): Row => {
      const isFirst = shape === 'm16n8k32' && d === '.f32';
      return {
        name: 'fp8',
        shape,
        d,
        factors: bytesOfFloats,
        bits: 8,
        list: 'any',
        sources: smallFloatSums[d],
        ways: [at(isFirst ? '8.4' : '8.7', 89)],
        rows: kindRow(isFirst ? '8.6' : '8.7'),
        before: '{.kind}',
        product: floats,
      };
    }),
  );

const smallRows = (): readonly Row[] =>
  (['.f16', '.f32'] as const).map(
    (d): Row => ({
      name: 'f8f6f4',
      shape: 'm16n8k32',
      d,
      factors: smallFloats,
      bits: 8,
      list: 'any',
      sources: smallFloatSums[d],
      ways: [atSuffixed('8.7', 120)],
      before: '.kind::f8f6f4',
      product: floats,
    }),
  );

/** All dense forms of mma without scales. */
export const denseForms = (): readonly InstructionForm[] =>
  [...fourfold(), ...halves(), ...doubleRows(), ...integerRows(), ...bitRows(), ...fp8Rows(), ...smallRows()].map(
    mmaForm,
  );
