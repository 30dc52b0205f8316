/**
 * wgmma: matrix products that four warps compute together (PTX ISA 9.1, section 9.7.15). Versions and targets were
 * determined with ptxas 13.0.
 */
import type { Environment } from '../../environment.ts';
import { type InstructionForm, noConstants, type Variant } from '../../form.ts';
import { type OperandPattern, read, type ValuePattern, write } from '../../operand-patterns.ts';
import type { ProductFamily } from '../../matrix-arithmetic.ts';
import type { MatrixProduct, Sparsity } from '../../matrix-product.ts';
import { atListed, type VersionName } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needs } from '../availability-rows.ts';
import { checked, executed } from '../checked.ts';
import { noEffect } from '../no-effect.ts';
import {
  bitsOfSum,
  byteSparsity,
  halfSparsity,
  listTypes,
  type ListType,
  selectorOperand,
  sumLists,
  wordSparsity,
  registerOperand,
} from './parts.ts';
import {
  bitwise,
  factorFormat,
  floatProduct,
  type Fragments,
  fragmentsOf,
  registersFor,
  shapeOf,
  sparseIntegers,
  sumFormat,
} from './products.ts';
import { commitSteps, decisive, multiplySteps, waitSteps } from './wgmma-steps.ts';

const hopper = atListed('8.0', 'sm_90a');

/**
 * Describes the product that a variant computes; `fragments` are the fragments of its matrices. `sparsity` is null if A
 * is dense.
 */
type ProductOf = (
  fragments: Fragments,
  variant: Variant,
  environment: Environment,
  sparsity: Sparsity | null,
) => MatrixProduct;

const floats =
  (family: ProductFamily): ProductOf =>
  (fragments, variant, environment, sparsity) => {
    const [a, b, sum] = [factorFormat(variant, 1), factorFormat(variant, 2), sumFormat(variant, 0)];
    return floatProduct(fragments, [a, b, sum, sum], environment, { family, sparsity });
  };

const integers: ProductOf = (fragments, variant, _, sparsity) => sparseIntegers(fragments, variant, sparsity);

/** Types of A and B, and the rules that apply to products of these types. */
interface Row {
  readonly id: string;
  readonly d: '.f16' | '.f32' | '.s32';
  /**
   * The types of A and B: either one type for each of them, or a set from which both types are chosen independently.
   */
  readonly types: readonly [TypeName, TypeName] | { readonly each: readonly TypeName[] };
  /** Number of columns of A that are stored: half of all columns if A is sparse. */
  readonly k: number;
  /** The size of an element of A or B in bits. */
  readonly bits: number;
  /** A mask of the sign bits of the elements in a register of A. */
  readonly signBits: number;
  readonly columns: readonly number[];
  /** The types of registers that can hold A, in forms where A is in registers. */
  readonly list: ListType;
  /** Whether the instruction has operands that multiply A and B by 1 or -1. */
  readonly signs: boolean;
  /** True if the instruction has operands that transpose matrices in shared memory. */
  readonly transposes: boolean;
  /** How metadata describes the columns of A in the sparse form; absent if the types have no sparse form. */
  readonly sparsity?: Sparsity;
  readonly before?: string;
  readonly after?: string;
  /** The version that introduced these types, if it is later than the first version of the instruction. */
  readonly since?: VersionName;
  readonly product: ProductOf;
}

const everyEight = Array.from({ length: 32 }, (_, i) => 8 * (i + 1));
/** Integer products have 8 or 24 columns, or a multiple of 16. */
const integerColumns = everyEight.filter((n) => n === 8 || n === 24 || n % 16 === 0);

const half = {
  k: 16,
  bits: 16,
  signBits: 0x8000_8000,
  columns: everyEight,
  list: 'f16',
  signs: true,
  transposes: true,
  sparsity: halfSparsity(2),
  product: floats('wgmma of f16 and bf16'),
} as const;
const byte = {
  k: 32,
  bits: 8,
  signBits: 0x8080_8080,
  columns: everyEight,
  list: 'f16',
  signs: true,
  transposes: false,
  sparsity: byteSparsity(4),
  product: floats('wgmma of fp8'),
} as const;
const integer = { columns: integerColumns, list: 'any', signs: false, signBits: 0, transposes: false } as const;

