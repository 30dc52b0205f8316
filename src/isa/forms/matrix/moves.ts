/** ldmatrix, stmatrix and movmatrix: PTX ISA 9.1, sections 9.7.14.5.15 to 9.7.14.5.17. */
import type { AddressPlan } from '../../collective.ts';
import { type Digit, elementsOf, type Fragment, placeOf } from '../../fragments.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { AccessSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, atListed, atSuffixed } from '../../targets.ts';
import { weakLoad } from '../access-steps.ts';
import { spaceOf } from '../space-of.ts';
import { bits, constant, integer } from '../integer/steps.ts';
import { type Access, accessesOf, addressPlan, addressRef, constantRef, findAddresses, perLane } from './addresses.ts';
import { factorList, matrixForm, refsOf, registerList, sharedRow } from './parts.ts';
import { elementRefs, loadRegisters, storeRegisters } from './transfer-steps.ts';

const shared = ['.shared', '.shared::cta'] as const;

// --- steps ----------------------------------------------------------------------------------------------------------

/**
 * Matrices of `width`-bit elements, with contiguous rows in memory. The rows of all matrices are numbered
 * consecutively, and lane r provides the address of row r.
 */
function inMemory(width: 8 | 16, row: readonly Digit[], column: readonly Digit[]): (registers: number) => Fragment {
  const [rows, columns] = [2 ** row.length, 2 ** column.length];
  return (registers) => {
    const matrices = (registers * 32 * 32) / (width * rows * columns);
    const used = Math.log2((registers * 32) / (width * matrices));
    const matrix = Array.from({ length: Math.log2(matrices) }, (_, i): Digit => `i${used + i}`);
    return { rows, columns, matrices, bits: width, registers, registerBits: 32, row, column, matrix };
  };
}

/** Each lane holds two adjacent elements of one row; a row has 8 elements. */
const rowsOf8 = inMemory(16, ['l2', 'l3', 'l4'], ['i0', 'l0', 'l1']);
/** Each lane holds two adjacent elements of one column; a column has 8 elements. */
const columnsOf8 = inMemory(16, ['i0', 'l0', 'l1'], ['l2', 'l3', 'l4']);
/** Each lane holds four adjacent elements of each of two columns; a column has 16 elements. */
const columnsOf16 = inMemory(8, ['i0', 'i1', 'l0', 'l1'], ['l2', 'l3', 'l4', 'i2']);
/** Each lane holds two adjacent elements of each of two columns; a column has 8 elements. */
const columnPairsOf8 = inMemory(8, ['i0', 'l0', 'l1'], ['l2', 'l3', 'l4', 'i1']);
/** Each lane holds four adjacent elements of one row; a row has 16 elements. */
const rowsOf16 = inMemory(8, ['l2', 'l3', 'l4'], ['i0', 'i1', 'l0', 'l1']);

/**
 * Computes `$row` from the address that a lane provides. The address of a row must be a multiple of the number of bytes
 * in a row. For any other address, `$row` is an odd address, so that accesses of more than one byte fault. Some lanes
 * provide an address that no access uses; whether it is valid does not matter.
 */
function rowStepsOf(rowBytes: 8 | 16): readonly Step[] {
  return [
    constant('$most', rowBytes - 1, 64),
    bits('and', 64, '$low', '$p', '$most'),
    integer('add', 'u64', '$carried', '$low', '$most'),
    constant('$shift', Math.log2(rowBytes)),
    bits('shr.u', 64, '$odd', '$carried', '$shift'),
    bits('or', 64, '$row', '$p', '$odd'),
  ];
}

const rowSteps = rowStepsOf(16);

/**
 * Checks the address of a row. The check is needed for matrices whose elements are accessed as single bytes, because
 * such accesses do not fault at odd addresses. The check loads two bytes at the start of the row, which faults if the
 * address is odd.
 */
function rowCheck(space: AccessSpace, index: number): Step {
  return { ...weakLoad(space, 16, ['$start'], addressRef(index)), unused: true };
}

/**
 * An access to the start of a row, which is made only to check the address of the row. Each lane checks one row, and
 * together the lanes check all rows.
 */
function startOfRow({ matrices, rows }: Fragment, lane: number): Access {
  return { source: lane % (matrices * rows), stride: 0, bytes: 0 };
}

/**
 * How a lane accesses one of its elements: which lane provides the address of the element's row, and the offset of the
 * element in bytes from that address.
 */
function accessOf(own: Fragment, lane: number, element: number): Access {
  const { matrix, row, column } = placeOf(own, lane, element);
  return { source: matrix * own.rows + row, stride: 0, bytes: (column * own.bits) / 8 };
}

