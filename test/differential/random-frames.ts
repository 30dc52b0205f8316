/** The code that surrounds random statements. It sets up registers and memory, and stores the values at the end. */
import { registers } from './random-instructions.ts';
import type { Callee, Statement } from './random-statements.ts';

/** The size of a thread's input in bytes. */
export const inputBytes = 192;
/**
 * The size of a thread's output in bytes. The output consists of the final values of the thread's registers, the part
 * of global memory that belongs to the thread, and the contents of its slot in shared memory.
 */
export const outputBytes = 256;
/**
 * The size in bytes of the counters that all threads share, which are in global memory. The counters of a block, which
 * are in shared memory, have the same size.
 */
export const counterBytes = 64;

const namesOf = (width: number): readonly string[] => registers[width] as readonly string[];

/**
 * Declares local memory and two kinds of registers: those that the random instructions use, and those that only the
 * surrounding code uses.
 */
const declarations: readonly string[] = [
  ...Object.entries(registers).map(
    ([width, names]) => `.reg .${width === '1' ? 'pred' : `b${width}`} ${names.join(', ')};`,
  ),
  '.reg .b32 %thread, %block, %threads, %own, %at, %other, %n<999>; .reg .pred %q;',
  '.reg .b64 %in, %out, %piece, %local, %generic, %wide, %count, %texture, %surface;',
  '.reg .b32 %u<4>;',
  '.local .align 16 .b8 room[64];',
];

const places: readonly string[] = [
  'mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %threads, %ntid.x;',
  'mov.u32 %own, slots; mad.lo.u32 %own, %thread, 32, %own; mov.u64 %local, room;',
  'mov.u32 %u0, 1; mov.u32 %u1, 2; mov.u32 %u2, 3; mov.u32 %u3, 4;',
];

/** Makes the results depend on the registers whose values are computed only from constants. */
const foldAlike = 'xor.b32 %r1, %r1, %u0; add.u32 %r1, %r1, %u1; xor.b32 %r1, %r1, %u2; add.u32 %r1, %r1, %u3;';

const predicates: readonly string[] = namesOf(1).map(
  (name, i) => `and.b32 %at, %r${i}, ${1 << (i + 3)}; setp.ne.u32 ${name}, %at, 0;`,
);

/** Data for loads from `.const`: values at the ends of the ranges of many formats. */
export const constants =
  '.const .align 16 .b32 constants[8] = {0, 1, 0x80000000, 0x7f800000, 0x7fc00001, 0x3f80ff80, 0x7c00fc00, 0xffffffff};';

/** Declares the shared memory of a block: a 32-byte slot for each thread, and the counters of the block. */
export function sharedMemory(block: number): string {
  return `.shared .align 16 .b8 slots[${32 * block}]; .shared .align 16 .b8 tally[64]; .shared .b32 tensor;`;
}

// --- the kernel -----------------------------------------------------------------------------------------------------

/** The positions of registers in a thread's input and output. */
const dumped = [64, 32, 16, 8].flatMap((width) => namesOf(width).map((name) => ({ name, width })));
const offsets = dumped.map((_, i) => dumped.slice(0, i).reduce((sum, { width }) => sum + width / 8, 0));

/** The first warp allocates tensor memory for the block. */
const allocation: readonly string[] = [
  'setp.lt.u32 %q, %thread, 32; @%q tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tensor], 32;',
];

const release: readonly string[] = [
  'bar.sync 0; setp.lt.u32 %q, %thread, 32; ld.shared.b32 %at, [tensor];',
  '@%q tcgen05.dealloc.cta_group::1.sync.aligned.b32 %at, 32;',
];

