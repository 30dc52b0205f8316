/**
 * mma.sp (PTX ISA 9.1, section 9.7.14.6). Half of A is omitted; metadata specifies which columns the remaining elements
 * belong to.
 */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import type { Environment } from '../../environment.ts';
import type { MatrixProduct, Sparsity } from '../../matrix-product.ts';
import { at, atListed, atSuffixed, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needsModifier } from '../availability-rows.ts';
import {
  byteSparsity,
  bytesOfFloats,
  halfSparsity,
  kinds,
  layouts,
  type ListType,
  matrixForm,
  metadataOperands,
  nibbleSparsity,
  refsOf,
  factorList,
  registerList,
  rowColumn,
  smallFloats,
  smallFloatSums,
  wordSparsity,
} from './parts.ts';
import {
  type Fragments,
  fragmentsOf,
  multiply,
  registersFor,
  shapeOf,
  sparseFloats,
  sparseIntegers,
} from './products.ts';

/** Types of A and B that follow the same rules. */
interface Row {
  readonly name: string;
  readonly shape: string;
  readonly d: '.f16' | '.f32' | '.s32';
  readonly factors: readonly TypeName[];
  readonly bits: number;
  readonly list: ListType;
  /** Register types that C and D may have. */
  readonly sums: ListType;
  readonly sparsity: Sparsity;
  readonly ordered: readonly Availability[];
  /**
   * The versions and targets that allow `.sp` without `::ordered_metadata`. Absent if the types can only be used with
   * `::ordered_metadata`.
   */
  readonly plain?: readonly Availability[];
  readonly rows?: readonly AvailabilityRow[];
  readonly before?: string;
}

function sparseForms(row: Row): readonly InstructionForm[] {
  const ordered = sparseForm(row, '.sp::ordered_metadata', row.ordered);
  return row.plain === undefined ? [ordered] : [sparseForm(row, '.sp', row.plain), ordered];
}

/** The part of a form's id that stands for the modifier, without the `::`. */
function idOf(sparsity: string): string {
  return sparsity === '.sp' ? '.sp' : '.sp.ordered';
}

function sparseForm(row: Row, sparsity: string, ways: readonly Availability[]): InstructionForm {
  const { shape: text, d, factors, before = '' } = row;
  const [first] = factors;
  const single = factors.length === 1 && first !== undefined;
  const [a, b] = single ? [first, first] : ['.atype', '.btype'];
  const shape = shapeOf(text);
  const width = d === '.f16' ? 16 : 32;
  const bits = { factor: row.bits, c: width, d: width };
  const registers = registersFor(shape, bits, shape.k / 2);
  const fragments = fragmentsOf(shape, bits, registers, shape.k / 2);
  return matrixForm({
    id: `mma${idOf(sparsity)}.${text}${d}${single ? first : `.${row.name}`}`,
    section: '9.7.14.6.3',
    syntax: `mma${sparsity}.sync.aligned.${text}.alayout.blayout${before}${d}${a}${b}${d}  d, a, b, c, e, f`,
    summary: `D = A * B + C, where A is ${shape.m} by ${shape.k} and half of it is omitted according to the metadata.`,
    subject: `mma${sparsity}.${text} of ${factors.join(', ')} with ${d}`,
    ways,
    ...(row.rows === undefined ? {} : { rows: row.rows }),
    sets: { ...layouts, kind: kinds, ...(single ? {} : { atype: factors, btype: factors }) },
    constraints: rowColumn,
    operands: [
      registerList('d', 'write', registers.d, row.sums),
      factorList('a', registers.a, row.list),
      factorList('b', registers.b, row.list),
      registerList('c', 'read', registers.c, row.sums),
      ...metadataOperands(row.sparsity),
    ],
    steps: (variant, environment) =>
      multiply(variant.mnemonic, productOf(row, fragments, variant, environment), {
        to: refsOf('d', registers.d),
        from: [...refsOf('a', registers.a), ...refsOf('b', registers.b), ...refsOf('c', registers.c), '$e.0', '$f'],
      }),
  });
}