/** Whether each element is accessed separately, as a single byte. */
function isByBytes(own: Fragment): boolean {
  return accessesOf(own, true).perAccess * own.bits === 8;
}

/**
 * The addresses of the parts of a matrix. If the parts are single bytes, the last address in the plan is the one that
 * `rowCheck` uses.
 */
function planOf(own: Fragment, kept: readonly Ref[]): AddressPlan {
  const { perAccess, count } = accessesOf(own, true);
  const access = (lane: number, index: number): Access =>
    index === count ? startOfRow(own, lane) : accessOf(own, lane, index * perAccess);
  return addressPlan(own, isByBytes(own) ? count + 1 : count, access, { words: kept.map(() => 32) });
}

function checkOf(space: AccessSpace, own: Fragment): readonly Step[] {
  return isByBytes(own) ? [rowCheck(space, accessesOf(own, true).count)] : [];
}

/** The steps that compute the addresses of a matrix and check them. `words` are registers that will be stored. */
function findRows(variant: Variant, own: Fragment, words: readonly Ref[]): readonly Step[] {
  const operands = { address: '$row', stride: null, words } as const;
  return [
    ...rowSteps,
    ...findAddresses(variant.mnemonic, planOf(own, words), operands),
    ...checkOf(spaceOf(variant), own),
  ];
}

function loadSteps(variant: Variant, own: Fragment): readonly Step[] {
  return [...findRows(variant, own, []), ...loadRegisters({ own, byRows: true, space: spaceOf(variant) })];
}

function storeSteps(variant: Variant, own: Fragment): readonly Step[] {
  const words = refsOf('r', own.registers);
  return [...findRows(variant, own, words), ...storeRegisters({ own, byRows: true, space: spaceOf(variant) })];
}

/**
 * The layout of 4-bit or 6-bit elements, which are stored without gaps in memory, and in one byte each in the result.
 */
interface Packed {
  readonly bits: 4 | 6;
  /** The size of a row, including the padding at its end. */
  readonly rowBytes: 8 | 16;
  /** The position, within a byte of the result, of the element's lowest bit. */
  readonly low: number;
  /** Whether elements are sign-extended. */
  readonly signed: boolean;
}

/**
 * Loads 4-bit or 6-bit elements. For each element, two bytes are loaded: the byte in which the element begins, and the
 * byte in which it ends.
 */
function loadSmall(variant: Variant, own: Fragment, packed: Packed): readonly Step[] {
  const bitOf = (lane: number, element: number): number => placeOf(own, lane, element).column * packed.bits;
  const count = elementsOf(own);
  // For each element, the plan contains the addresses of two bytes. The last address in the plan is the start of a row,
  // which is used for the check.
  const plan = addressPlan(
    own,
    2 * count + 1,
    (lane, index) => {
      if (index === 2 * count) return startOfRow(own, lane);
      const element = index >> 1;
      const { source } = accessOf(own, lane, element);
      const bit = bitOf(lane, element) + (index & 1) * (packed.bits - 1);
      return { source, stride: 0, bytes: bit >> 3 };
    },
    { constants: Array.from({ length: count }, (_, element) => perLane((lane) => bitOf(lane, element) & 7)) },
  );
  const find = findAddresses(variant.mnemonic, plan, { address: '$row', stride: null, words: [] });
  const space = spaceOf(variant);
  const elements = Array.from({ length: count }, (_, i) => smallElement(space, i, packed));
  const packs = refsOf('r', own.registers).map(
    (register): Step => ({ kind: 'pack', to: register, from: elementRefs(register, 4), lane: 8, stride: 8 }),
  );
  return [...rowStepsOf(packed.rowBytes), ...find, rowCheck(space, 2 * count), ...elements.flat(), ...packs];
}

/**
 * Computes the byte of the result that holds one element. The element starts at some bit of its first byte and may
 * extend into its second byte. The element is shifted to the top of a word, and then down to its position in the byte.
 */
function smallElement(space: AccessSpace, index: number, packed: Packed): readonly Step[] {
  const element: Ref = `$r.${index >> 2}.${index & 3}`;
  const named = (what: string): Ref => `${element}.${what}`;
  return [
    weakLoad(space, 8, [named('first')], addressRef(2 * index)),
    weakLoad(space, 8, [named('second')], addressRef(2 * index + 1)),
    { kind: 'pack', to: named('both'), from: [named('second'), named('first')], lane: 8, stride: 8 },
    bits('shr.u', 32, named('moved'), named('both'), constantRef(index)),
    { kind: 'extract', to: named('code'), from: named('moved'), low: 0, width: packed.bits },
    constant(named('up'), 32 - packed.bits),
    bits('shl', 32, named('top'), named('code'), named('up')),
    constant(named('down'), 32 - packed.bits - packed.low),
    bits(packed.signed ? 'shr.s' : 'shr.u', 32, element, named('top'), named('down')),
  ];
}

