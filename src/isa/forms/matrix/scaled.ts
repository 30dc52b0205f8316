/** Block-scaled mma (PTX ISA 9.1, sections 9.7.14.5.14 and 9.7.14.6.3). Blocks of elements along k share a scale. */
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import type { Environment } from '../../environment.ts';
import type { MatrixProduct, Scaling } from '../../matrix-product.ts';
import type { Ref } from '../../steps/ref.ts';
import { atListed, atSuffixed, type VersionName } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import {
  byteSparsity,
  factorList,
  layouts,
  matrixForm,
  metadataOperands,
  nibbleSparsity,
  refsOf,
  registerList,
  rowColumn,
  smallFloats,
  registerOperand,
} from './parts.ts';
import {
  factorFormat,
  type Fragments,
  floatProduct,
  fragmentsOf,
  multiply,
  registersFor,
  shapeOf,
} from './products.ts';

/** A combination of a kind of product and a format for scale factors. */
interface Row {
  readonly kind: 'mxf8f6f4' | 'mxf4' | 'mxf4nvf4';
  readonly vector: string;
  readonly scaling: Scaling;
  readonly factors: readonly TypeName[];
  /** The version that introduced the combination; by default, the one that introduced block-scaled mma. */
  readonly since?: VersionName;
}

const nibbles: readonly TypeName[] = ['.e2m1'];

const rows: readonly Row[] = [
  {
    kind: 'mxf8f6f4',
    vector: '{.scale_vec::1X}',
    scaling: { format: 'ue8m0', block: 32, group: 1 },
    factors: smallFloats,
  },
  { kind: 'mxf4', vector: '{.scale_vec::2X}', scaling: { format: 'ue8m0', block: 32, group: 16 }, factors: nibbles },
  { kind: 'mxf4nvf4', vector: '.scale_vec::2X', scaling: { format: 'ue8m0', block: 32, group: 16 }, factors: nibbles },
  { kind: 'mxf4nvf4', vector: '.scale_vec::4X', scaling: { format: 'ue4m3', block: 16, group: 16 }, factors: nibbles },
  {
    kind: 'mxf4nvf4',
    vector: '.scale_vec::4X',
    scaling: { format: 'ue8m0', block: 16, group: 16 },
    factors: nibbles,
    since: '9.1',
  },
];

/**
 * The operand `{byte-id, thread-id}`. This operand selects the lanes whose registers hold the scale factors, and the
 * bytes within these registers.
 */
function selectorOf(side: 'a' | 'b', bytes: readonly number[]): OperandPattern {
  const elements = [
    read(`byte-id-${side}`, '.b16', { oneOf: bytes }),
    read(`thread-id-${side}`, '.b16', { range: [0, side === 'a' ? 1 : 3] }),
  ];
  return { kind: 'vector', name: `{byte-id-${side}, thread-id-${side}}`, elements, types: ['.b16', '.u16', '.s16'] };
}

const scaleRefs: readonly Ref[] = (['a', 'b'] as const).flatMap((side): Ref[] => [
  `$scale-${side}-data.0`,
  `$byte-id-${side}`,
  `$thread-id-${side}`,
]);

function scaleOperands({ block, group }: Scaling): readonly OperandPattern[] {
  const scales = group === 1 ? 1 : 64 / block;
  const bytes = [0, 1, 2, 3].filter((byte) => byte % scales === 0);
  return (['a', 'b'] as const).flatMap((side) => [registerOperand(`scale-${side}-data`), selectorOf(side, bytes)]);
}

function scaledForm(row: Row, sparse: boolean): InstructionForm {
  const { kind, vector, scaling, factors, since = '8.7' } = row;
  const isByte = kind === 'mxf8f6f4';
  const [a, b] = isByte ? ['.atype', '.btype'] : ['.e2m1', '.e2m1'];
  const text = `m16n8k${(isByte ? 32 : 64) * (sparse ? 2 : 1)}`;
  const shape = shapeOf(text);
  const bits = { factor: isByte ? 8 : 4, c: 32, d: 32 };
  const kept = sparse ? shape.k / 2 : shape.k;
  const registers = registersFor(shape, bits, kept);
  const sparsity = sparse ? (isByte ? byteSparsity(4) : nibbleSparsity(4)) : null;
  const fragments = fragmentsOf(shape, bits, registers, kept);
  const prefix = sparse ? '.sp::ordered_metadata' : '';
  const names = sparse ? 'd, a, b, c, e, f' : 'd, a, b, c';
  const scales = 'scale-a-data, {byte-id-a, thread-id-a}, scale-b-data, {byte-id-b, thread-id-b}';
  return matrixForm({
    id: `mma${sparse ? '.sp.ordered' : ''}.${text}.${kind}.${vector.replaceAll(/[^0-9X]/g, '')}${since === '8.7' ? '' : `.${scaling.format}`}`,
    section: sparse ? '9.7.14.6.3' : '9.7.14.5.14',
    syntax: `mma${prefix}.sync.aligned.${text}.alayout.blayout.kind::${kind}.block_scale${vector}.f32${a}${b}.f32.${scaling.format}  ${names}, ${scales}`,
    summary: `D = A * B + C, where ${scaling.block} elements along k share a scale in each row of A and column of B.`,
    subject: `mma with .kind::${kind}${sparse ? ' and .sp' : ''}`,
    ways: sparse && !isByte ? [atListed(since, 'sm_120a', 'sm_121a')] : [atSuffixed(since, 120)],
    sets: { ...layouts, ...(isByte ? { atype: factors, btype: factors } : {}) },
    constraints: rowColumn,
    operands: [
      registerList('d', 'write', registers.d, 'f32'),
      factorList('a', registers.a, 'bits'),
      factorList('b', registers.b, 'bits'),
      registerList('c', 'read', registers.c, 'f32'),
      ...(sparsity === null ? [] : metadataOperands(sparsity)),
      ...scaleOperands(scaling),
    ],
    steps: (variant, environment) =>
      multiply(variant.mnemonic, productOf(variant, fragments, { scaling, sparsity }, environment), {
        to: refsOf('d', registers.d),
        from: [
          ...refsOf('a', registers.a),
          ...refsOf('b', registers.b),
          ...refsOf('c', registers.c),
          ...(sparse ? (['$e.0', '$f'] as const) : []),
          ...scaleRefs,
        ],
      }),
  });
}

function productOf(
  variant: Variant,
  fragments: Fragments,
  more: Pick<Extract<MatrixProduct, { kind: 'float' }>, 'scaling' | 'sparsity'>,
  environment: Environment,
): MatrixProduct {
  const family = more.scaling?.group === 16 ? 'mxf4' : 'mxf8f6f4';
  const formats = [factorFormat(variant, 1), factorFormat(variant, 2), 'f32', 'f32'] as const;
  return floatProduct(fragments, formats, environment, { ...more, family });
}

/** All forms of mma with scales, dense and sparse. */
export const scaledForms = (): readonly InstructionForm[] =>
  rows.flatMap((row) => [scaledForm(row, false), scaledForm(row, true)]);
