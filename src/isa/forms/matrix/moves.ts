/** ldmatrix, stmatrix and movmatrix: PTX ISA 9.1, 9.7.14.5.15 to 9.7.14.5.17. */
import { has, type InstructionForm, type OperandPattern, read, type Variant, write } from '../../form.ts';
import type { AvailabilityRow, Constraint } from '../../form.ts';
import type { AccessSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, atSuffixed } from '../../targets.ts';
import { bits, constant } from '../integer/steps.ts';
import { addressPlan, addressRef, constantRef, findAddresses, keptRef, perLane } from './addresses.ts';
import { matrixForm, refsOf, registerList } from './parts.ts';

/** Lanes of a group of four that have a row between them. */
const group = (lane: number): number => lane >> 2;
const inGroup = (lane: number): number => lane & 3;

const shared = ['.shared', '.shared::cta'] as const;

const sharedRow: AvailabilityRow = {
  subject: '.shared::cta',
  when: { modifiers: ['.shared::cta'] },
  ways: [at('7.8', 30)],
};

function spaceOf(variant: Variant): AccessSpace {
  return variant.modifiers['space'] === undefined ? 'generic' : 'shared';
}

// --- steps ----------------------------------------------------------------------------------------------------------

function load(space: AccessSpace, width: number, to: Ref, address: Ref): Extract<Step, { readonly kind: 'load' }> {
  return { kind: 'load', space, width, to: [to], address, readOnly: false, watched: false, unused: false };
}

function store(space: AccessSpace, width: number, from: Ref, address: Ref): Step {
  return { kind: 'store', space, width, from: [from], address, watched: false };
}

/** Topmost first, as steps want lanes. */
function parts(of: Ref, count: number): readonly Ref[] {
  return Array.from({ length: count }, (_, i): Ref => `${of}.${count - 1 - i}`);
}

/** Where a lane's part `part` of register `register` is: in the row that a lane gave, after that many bytes. */
type PartPlace = (lane: number, register: number, part: number) => { readonly row: number; readonly byte: number };

/** Registers whose `count` parts of `width` bits are loaded one by one. */
interface Parts {
  readonly count: number;
  readonly width: number;
  readonly place: PartPlace;
}

const words = (place: (lane: number, register: number) => { readonly row: number; readonly byte: number }): Parts => ({
  count: 1,
  width: 32,
  place: (lane, register) => place(lane, register),
});

/** A lane has two neighbours of a row of 8. */
const rowsOf8 = words((lane, register) => ({ row: 8 * register + group(lane), byte: 4 * inGroup(lane) }));

/** A lane has two neighbours of a column of 8. */
const columnsOf8: Parts = {
  count: 2,
  width: 16,
  place: (lane, register, part) => ({ row: 8 * register + 2 * inGroup(lane) + part, byte: 2 * group(lane) }),
};

/** Which row and byte of a row a lane's byte of a transposed 16 by 16 matrix is. */
function columnOf16(lane: number, register: number, part: number): { readonly row: number; readonly byte: number } {
  const matrix = register >> 1;
  return { row: 16 * matrix + 4 * inGroup(lane) + part, byte: group(lane) + 8 * (register & 1) };
}

const columnsOf16: Parts = { count: 4, width: 8, place: columnOf16 };

/** A lane has two neighbours of each of two rows of a 16 by 8 matrix, whose columns are rows in memory. */
const pairsOf16By8: Parts = {
  count: 4,
  width: 8,
  place: (lane, register, part) => ({
    row: 8 * register + 2 * inGroup(lane) + (part & 1),
    byte: group(lane) + 8 * (part >> 1),
  }),
};

/** A lane has four neighbours of a row of 16. */
const bytesOf8By16: Parts = {
  count: 4,
  width: 8,
  place: (lane, register, part) => ({ row: 8 * register + group(lane), byte: 4 * inGroup(lane) + part }),
};

function planOf(registers: number, { count, place }: Parts, kept: readonly Ref[]): ReturnType<typeof addressPlan> {
  return addressPlan(
    registers * count,
    (lane, index) => {
      const { row, byte } = place(lane, Math.floor(index / count), index % count);
      return { source: row, stride: 0, bytes: byte };
    },
    { words: kept.map(() => 32) },
  );
}