// --- forms ----------------------------------------------------------------------------------------------------------

const least = { bits: 32, generic: true } as const;
const loadAddress: OperandPattern = { kind: 'address', name: 'p', access: 'load', least };
const storeAddress: OperandPattern = { kind: 'address', name: 'p', access: 'store', least };

const counts = { '.x1': 1, '.x2': 2, '.x4': 4 } as const;

/** One line of ldmatrix or stmatrix. */
interface MoveLine {
  readonly id: string;
  readonly stores?: boolean;
  /** The rest of the mnemonic, from the shape on. `.xN` stands for the number of matrices. */
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
    const list = stores ? factorList('r', registers, 'any') : registerList('r', 'write', registers, 'any');
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

const loads = (): readonly MoveLine[] => [
  {
    id: 'm8n8',
    words: 'm8n8.xN{.trans}{.ss}.b16',
    summary: 'Loads 8 by 8 matrices of 16-bit elements; every lane may give the address of a row.',
    row: { ways: [at('6.5', 75)] },
    steps: (variant, registers) => loadSteps(variant, (has(variant, '.trans') ? columnsOf8 : rowsOf8)(registers)),
  },
  {
    id: 'm16n16',
    words: 'm16n16.xN.trans{.ss}.b8',
    summary: 'Loads 16 by 16 matrices of bytes, transposed.',
    perMatrix: 2,
    numbers: ['.x1', '.x2'],
    row: { ways: [atSuffixed('8.6', 100)] },
    steps: (variant, registers) => loadSteps(variant, columnsOf16(registers)),
  },
  ...(
    [
      ['.b6x16_p32', { bits: 6, rowBytes: 16, low: 0, signed: false }],
      ['.b4x16_p64', { bits: 4, rowBytes: 16, low: 2, signed: false }],
    ] as const
  ).flatMap(([format, packed]): readonly MoveLine[] => [
    {
      id: `m16n16${format}`,
      words: `m16n16.xN.trans{.ss}.b8x16${format}`,
      summary: `Loads 16 by 16 matrices of ${packed.bits}-bit elements into bytes, transposed.`,
      perMatrix: 2,
      numbers: ['.x1', '.x2'],
      row: { ways: [atSuffixed('8.6', 100)] },
      steps: (variant, registers) => loadSmall(variant, columnsOf16(registers), packed),
    },
    {
      id: `m8n16${format}`,
      words: `m8n16.xN{.ss}.b8x16${format}`,
      summary: `Loads 8 by 16 matrices of ${packed.bits}-bit elements into bytes.`,
      row: { ways: [atSuffixed('8.6', 100)] },
      steps: (variant, registers) => loadSmall(variant, rowsOf16(registers), packed),
    },
  ]),
  {
    id: 'm8n16.s8.s4',
    words: 'm8n16.xN{.ss}.s8.s4',
    summary: 'Loads 8 by 16 matrices of signed 4-bit elements and extends them to bytes.',
    row: { ways: [atListed('9.4', 'sm_90a'), atSuffixed('9.4', 100)] },
    steps: (variant, registers) =>
      loadSmall(variant, rowsOf16(registers), { bits: 4, rowBytes: 8, low: 0, signed: true }),
  },
];

const stores = (): readonly MoveLine[] => [
  {
    id: 'm8n8',
    stores: true,
    words: 'm8n8.xN{.trans}{.ss}.b16',
    summary: 'Stores 8 by 8 matrices of 16-bit elements; every lane may give the address of a row.',
    row: { ways: [at('7.8', 90)] },
    steps: (variant, registers) => storeSteps(variant, (has(variant, '.trans') ? columnsOf8 : rowsOf8)(registers)),
  },
  {
    id: 'm16n8',
    stores: true,
    words: 'm16n8.xN.trans{.ss}.b8',
    summary: 'Stores 16 by 8 matrices of bytes, transposed.',
    row: { ways: [atSuffixed('8.6', 100)] },
    steps: (variant, registers) => storeSteps(variant, columnPairsOf8(registers)),
  },
];

const movmatrix = (): InstructionForm =>
  matrixForm({
    id: 'movmatrix',
    section: '9.7.14.5.17',
    syntax: 'movmatrix.sync.aligned.m8n8.trans.b16  d, a',
    summary: 'Transposes an 8 by 8 matrix of 16-bit elements.',
    subject: 'movmatrix',
    ways: [at('7.8', 75)],
    operands: [write('d', '.b32'), read('a', '.b32', { registerOnly: true })],
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
export const matrixMoveForms = (): readonly InstructionForm[] => [
  ...[...loads(), ...stores()].flatMap(moveForms),
  movmatrix(),
];