function productOf(row: Row, fragments: Fragments, variant: Variant, environment: Environment): MatrixProduct {
  if (row.d === '.s32') return sparseIntegers(fragments, variant, row.sparsity);
  return sparseFloats(fragments, variant, environment, row.sparsity);
}

// --- rows -----------------------------------------------------------------------------------------------------------

const ampere = { plain: [at('7.1', 80)], ordered: [at('8.5', 80)] };

const halfRows = (): readonly Row[] =>
  (
    [
      ['.f16', '.f16', 'f16', 'f16'],
      ['.f16', '.f32', 'f16', 'any'],
      ['.bf16', '.f32', 'any', 'any'],
    ] as const
  ).flatMap(([type, d, list, sums]) =>
    ([1, 2] as const).map(
      (lanes): Row => ({
        name: type,
        shape: `m16n8k${16 * lanes}`,
        d,
        factors: [type],
        bits: 16,
        list,
        sums,
        sparsity: halfSparsity(lanes),
        ...ampere,
      }),
    ),
  );

const singleRows = (): readonly Row[] =>
  ([1, 2] as const).map(
    (lanes): Row => ({
      name: 'tf32',
      shape: `m16n8k${8 * lanes}`,
      d: '.f32',
      factors: ['.tf32'],
      bits: 32,
      list: 'any',
      sums: 'any',
      sparsity: wordSparsity(lanes),
      ...ampere,
    }),
  );

const integerRows = (): readonly Row[] =>
  (
    [
      ['int8', ['.u8', '.s8'], 8, 32, byteSparsity],
      ['int4', ['.u4', '.s4'], 4, 64, nibbleSparsity],
    ] as const
  ).flatMap(([name, factors, bits, k, sparsity]) =>
    ([2, 4] as const).map(
      (lanes): Row => ({
        name,
        shape: `m16n8k${(k * lanes) / 2}`,
        d: '.s32',
        factors,
        bits,
        list: 'any',
        sums: 's32',
        sparsity: sparsity(lanes),
        before: '{.satfinite}',
        ...ampere,
      }),
    ),
  );

const kindAvailability: readonly AvailabilityRow[] = kinds.map((kind) =>
  needsModifier(
    kind,
    kind.includes('f8f6f4')
      ? atSuffixed('8.6', 100)
      : atListed('8.6', 'sm_100a', 'sm_101a', 'sm_103a', 'sm_110a', 'sm_120a', 'sm_121a'),
  ),
);

const blackwell = [atSuffixed('8.7', 120)];
const bytes = { shape: 'm16n8k64', bits: 8, list: 'any', sparsity: byteSparsity(4) } as const;

const floatRows = (): readonly Row[] => [
  {
    ...bytes,
    name: 'fp8',
    d: '.f32',
    factors: bytesOfFloats,
    sums: smallFloatSums['.f32'],
    plain: [at('8.4', 89)],
    ordered: [at('8.5', 89)],
  },
  { ...bytes, name: 'fp8', d: '.f16', factors: bytesOfFloats, sums: 'f16', ordered: blackwell },
];

/** Types with a `.kind` modifier, which requires `::ordered_metadata`. */
const kindRows = (): readonly Row[] => [
  {
    ...bytes,
    name: 'fp8.kind',
    d: '.f32',
    factors: bytesOfFloats,
    sums: smallFloatSums['.f32'],
    ordered: [at('8.5', 89)],
    rows: kindAvailability,
    before: '.kind',
  },
  {
    ...bytes,
    name: 'fp8.kind',
    d: '.f16',
    factors: bytesOfFloats,
    sums: 'f16',
    ordered: blackwell,
    rows: kindAvailability,
    before: '.kind',
  },
  ...(['.f16', '.f32'] as const).map(
    (d): Row => ({
      ...bytes,
      name: 'f8f6f4',
      d,
      factors: smallFloats,
      sums: smallFloatSums[d],
      ordered: blackwell,
      before: '.kind::f8f6f4',
    }),
  ),
];

/** All forms of mma.sp without scales. */
export const sparseMmaForms = (): readonly InstructionForm[] =>
  [...halfRows(), ...singleRows(), ...integerRows(), ...floatRows(), ...kindRows()].flatMap(sparseForms);
