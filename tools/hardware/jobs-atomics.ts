/**
 * Jobs about atom and red: every operation, type and state space of sm_90. Each thread has a location of its own.
 *
 * tsx tools/hardware/jobs-atomics.ts > JOBS.jsonl
 */
import {
  changed,
  header,
  input,
  job,
  kernelOf,
  type NumberType,
  pairsOf,
  print,
  Random,
  results,
  words,
} from './copies-parts.ts';
import type { Job } from '../../test/hardware/job.ts';

interface Operation {
  /** The part of the mnemonic after the state space: the operation, the vector size and the type. */
  readonly text: string;
  readonly values: NumberType;
  /** The width of an operand, or of an element of a vector. */
  readonly width: 16 | 32 | 64 | 128;
  readonly lanes: number;
  /** Whether there is a third operand. */
  readonly third?: boolean;
  readonly onlyAtom?: boolean;
}

const each = <T, U>(list: readonly T[], of: (one: T) => readonly U[]): readonly U[] => list.flatMap(of);
const scalar = (
  text: string,
  values: NumberType,
  width: Operation['width'],
  more: Partial<Operation> = {},
): Operation => ({
  text,
  values,
  width,
  lanes: 1,
  ...more,
});
const integerValues = (type: string): NumberType => (type.endsWith('64') ? 'u64' : 'u32');
const integer = (op: string, type: string): Operation =>
  scalar(`.${op}.${type}`, integerValues(type), type.endsWith('64') ? 64 : 32);

const halves = [
  ['f16', 'f16', 16],
  ['bf16', 'bf16', 16],
  ['f16x2', 'f16', 32],
  ['bf16x2', 'bf16', 32],
] as const;

const scalars: readonly Operation[] = [
  scalar('.add.f32', 'f32', 32),
  scalar('.add.f64', 'f64', 64),
  ...halves.map(([type, values, width]) => scalar(`.add.noftz.${type}`, values, width)),
  ...each(['and', 'or', 'xor'], (op) => [integer(op, 'b32'), integer(op, 'b64')]),
  ...['u32', 's32', 'u64'].map((type) => integer('add', type)),
  ...each(['min', 'max'], (op) => ['u32', 's32', 'u64', 's64'].map((type) => integer(op, type))),
  integer('inc', 'u32'),
  integer('dec', 'u32'),
  ...([32, 64, 128] as const).map((width) =>
    scalar(`.exch.b${width}`, width === 32 ? 'u32' : 'u64', width, { onlyAtom: true }),
  ),
  ...([16, 32, 64, 128] as const).map((width) =>
    scalar(`.cas.b${width}`, width === 16 ? 'u16' : width === 32 ? 'u32' : 'u64', width, {
      onlyAtom: true,
      third: true,
    }),
  ),
];

const vectors: readonly Operation[] = [
  ...[2, 4].map((lanes): Operation => ({ text: `.add.v${lanes}.f32`, values: 'f32', width: 32, lanes })),
  ...each(['add', 'min', 'max'], (op) =>
    each(halves, ([type, values, width]) =>
      (width === 16 ? [2, 4, 8] : [2, 4]).map(
        (lanes): Operation => ({ text: `.${op}.noftz.v${lanes}.${type}`, values, width, lanes }),
      ),
    ),
  ),
];

/**
 * The name of a kernel, the state space in the mnemonic, whether the location is in shared memory, and whether its
 * address is generic.
 */
const spaces = [
  ['global', '.global', false, false],
  ['shared', '.shared', true, false],
  ['cta', '.shared::cta', true, false],
  ['cluster', '.shared::cluster', true, false],
  ['generic', '', false, true],
  ['genericShared', '', true, true],
] as const;

const blockSize = 64;

// --- kernels ----------------------------------------------------------------------------------------------------------

const bank = { 16: 'h', 32: 'r', 64: 'rd', 128: 'q' } as const;