const small = { each: ['.e4m3', '.e5m2'] } as const;
const integerRows = (
  [
    ['.s8', '.s8'],
    ['.u8', '.u8'],
    ['.s8', '.u8'],
    ['.u8', '.s8'],
  ] as const
).map(
  (types): Row => ({
    ...integer,
    id: `s32${types.join('')}`,
    d: '.s32',
    types,
    k: 32,
    bits: 8,
    sparsity: byteSparsity(4),
    before: '{.satfinite}',
    product: integers,
    ...(types[0] === types[1] ? {} : { since: '8.4' }),
  }),
);

const rows: readonly Row[] = [
  { ...half, id: 'f16.f16', d: '.f16', types: ['.f16', '.f16'] },
  { ...half, id: 'f32.f16', d: '.f32', types: ['.f16', '.f16'] },
  { ...half, id: 'f32.bf16', d: '.f32', types: ['.bf16', '.bf16'] },
  {
    ...half,
    id: 'f32.tf32',
    d: '.f32',
    types: ['.tf32', '.tf32'],
    k: 8,
    bits: 32,
    signBits: 0x8000_0000,
    sparsity: wordSparsity(2),
    transposes: false,
    product: floats('wgmma of tf32'),
  },
  { ...byte, id: 'f16.f8', d: '.f16', types: small },
  { ...byte, id: 'f32.f8', d: '.f32', types: small },
  ...integerRows,
  {
    ...integer,
    id: 's32.b1',
    d: '.s32',
    types: ['.b1', '.b1'],
    k: 256,
    bits: 1,
    after: '.and.popc',
    product: bitwise,
  },
];

const descriptor = (name: string): ValuePattern => read(name, '.u64');
const constant = (name: string, ...oneOf: readonly number[]): ValuePattern =>
  read(name, '.s32', { constantOnly: true, oneOf });

const metadata = (sparsity: Sparsity): readonly OperandPattern[] => [
  registerOperand('sp-meta'),
  selectorOperand('sp-sel', sparsity),
];

/** The registers that hold A. Each thread has four of these registers, regardless of the type. */
const inRegisters = (list: ListType): OperandPattern => ({
  kind: 'registers',
  name: 'a',
  element: read('a', '.b32', { special: true }),
  counts: [{ '.sync': 4 }],
  types: listTypes[list],
  joined: true,
});

/** The elements of D are divided equally among 128 threads. */
function result({ d, columns, k }: Row, sparse: boolean): OperandPattern {
  const perRegister = d === '.f16' ? 2 : 1;
  return {
    kind: 'registers',
    name: 'd',
    element: write('d', '.b32'),
    counts: [Object.fromEntries(columns.map((n) => [wordOf(n, k, sparse), n / 2 / perRegister]))],
    alsoRead: 'c',
    types: listTypes[sumLists[d][1]],
    joined: true,
  };
}

const wordOf = (n: number, k: number, sparse: boolean): string => `.m64n${n}k${sparse ? 2 * k : k}`;

/**
 * The operands after the matrices. They specify whether D is added to the product, whether A and B are negated, and
 * which matrices are transposed.
 */
function choices({ signs, transposes }: Row, registers: boolean): readonly OperandPattern[] {
  return [
    read('scale-d', '.pred', { negatable: true, oneOf: [0, 1] }),
    ...(signs ? [constant('imm-scale-a', -1, 1), constant('imm-scale-b', -1, 1)] : []),
    ...(transposes && !registers ? [constant('imm-trans-a', 0, 1)] : []),
    ...(transposes ? [constant('imm-trans-b', 0, 1)] : []),
  ];
}

