/**
 * tcgen05.mma: products of matrices in tensor memory and shared memory (PTX ISA 9.1, section 9.7.16.10). A product is
 * complete when the instruction ends. Products with `.ashift` are checked but not executed. Versions and targets were
 * determined with ptxas 13.0.
 */
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import { atListed } from '../../targets.ts';
import { needs } from '../availability-rows.ts';
import { checked, tensorMemory } from '../checked.ts';
import { operandList } from '../operand-list.ts';
import { listTypes } from '../matrix/parts.ts';
import { type Kind, productSteps } from './product-steps.ts';
import { blocksOf, chips, descriptor, families, groups, tensor } from './parts.ts';

/** The kinds whose products can scale the previous value of D. */
const inputScaledKinds: readonly Kind[] = ['.kind::f16', '.kind::tf32'];
const plainKinds: readonly Kind[] = [...inputScaledKinds, '.kind::f8f6f4', '.kind::i8'];

const usages = ['fill', 'use', 'lastuse', 'discard'];
const collectors = usages.map((usage) => `.collector::a::${usage}`);
const ownCollectors = [0, 1, 2, 3].flatMap((buffer) => usages.map((usage) => `.collector::b${buffer}::${usage}`));

const integers = needs(
  '.kind::i8',
  { modifiers: ['.kind::i8'] },
  atListed('8.6', 'sm_100a', 'sm_101a'),
  atListed('9.0', 'sm_110a'),
);

const enabled = read('enable-input-d', '.pred', { negatable: true });
const instruction = read('idesc', '.u32', { unpacked: true });

/** A list of registers with one bit for each row of D; the rows whose bits are set remain unchanged. */
const mask: OperandPattern = {
  kind: 'registers',
  name: 'disable-output-lane',
  element: read('disable-output-lane', '.b32', { special: true }),
  counts: [{ '.cta_group::1': 4, '.cta_group::2': 8 }],
  types: listTypes.any,
  joined: true,
};

/** Whether A is in tensor memory, and whether it is sparse, which means that half of its elements are omitted. */
interface Source {
  readonly inTensor: boolean;
  readonly sparse: boolean;
}

const sources: readonly Source[] = [false, true].flatMap((sparse) =>
  [false, true].map((inTensor) => ({ inTensor, sparse })),
);

const idOf = ({ inTensor, sparse }: Source): string => `${sparse ? '.sp' : ''}${inTensor ? '.tensor' : ''}`;

const matrices = ({ inTensor, sparse }: Source): readonly OperandPattern[] => [
  tensor('d'),
  inTensor ? tensor('a') : descriptor('a-desc'),
  descriptor('b-desc'),
  ...(sparse ? [tensor('sp-meta')] : []),
  instruction,
];

const summaryOf = ({ sparse }: Source, what = ''): string =>
  `Starts to compute D = A * B or D = A * B + D in tensor memory${what}${sparse ? ', with half of A omitted' : ''}.`;

// --- without scale factors ------------------------------------------------------------------------------------------

function kindOf(variant: Variant): Kind {
  const found = plainKinds.find((one) => has(variant, one));
  if (found === undefined) throw new Error(`'${variant.mnemonic}' has no kind`);
  return found;
}

const plainOptions = {
  stationary: false,
  masked: false,
  scalesInput: false,
  blockScaled: false,
  zeroColumns: false,
} as const;

interface Options {
  readonly masked: boolean;
  readonly scalesInput: boolean;
}

/** If A is shifted, it cannot be kept in the collector buffer for later products. */
const shifted: readonly Constraint[] = [
  {
    kind: 'axis-goes-with',
    axis: 'ashift',
    // This axis is named after its first value.
    other: 'collector::a::fill',
    values: ['', '.collector::a::lastuse', '.collector::a::discard'],
  },
];

function plain(source: Source, { masked, scalesInput }: Options): InstructionForm {
  const operands = [
    ...matrices(source),
    ...(masked ? [mask] : []),
    enabled,
    ...(scalesInput ? [read('scale-input-d', '.u32', { constantOnly: true, range: [0, 15] })] : []),
  ];
  const { inTensor, sparse } = source;
  const made = checked(
    {
      id: `tcgen05.mma${idOf(source)}${masked ? '.masked' : ''}${scalesInput ? '.scaled' : ''}`,
      section: sparse ? '9.7.16.10.9.2' : '9.7.16.10.9.1',
      syntax: `tcgen05.mma${sparse ? '.sp' : ''}.group.kind${inTensor ? '{.ashift}' : ''}{.collector}  ${operandList(operands)}`,
      summary: summaryOf(source),
      sets: { group: groups, kind: scalesInput ? inputScaledKinds : plainKinds, collector: collectors },
      ...(inTensor ? { constraints: shifted } : {}),
      rows: [
        scalesInput
          ? needs(
              'scale-input-d',
              {},
              atListed('8.6', 'sm_100a'),
              atListed('8.8', 'sm_100f', 'sm_103a', 'sm_103f'),
              atListed('9.4', 'sm_107a', 'sm_107f'),
            )
          : integers,
      ],
      operands,
    },
    ...tensorMemory,
  );
  const options = { ...plainOptions, aInTensor: inTensor, sparse, masked, scalesInput };
  return {
    ...made,
    steps: (variant, environment, constants) => {
      if (has(variant, '.ashift')) return made.steps(variant, environment, constants);
      return productSteps(kindOf(variant), { ...options, blocks: blocksOf(variant) }, environment);
    },
  };
}