function loadParts(variant: Variant, registers: number, how: Parts): readonly Step[] {
  const { count, width } = how;
  const space = spaceOf(variant);
  const find = findAddresses(variant.mnemonic, planOf(registers, how, []), { address: '$p', stride: null, words: [] });
  const loads = refsOf('r', registers).flatMap((register, i): Step[] => {
    if (count === 1) return [load(space, width, register, addressRef(i))];
    const own = parts(register, count);
    return [
      ...own.map((part, j) => load(space, width, part, addressRef(i * count + count - 1 - j))),
      { kind: 'pack', to: register, from: own, lane: width, stride: width },
    ];
  });
  return [...find, ...loads];
}

function storeParts(variant: Variant, registers: number, how: Parts): readonly Step[] {
  const { count, width } = how;
  const space = spaceOf(variant);
  const sources = refsOf('r', registers);
  const operands = { address: '$p', stride: null, words: sources } as const;
  const find = findAddresses(variant.mnemonic, planOf(registers, how, sources), operands);
  const stores = sources.flatMap((register, i): Step[] => {
    if (count === 1) return [store(space, width, keptRef(register), addressRef(i))];
    const own = parts(register, count);
    return [
      { kind: 'unpack', to: own, from: keptRef(register), lane: width, stride: width },
      ...own.map((part, j) => store(space, width, part, addressRef(i * count + count - 1 - j))),
    ];
  });
  return [...find, ...stores];
}

/** How small elements lie in memory: one after the other from the start of a row, then padding. */
interface Packed {
  readonly bits: 4 | 6;
  /** Their lowest bit in a byte of the result. */
  readonly low: number;
}

/** Small elements, each taken from the two bytes where it begins. */
function loadSmall(variant: Variant, registers: number, place: PartPlace, packed: Packed): readonly Step[] {
  const bitOf = (lane: number, element: number): number => place(lane, element >> 2, element & 3).byte * packed.bits;
  const count = registers * 4;
  // Two bytes for each element.
  const plan = addressPlan(
    2 * count,
    (lane, index) => {
      const element = index >> 1;
      const { row } = place(lane, element >> 2, element & 3);
      return { source: row, stride: 0, bytes: (bitOf(lane, element) >> 3) + (index & 1) };
    },
    { constants: Array.from({ length: count }, (_, element) => perLane((lane) => bitOf(lane, element) & 7)) },
  );
  const find = findAddresses(variant.mnemonic, plan, { address: '$p', stride: null, words: [] });
  const elements = Array.from({ length: count }, (_, i) => smallElement(spaceOf(variant), i, packed));
  const packs = refsOf('r', registers).map(
    (register): Step => ({ kind: 'pack', to: register, from: parts(register, 4), lane: 8, stride: 8 }),
  );
  return [...find, ...elements.flat(), ...packs];
}

/** The byte of a result for one element: bits that begin somewhere in the first of two bytes. */
function smallElement(space: AccessSpace, index: number, packed: Packed): readonly Step[] {
  const element: Ref = `$r.${index >> 2}.${index & 3}`;
  const named = (what: string): Ref => `${element}.${what}`;
  return [
    load(space, 8, named('first'), addressRef(2 * index)),
    // Most elements do not reach the second byte, which may be padding.
    { ...load(space, 8, named('second'), addressRef(2 * index + 1)), unused: true },
    { kind: 'pack', to: named('both'), from: [named('second'), named('first')], lane: 8, stride: 8 },
    bits('shr.u', 32, named('moved'), named('both'), constantRef(index)),
    { kind: 'extract', to: named('code'), from: named('moved'), low: 0, width: packed.bits },
    constant(named('low'), packed.low),
    bits('shl', 32, element, named('code'), named('low')),
  ];
}

// --- forms ----------------------------------------------------------------------------------------------------------

const loadAddress: OperandPattern = { kind: 'address', name: 'p', access: 'load' };
const storeAddress: OperandPattern = { kind: 'address', name: 'p', access: 'store' };

const counts = { '.x1': 1, '.x2': 2, '.x4': 4 } as const;

/** One line of ldmatrix or stmatrix, with one number of matrices. */
interface MoveLine {
  readonly id: string;
  readonly stores?: boolean;
  /** Everything from the shape on; `.xN` stands for the number of matrices. */
  readonly words: string;
  readonly summary: string;
  readonly perMatrix?: 2;
  readonly numbers?: readonly (keyof typeof counts)[];
  readonly row: Omit<AvailabilityRow, 'subject'>;
  readonly constraints?: readonly Constraint[];
  readonly steps: (variant: Variant, registers: number) => readonly Step[];
}