function form(row: Row, registers: boolean, sparsity: Sparsity | null): InstructionForm {
  const { id, d, types, k, columns, before = '', after = '', since } = row;
  const sparse = sparsity !== null;
  const operands = [
    result(row, sparse),
    registers ? inRegisters(row.list) : descriptor('a-desc'),
    descriptor('b-desc'),
    ...(sparse ? metadata(sparsity) : []),
    ...choices(row, registers),
  ];
  const sp = sparse ? '.sp' : '';
  const factors = 'each' in types ? '.atype.btype' : types.join('');
  const made = checked(
    {
      id: `wgmma.mma_async${sp}.${id}${registers ? '.registers' : ''}`,
      section: sparse ? '9.7.15.6.3' : '9.7.15.5.2',
      syntax: `wgmma.mma_async${sp}.sync{.aligned}.shape${before}${d}${factors}${after}  ${operands.map(({ name }) => name).join(', ')}`,
      summary: `Starts to compute D = A * B or D = A * B + D${sparse ? ' with half of A omitted' : ''}, spread over four warps.`,
      sets: {
        shape: columns.map((n) => wordOf(n, k, sparse)),
        ...('each' in types ? { atype: types.each, btype: types.each } : {}),
      },
      rows: [
        ...(sparse ? [needs('wgmma.mma_async.sp', {}, atListed('8.2', 'sm_90a'))] : []),
        ...(since === undefined ? [] : [needs(`wgmma.mma_async of ${factors}`, {}, atListed(since, 'sm_90a'))]),
      ],
      operands,
    },
    hopper,
  );
  return {
    ...made,
    decidedBy: decisive,
    steps: (variant, environment, constants = noConstants) => {
      const product = warpProduct(row, sparsity, variant, environment);
      return multiplySteps(variant, { product, registers, signs: row.signBits }, constants);
    },
  };
}

/** The product that one of the four warps computes. */
function warpProduct(
  { d, bits, k, product }: Row,
  sparsity: Sparsity | null,
  variant: Variant,
  environment: Environment,
): MatrixProduct {
  const shape = { ...shapeOf(wordIn(variant)), m: 16 };
  const width = { factor: bits, c: bitsOfSum(d), d: bitsOfSum(d) };
  const fragments = fragmentsOf(shape, width, registersFor(shape, width, k), k);
  return product(fragments, variant, environment, sparsity);
}

function wordIn({ modifiers }: Variant): string {
  const word = modifiers['shape'];
  if (word === undefined) throw new Error('a wgmma has no shape');
  return word.slice(1);
}

const products = () =>
  rows.flatMap((row) =>
    (row.sparsity === undefined ? [null] : [null, row.sparsity]).flatMap((sparsity) =>
      [false, true].map((registers) => form(row, registers, sparsity)),
    ),
  );

const others = () =>
  [
    {
      id: 'fence',
      section: '9.7.15.7.1',
      operands: [],
      steps: noEffect,
      summary: 'Makes sure that earlier accesses to registers are complete before later products use the registers.',
    },
    {
      id: 'commit_group',
      section: '9.7.15.7.2',
      operands: [],
      steps: commitSteps,
      summary: 'Puts all products started so far into a group.',
    },
    {
      id: 'wait_group',
      section: '9.7.15.7.3',
      operands: [read('n', '.u64', { constantOnly: true, range: [0, Number.MAX_SAFE_INTEGER] })],
      steps: waitSteps,
      summary: 'Waits until at most n groups of products are still in progress.',
    },
  ].map(({ id, section, operands, steps, summary }) =>
    executed(
      {
        id: `wgmma.${id}`,
        section,
        syntax: `wgmma.${id}.sync{.aligned}  ${operands.map(({ name }) => name).join('')}`.trim(),
        summary,
        operands,
      },
      hopper,
      () => steps,
    ),
  );

/** wgmma.mma_async, and the instructions that order it or wait for it. */
export const wgmmaForms = (): readonly InstructionForm[] => [...products(), ...others()];
