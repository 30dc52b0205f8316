/**
 * The steps that each warp of a warpgroup executes for a wgmma instruction. Each warp computes 16 rows of D from the
 * corresponding rows of A and all of B, so the product of a warp is independent of the other warps. The product is
 * complete when the instruction ends, which is one of the orders that the ISA allows. At `wgmma.wait_group`, the warps
 * wait for each other, because a product of the whole warpgroup is complete only when every warp has started it.
 */
import type { Constants, Variant } from '../../form.ts';
import type { MatrixProduct } from '../../matrix-product.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { bits, constant, integer, select } from '../integer/steps.ts';
import { lanePosition, openMatrix, loadRegister, type SharedMatrix, openRow } from './descriptor.ts';
import { refsOf } from './parts.ts';
import { multiply } from './products.ts';

/** The operands whose values determine the steps of an instruction. */
export const decisive: readonly string[] = ['scale-d', 'imm-scale-a', 'imm-scale-b', 'imm-trans-a', 'imm-trans-b'];

/** One warp's part of a product of shape m64nNkK. */
export interface WarpProduct {
  readonly product: MatrixProduct;
  /** Whether A is in registers. */
  readonly registers: boolean;
  /** A mask of the sign bits of the elements in a register of A. */
  readonly signs: number;
}

export function multiplySteps(
  variant: Variant,
  { product, registers, signs }: WarpProduct,
  constants: Constants,
): readonly Step[] {
  const [countA, countB, countD] = [product.a, product.b, product.d].map(({ fragment }) => fragment.registers);
  const a = refsOf('a', countA ?? 0);
  const b = refsOf('b', countB ?? 0);
  const before = refsOf('c', countD ?? 0);
  const added = constants.get('scale-d');
  const isNegative = (constants.get('imm-scale-a') ?? 1) * (constants.get('imm-scale-b') ?? 1) < 0;
  const c = added === 1 ? before : before.map((_, i): Ref => (added === 0 ? '$0' : `$c.${i}.added`));
  const factors = isNegative ? a.map((ref): Ref => `${ref}.negated`) : a;
  return [
    ...lanePosition,
    ...(registers ? [] : loadA({ descriptor: '$a-desc', alongK: constants.get('imm-trans-a') !== 1 }, a)),
    ...loadB({ descriptor: '$b-desc', alongK: constants.get('imm-trans-b') !== 1 }, b, product.n / 8),
    ...(isNegative
      ? [constant('$signs', signs), ...a.map((ref) => bits('xor', 32, `${ref}.negated`, ref, '$signs'))]
      : []),
    ...(added === undefined ? before.map((ref) => select(`${ref}.added`, '$scale-d', ref, '$0')) : []),
    ...multiply(variant.mnemonic, product, {
      to: refsOf('d', countD ?? 0),
      from: [...factors, ...b, ...c, ...(product.sparsity === null ? [] : (['$sp-meta.0', '$sp-sel'] as const))],
    }),
  ];
}

/** A warp multiplies 16 rows of A: two tiles of eight rows. The warp's number determines which rows these are. */
function loadA(matrix: SharedMatrix, to: readonly Ref[]): readonly Step[] {
  return [
    ...openMatrix(matrix, tilesOfA),
    bits('and', 32, '$warp.in-group', '$WARP', '$3'),
    bits('shl', 32, '$upper', '$warp.in-group', '$1'),
    integer('add', 'u32', '$lower', '$upper', '$1'),
    ...openRow(matrix, 'upper', '$upper'),
    ...openRow(matrix, 'lower', '$lower'),
    ...to.flatMap((register, i) => loadRegister(matrix, i % 2 === 0 ? 'upper' : 'lower', i >> 1, register)),
  ];
}

/** The number of tiles in a row of tiles of A. */
const tilesOfA = 2;

/** A row of tiles contains eight columns of B. B has `rows` such rows. */
function loadB(matrix: SharedMatrix, to: readonly Ref[], rows: number): readonly Step[] {
  const tiles = to.length / rows;
  return [
    ...openMatrix(matrix, tiles),
    ...to.flatMap((register, i): readonly Step[] => {
      const [row, at] = [Math.floor(i / tiles), i % tiles];
      const number: Ref = `$tile.${row}`;
      const open: readonly ValueStep[] = at > 0 ? [] : [constant(number, row), ...openRow(matrix, 'tile', number)];
      return [...open, ...loadRegister(matrix, 'tile', at, register)];
    }),
  ];
}

export const commitSteps: readonly Step[] = [{ kind: 'commit-group', of: 'wgmma' }];

/** The thread waits for its own products, and all warps of the warpgroup wait for each other. */
export const waitSteps: readonly Step[] = [
  { kind: 'wait-group', of: 'wgmma', pending: '$n', onlyReads: false },
  constant('$log2-warps', 2),
  bits('shr.u', 32, '$group', '$WARP', '$log2-warps'),
  constant('$warpgroup', 128),
  {
    kind: 'barrier',
    barrier: '$group',
    internal: true,
    count: '$warpgroup',
    waits: true,
    reduce: null,
    to: [],
    from: [],
  },
];