export function kernelFrame(body: readonly Statement[], usesTensorMemory: boolean): Statement {
  const before = [
    '.visible .entry k(.param .u64 input, .param .u64 output, .param .u64 counters, .param .u64 texture, .param .u64 surface) {',
    ...declarations,
    ...places,
    'mad.lo.u32 %at, %block, %threads, %thread;',
    `ld.param.u64 %in, [input]; mad.wide.u32 %in, %at, ${inputBytes}, %in;`,
    `ld.param.u64 %out, [output]; mad.wide.u32 %out, %at, ${outputBytes}, %out; add.u64 %piece, %out, 192;`,
    'ld.param.u64 %count, [counters]; ld.param.u64 %texture, [texture]; ld.param.u64 %surface, [surface];',
    ...dumped.map(({ name, width }, i) => `ld.global.b${width} ${name}, [%in+${offsets[i]}];`),
    ...predicates,
    'st.shared.v4.b32 [%own], {%r0, %r1, %r2, %r3}; st.shared.v4.b32 [%own+16], {%r4, %r5, %r6, %r7};',
    'mov.u32 %at, tally; setp.lt.u32 %q, %thread, 16;',
    '@%q mad.lo.u32 %at, %thread, 4, %at; @%q st.shared.u32 [%at], 0;',
    ...(usesTensorMemory ? allocation : []),
    'bar.sync 0;',
  ];
  const after = usesTensorMemory ? [...release, ...epilogue] : epilogue;
  return { before, body, after, fixed: true };
}

const epilogue: readonly string[] = [
  'bar.sync 0;',
  foldAlike,
  ...dumped.map(({ name, width }, i) => `st.global.b${width} [%out+${offsets[i]}], ${name};`),
  'mov.u32 %at, 0;',
  ...namesOf(1).map((name, i) => `@${name} or.b32 %at, %at, ${1 << i};`),
  'st.global.u32 [%out+188], %at;',
  'ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%own]; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%own+16];',
  'st.global.v4.u32 [%out+224], {%r0, %r1, %r2, %r3}; st.global.v4.u32 [%out+240], {%r4, %r5, %r6, %r7};',
  'setp.lt.u32 %q, %thread, 16; @!%q bra END;',
  'mov.u32 %at, tally; mad.lo.u32 %at, %thread, 4, %at; ld.shared.u32 %r0, [%at];',
  'mad.lo.u32 %block, %block, 16, %thread; mad.wide.u32 %count, %block, 4, %count; st.global.u32 [%count+64], %r0;',
  'END:',
  'ret; }',
];

// --- functions ------------------------------------------------------------------------------------------------------

const zeros = [0, 16, 32, 48].map((at) => `st.local.v4.u32 [room+${at}], {%n0, %n0, %n0, %n0};`);

/**
 * Returns a function with the given body. Its parameters are a word, a double word, the addresses of the thread's
 * memory and of the counters, a texture, and a surface. If results are returned in registers, the function returns a
 * word and a double word. If results are returned in `.param`, the function returns only the double word, because ptxas
 * allows only one result in `.param`.
 */
export function functionFrame({ name, inMemory }: Callee, body: readonly Statement[]): Statement {
  const taken = { word: 'b32', wide: 'b64', piece: 'b64', count: 'b64', texture: 'b64', surface: 'b64' };
  const formals = Object.entries(taken).map(([word, type]) =>
    inMemory ? `.param .${type} in_${word}` : `.reg .${type} %in_${word}`,
  );
  const take = (word: keyof typeof taken, to: string): string =>
    inMemory ? `ld.param.${taken[word]} ${to}, [in_${word}];` : `mov.${taken[word]} ${to}, %in_${word};`;
  const results = inMemory ? '.param .b64 result' : '.reg .b32 %x, .reg .b64 %y';
  const before = [
    `.func (${results}) ${name} (${formals.join(', ')}) {`,
    ...declarations,
    ...places,
    'mov.u32 %n0, 0;',
    ...zeros,
    take('word', '%r0'),
    take('wide', '%d0'),
    take('piece', '%piece'),
    take('count', '%count'),
    take('texture', '%texture'),
    take('surface', '%surface'),
    ...namesOf(32)
      .slice(1)
      .map((to, i) => `mad.lo.u32 ${to}, %r${i}, 0x9e3779b1, ${i};`),
    ...namesOf(64)
      .slice(1)
      .map((to, i) => `mad.lo.u64 ${to}, %d${i}, 0x9e3779b97f4a7c15, ${i};`),
    ...namesOf(16).map((to, i) => `cvt.u16.u32 ${to}, %r${i};`),
    'mov.b32 {%b0, %b1, %b2, %b3}, %r0;',
    ...predicates,
  ];
  const give = inMemory ? 'st.param.b64 [result], %d1;' : 'mov.b32 %x, %r1; mov.b64 %y, %d1;';
  return { before, body, after: [foldAlike, give, 'ret; }'], fixed: true };
}