const plainProducts = () =>
  sources.flatMap((source) =>
    [false, true].flatMap((masked) => [false, true].map((scalesInput) => plain(source, { masked, scalesInput }))),
  );

// --- with scale factors ---------------------------------------------------------------------------------------------

/**
 * The modifiers of one kind of product with scale factors: `counts` are modifiers that specify the number of scale
 * factors per row, and `sizes` are modifiers that specify how many elements share a scale factor.
 */
interface Blocks {
  readonly kind: string;
  readonly counts: readonly string[];
  readonly sizes: readonly string[];
  /** True if the instruction must have one of these modifiers. */
  readonly required: boolean;
  readonly counted: AvailabilityRow['ways'];
  /** The versions and targets that support a sparse A, if they differ from those for a dense A. */
  readonly sparse?: AvailabilityRow['ways'];
  readonly kindOf: (variant: Variant) => Kind;
}

/** Both modifiers mean that 16 elements share a scale factor. */
const sixteens = ['.scale_vec::4X', '.block16'];

const blocks: readonly Blocks[] = [
  {
    kind: 'mxf8f6f4',
    counts: ['.scale_vec::1X'],
    sizes: ['.block32'],
    required: false,
    counted: chips,
    kindOf: () => 'mxf8f6f4',
  },
  {
    kind: 'mxf4',
    counts: ['.scale_vec::2X'],
    sizes: ['.block32'],
    required: false,
    counted: chips,
    sparse: chips,
    kindOf: () => 'mxf4',
  },
  {
    kind: 'mxf4nvf4',
    counts: ['.scale_vec::2X', '.scale_vec::4X'],
    sizes: ['.block16', '.block32'],
    required: true,
    counted: [
      atListed('8.7', 'sm_100a', 'sm_101a'),
      atListed('8.8', 'sm_103a'),
      atListed('9.0', 'sm_110a'),
      atListed('9.4', 'sm_107a'),
    ],
    sparse: chips,
    kindOf: (variant) =>
      sixteens.some((word) => has(variant, word)) ? 'mxf4nvf4 in blocks of 16' : 'mxf4nvf4 in blocks of 32',
  },
];

function blockScaled(source: Source, row: Blocks): InstructionForm {
  const { kind, counts, sizes, required, counted } = row;
  const operands = [...matrices(source), tensor('scale-a'), tensor('scale-b'), enabled];
  const { inTensor, sparse } = source;
  const made = checked(
    {
      id: `tcgen05.mma${idOf(source)}.${kind}`,
      section: sparse ? '9.7.16.10.9.2' : '9.7.16.10.9.1',
      syntax: `tcgen05.mma${sparse ? '.sp' : ''}.group.kind::${kind}.block_scale${required ? '.blocks' : '{.blocks}'}{.collector}  ${operandList(operands)}`,
      summary: summaryOf(source, ' from elements and their scale factors'),
      sets: { group: groups, blocks: [...counts, ...sizes], collector: collectors },
      rows: [
        ...counts.map((count) => needs(`.kind::${kind}${count}`, { modifiers: [count] }, ...counted)),
        needs(`.kind::${kind} without .scale_vec`, { without: counts }, ...families),
        ...(sparse && row.sparse !== undefined ? [needs(`tcgen05.mma.sp.kind::${kind}`, {}, ...row.sparse)] : []),
      ],
      operands,
    },
    ...tensorMemory,
  );
  const options = { ...plainOptions, aInTensor: inTensor, sparse, blockScaled: true };
  return {
    ...made,
    steps: (variant, environment) =>
      productSteps(row.kindOf(variant), { ...options, blocks: blocksOf(variant) }, environment),
  };
}

const blockScaledProducts = () => sources.flatMap((source) => blocks.map((row) => blockScaled(source, row)));

// --- with B kept ----------------------------------------------------------------------------------------------------

function weightStationary(source: Source, zeros: boolean): InstructionForm {
  const operands = [...matrices(source), enabled, ...(zeros ? [read('zero-column-mask-desc', '.u64')] : [])];
  const { inTensor, sparse } = source;
  const options = { ...plainOptions, aInTensor: inTensor, sparse, stationary: true, zeroColumns: zeros } as const;
  const made = checked(
    {
      id: `tcgen05.mma.ws${idOf(source)}${zeros ? '.zeros' : ''}`,
      section: sparse ? '9.7.16.10.9.4' : '9.7.16.10.9.3',
      syntax: `tcgen05.mma.ws${sparse ? '.sp' : ''}.cta_group::1.kind{.collector}  ${operandList(operands)}`,
      summary: summaryOf(source, ' and keeps B'),
      sets: { kind: plainKinds, collector: ownCollectors },
      rows: [integers],
      operands,
    },
    ...tensorMemory,
  );
  const steps: InstructionForm['steps'] = (variant, environment) =>
    productSteps(kindOf(variant), { ...options, blocks: 1 }, environment);
  return { ...made, steps };
}

const stationaryProducts = () =>
  sources.flatMap((source) => [false, true].map((zeros) => weightStationary(source, zeros)));

/** tcgen05.mma and tcgen05.mma.ws. */
export const tensorProductForms = (): readonly InstructionForm[] => [
  ...plainProducts(),
  ...blockScaledProducts(),
  ...stationaryProducts(),
];