function moveForms(line: MoveLine): readonly InstructionForm[] {
  const { stores = false, numbers = ['.x1', '.x2', '.x4'], perMatrix = 1 } = line;
  const opcode = stores ? 'stmatrix' : 'ldmatrix';
  return numbers.map((number) => {
    const registers = counts[number] * perMatrix;
    const list = registerList('r', stores ? 'read' : 'write', registers, 'any');
    return matrixForm({
      id: `${opcode}.${line.id}${number}`,
      section: stores ? '9.7.14.5.16' : '9.7.14.5.15',
      syntax: `${opcode}.sync.aligned.${line.words.replace('.xN', number)}  ${stores ? '[p], r' : 'r, [p]'}`,
      summary: line.summary,
      subject: `${opcode} of ${line.id}`,
      ways: line.row.ways,
      rows: [sharedRow],
      sets: { ss: shared },
      operands: stores ? [storeAddress, list] : [list, loadAddress],
      steps: (variant) => line.steps(variant, registers),
    });
  });
}

const lines: readonly MoveLine[] = [
  {
    id: 'm8n8',
    words: 'm8n8.xN{.trans}{.ss}.b16',
    summary: 'Loads 8 by 8 matrices of 16-bit elements; every lane may give the address of a row.',
    row: { ways: [at('6.5', 75)] },
    steps: (variant, registers) => loadParts(variant, registers, has(variant, '.trans') ? columnsOf8 : rowsOf8),
  },
  {
    id: 'm16n16',
    words: 'm16n16.xN.trans{.ss}.b8',
    summary: 'Loads 16 by 16 matrices of bytes, transposed.',
    perMatrix: 2,
    numbers: ['.x1', '.x2'],
    row: { ways: [atSuffixed('8.6', 100)] },
    steps: (variant, registers) => loadParts(variant, registers, columnsOf16),
  },
  ...(
    [
      ['.b6x16_p32', { bits: 6, low: 0 }],
      ['.b4x16_p64', { bits: 4, low: 2 }],
    ] as const
  ).flatMap(([format, packed]): readonly MoveLine[] => [
    {
      id: `m16n16${format}`,
      words: `m16n16.xN.trans{.ss}.b8x16${format}`,
      summary: `Loads 16 by 16 matrices of ${packed.bits}-bit elements into bytes, transposed.`,
      perMatrix: 2,
      numbers: ['.x1', '.x2'],
      row: { ways: [atSuffixed('8.6', 100)] },
      steps: (variant, registers) => loadSmall(variant, registers, columnOf16, packed),
    },
    {
      id: `m8n16${format}`,
      words: `m8n16.xN{.ss}.b8x16${format}`,
      summary: `Loads 8 by 16 matrices of ${packed.bits}-bit elements into bytes.`,
      row: { ways: [atSuffixed('8.6', 100)] },
      steps: (variant, registers) => loadSmall(variant, registers, bytesOf8By16.place, packed),
    },
  ]),
  {
    id: 'm8n8',
    stores: true,
    words: 'm8n8.xN{.trans}{.ss}.b16',
    summary: 'Stores 8 by 8 matrices of 16-bit elements; every lane may give the address of a row.',
    row: { ways: [at('7.8', 90)] },
    steps: (variant, registers) => storeParts(variant, registers, has(variant, '.trans') ? columnsOf8 : rowsOf8),
  },
  {
    id: 'm16n8',
    stores: true,
    words: 'm16n8.xN.trans{.ss}.b8',
    summary: 'Stores 16 by 8 matrices of bytes, transposed.',
    row: { ways: [atSuffixed('8.6', 100)] },
    steps: (variant, registers) => storeParts(variant, registers, pairsOf16By8),
  },
];

const movmatrix: InstructionForm = matrixForm({
  id: 'movmatrix',
  section: '9.7.14.5.17',
  syntax: 'movmatrix.sync.aligned.m8n8.trans.b16  d, a',
  summary: 'Transposes an 8 by 8 matrix of 16-bit elements.',
  subject: 'movmatrix',
  ways: [at('7.8', 75)],
  operands: [write('d', '.b32'), read('a', '.b32')],
  steps: () => [
    {
      kind: 'collective',
      fn: { form: 'transpose' },
      to: ['$d'],
      from: ['$a'],
      mask: null,
    },
  ],
});

/** ldmatrix, stmatrix, movmatrix. */
export const matrixMoveForms: readonly InstructionForm[] = [...lines.flatMap(moveForms), movmatrix];