function registersOf({ width, lanes }: Operation, first: number): string {
  const names = Array.from({ length: lanes }, (_, i) => `%${bank[width]}${first + i}`);
  return lanes === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** Loads or stores the elements of a vector one after the other. */
function move(opcode: 'ld' | 'st', operation: Operation, space: string, at: string, first: number): string {
  const { width, lanes } = operation;
  return Array.from({ length: lanes }, (_, i) => {
    const [register, address] = [`%${bank[width]}${first + i}`, `[${at}+${(i * width) / 8}]`];
    const type = `${opcode}.${space}.b${width}`;
    return opcode === 'ld' ? `${type} ${register}, ${address};` : `${type} ${address}, ${register};`;
  }).join(' ');
}

/** Results are in registers from number 0 on, b is in registers from `second` on, and c from `last` on. */
function kernel(
  opcode: 'atom' | 'red',
  operation: Operation,
  [name, space, isShared, isGeneric]: (typeof spaces)[number],
): string {
  const { width, lanes, third, text } = operation;
  const size = (width / 8) * lanes;
  const [second, last] = width === 128 ? [1, 2] : [8, 12];
  const operands = [registersOf(operation, second), ...(third === true ? [registersOf(operation, last)] : [])].join(
    ', ',
  );
  const at = isShared ? (isGeneric ? '%rd38' : '%r31') : isGeneric ? '%rd33' : '%rd34';
  const result = opcode === 'atom' ? `${registersOf(operation, 0)}, ` : '';
  return kernelOf(
    `${opcode}_${name}`,
    ['u64 memory', 'u64 b', 'u64 c', 'u64 old'],
    `mov.u32 %r32, %ctaid.x; mov.u32 %r33, %tid.x; mad.lo.u32 %r34, %r32, ${blockSize}, %r33;
mul.wide.u32 %rd32, %r34, ${size}; add.u64 %rd33, %memory, %rd32; cvta.to.global.u64 %rd34, %rd33;
add.u64 %rd35, %b, %rd32; add.u64 %rd36, %c, %rd32; add.u64 %rd37, %old, %rd32;
mov.u32 %r31, locations; mad.lo.u32 %r31, %r33, ${size}, %r31; cvt.u64.u32 %rd38, %r31; cvta.shared.u64 %rd38, %rd38;
${move('ld', operation, 'global', '%rd35', second)}
${third === true ? move('ld', operation, 'global', '%rd36', last) : ''}
${isShared ? `${move('ld', operation, 'global', '%rd34', 0)} ${move('st', operation, 'shared', '%r31', 0)}` : ''}
${opcode}${space}${text} ${result}[${at}], ${operands};
${isShared ? `${opcode === 'atom' ? move('st', operation, 'global', '%rd37', 0) : ''} ${move('ld', operation, 'shared', '%r31', 0)} ${move('st', operation, 'global', '%rd34', 0)}` : opcode === 'atom' ? move('st', operation, 'global', '%rd37', 0) : ''}`,
  );
}

type Space = (typeof spaces)[number];

const spacesOf = ({ lanes }: Operation): readonly Space[] =>
  lanes === 1 ? spaces : spaces.filter(([name]) => name === 'global' || name === 'generic');
const opcodesOf = ({ onlyAtom }: Operation): readonly ('atom' | 'red')[] =>
  onlyAtom === true ? ['atom'] : ['atom', 'red'];

function moduleOf(operation: Operation): string {
  const size = (operation.width / 8) * operation.lanes * blockSize;
  const kernels = opcodesOf(operation).flatMap((opcode) =>
    spacesOf(operation).map((space) => kernel(opcode, operation, space)),
  );
  return `${header}
.shared .align 16 .b8 locations[${size}];
${kernels.join('')}`;
}

// --- values -----------------------------------------------------------------------------------------------------------

const made = new Map<string, readonly [Uint8Array, Uint8Array]>();

/** The numbers in memory and for b. Operations on the same type share them. */
function valuesOf({ values, third }: Operation): readonly [memory: Uint8Array, b: Uint8Array] {
  const key = `${values} ${third}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const count = values.includes('f') ? 1024 : 256;
  const [memory, b] = pairsOf(values, count, new Random(99));
  // Half of the comparisons succeed.
  if (third === true) for (let at = 0; at < b.length; at += 32) b.set(memory.subarray(at, at + 16), at);
  made.set(key, [memory, b]);
  return [memory, b];
}

function jobsOf(operation: Operation): readonly Job[] {
  const source = moduleOf(operation);
  const [memory, b] = valuesOf(operation);
  const slots = memory.length / ((operation.width / 8) * operation.lanes);
  const c = words(
    Array.from({ length: memory.length / 8 }, (_, i) => BigInt(i) * 0x0123_4567_89ab_cdefn),
    64,
  );
  return opcodesOf(operation).flatMap((opcode) =>
    spacesOf(operation).map(([name, space, , isGeneric]) => {
      const place = isGeneric ? `.${name}` : space;
      return job(
        `${opcode}${place}${operation.text}`,
        source,
        [
          changed(memory),
          input(b),
          input(operation.third === true ? c : new Uint8Array(8)),
          results(opcode === 'atom' ? memory.length : 8),
        ],
        { kernel: `${opcode}_${name}`, grid: [slots / blockSize, 1, 1], block: [blockSize, 1, 1] },
      );
    }),
  );
}

print([...scalars, ...vectors].flatMap(jobsOf));
