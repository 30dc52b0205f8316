/** Control flow and barriers of the thread block (sections 9.7.12, 9.7.13.1 and 9.7.13.2 of PTX ISA 9.1). */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { choice } from '../../variant.ts';
import { plainWords } from '../../modifiers.ts';
import { type MemoryOrder, releasedToCluster } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, atBefore, type Availability } from '../../targets.ts';
import { needs, row } from '../availability-rows.ts';
import { noEffect } from '../no-effect.ts';
import { orderOf } from '../order-of.ts';

type Line = Pick<InstructionForm, 'id' | 'section' | 'syntax' | 'summary' | 'operands' | 'steps' | 'polls'> & {
  readonly sets?: InstructionForm['sets'];
};

function since(line: Line, way: Availability): InstructionForm {
  const availability = [row(plainWords(line.syntax, line.sets), way)];
  const { sets, ...rest } = line;
  const form = { ...rest, regime: 'exact', availability } as const;
  return sets === undefined ? form : { ...form, sets };
}

// --- bra, ret, exit -------------------------------------------------------------------------------------------------

const flow: readonly InstructionForm[] = [
  since(
    {
      id: 'bra',
      section: '9.7.12.3',
      syntax: 'bra{.uni}  target',
      summary: 'Continues at a label.',
      operands: [{ kind: 'label', name: 'target' }],
      steps: (): readonly Step[] => [{ kind: 'branch', target: 'target' }],
    },
    at('1.0'),
  ),
  since(
    {
      id: 'ret',
      section: '9.7.12.6',
      syntax: 'ret{.uni}',
      summary: 'Returns to the caller; in a kernel, ends the thread.',
      operands: [],
      steps: (): readonly Step[] => [{ kind: 'return' }],
    },
    at('1.0'),
  ),
  since(
    {
      id: 'exit',
      section: '9.7.12.7',
      syntax: 'exit',
      summary: 'Ends the thread.',
      operands: [],
      steps: (): readonly Step[] => [{ kind: 'exit' }],
    },
    at('1.0'),
  ),
];

// --- bar, barrier ---------------------------------------------------------------------------------------------------

const barrier = read('a', '.u32', { range: [0, 15], unpacked: true });
const count = read('b', '.u32', { multiple: 32, unpacked: true });
/** A thread that only arrives must specify how many threads take part. */
const arriving = read('b', '.u32', { multiple: 32, unpacked: true, range: [1, 0xffff_ffff] });
const truth = read('c', '.pred', { negatable: true });

const plain = { kind: 'barrier', barrier: '$a', internal: false, waits: true, reduce: null, to: [], from: [] } as const;

const wait = (counted: boolean): InstructionForm['steps'] => {
  const step: Step = { ...plain, count: counted ? '$b' : null };
  return (): readonly Step[] => [step];
};

const arrive: InstructionForm['steps'] = (): readonly Step[] => [{ ...plain, count: '$b', waits: false }];

const reduce =
  (counted: boolean, to: Ref): InstructionForm['steps'] =>
  (variant): readonly Step[] => {
    const operation = variant.modifiers['boolOp'] === undefined ? 'popc' : choice(variant, 'boolOp', ['and', 'or']);
    return [{ ...plain, count: counted ? '$b' : null, reduce: operation, to: [to], from: ['$c'] }];
  };

interface Spelling {
  readonly opcode: string;
  readonly aligned: string;
  readonly way: Availability;
  /**
   * The version and target that introduced `.arrive` and `.red`. In some cases, these modifiers were introduced later
   * than the barrier itself.
   */
  readonly rest: Availability;
}

const spellings: readonly Spelling[] = [
  { opcode: 'bar', aligned: '', way: at('1.0'), rest: at('2.0', 20) },
  { opcode: 'bar.cta', aligned: '', way: at('7.8', 20), rest: at('7.8', 20) },
  { opcode: 'barrier', aligned: '{.aligned}', way: at('5.1', 30), rest: at('5.1', 30) },
  { opcode: 'barrier.cta', aligned: '{.aligned}', way: at('7.8', 30), rest: at('7.8', 30) },
];

const section = '9.7.13.1';

/** The forms of `.red`: the result is either a predicate or a count, and the number of threads may be omitted. */
function reductions({ opcode, aligned, rest }: Spelling): readonly InstructionForm[] {
  const reduction = (id: string, text: string, result: OperandPattern, operands: readonly OperandPattern[]) =>
    since(
      {
        id: `${opcode}.red.${id}`,
        section,
        syntax: `${opcode}.red${text}`,
        summary: 'Waits at a barrier for the other threads and reduces a predicate over all of them.',
        operands: [result, ...operands, truth],
        steps: reduce(operands.length > 1, text.startsWith('.popc') ? '$d' : '$p'),
      },
      rest,
    );
  return [[barrier], [barrier, count]].flatMap((operands) => [
    reduction(
      `popc.${operands.length}`,
      `.popc${aligned}.u32  d, a${operands.length > 1 ? ', b' : ''}, c`,
      write('d', 0),
      operands,
    ),
    reduction(
      `bool.${operands.length}`,
      `.logic${aligned}.pred  p, a${operands.length > 1 ? ', b' : ''}, c`,
      write('p', 0),
      operands,
    ),
  ]);
}

function barriers(spelling: Spelling): readonly InstructionForm[] {
  const { opcode, aligned, way, rest } = spelling;
  return [
    since(
      {
        id: `${opcode}.sync`,
        section,
        syntax: `${opcode}.sync${aligned}  a`,
        summary: 'Waits at barrier a for all threads of the block.',
        operands: [barrier],
        steps: wait(false),
      },
      way,
    ),
    since(
      {
        id: `${opcode}.sync.count`,
        section,
        syntax: `${opcode}.sync${aligned}  a, b`,
        summary: 'Waits at barrier a until b threads have arrived.',
        operands: [barrier, count],
        steps: wait(true),
      },
      way,
    ),
    since(
      {
        id: `${opcode}.arrive`,
        section,
        syntax: `${opcode}.arrive${aligned}  a, b`,
        summary: 'Arrives at barrier a without waiting.',
        operands: [barrier, arriving],
        steps: arrive,
      },
      rest,
    ),
    ...reductions(spelling),
  ];
}

// --- fences and the like --------------------------------------------------------------------------------------------

/** Every write is visible to all other threads and proxies immediately, so ordering has no effect on values. */
const proxy = (
  id: string,
  syntax: string,
  way: Availability,
  { sets, steps = noEffect }: { readonly sets?: InstructionForm['sets']; readonly steps?: readonly Step[] } = {},
): InstructionForm =>
  since(
    {
      id,
      section: '9.7.13.4',
      syntax,
      summary: 'Orders accesses that reach memory through different proxies.',
      ...(sets === undefined ? {} : { sets }),
      operands: [],
      steps: () => steps,
    },
    way,
  );

/** Makes earlier accesses visible to bulk copies. */
const forCopies: readonly Step[] = [{ kind: 'fence', order: null }];

const strongest: MemoryOrder = { semantics: 'acq_rel', scope: 'sys' };

const fence = (id: string, syntax: string, rows: readonly AvailabilityRow[]): InstructionForm => ({
  id,
  section: '9.7.13.4',
  syntax,
  summary: 'Orders the memory accesses of the thread, as observed by the threads in a scope.',
  sets: { fenceSem: ['.sc', '.acq_rel', '.acquire', '.release'], level: ['.cta', '.gl', '.sys'] },
  regime: 'exact',
  availability: rows,
  operands: [],
  steps: (variant): readonly Step[] => [{ kind: 'fence', order: orderOf(variant, strongest) }],
});

const ordering: readonly InstructionForm[] = [
  fence('membar', 'membar.level', [
    row('membar', at('1.4')),
    needs('membar.sys', { modifiers: ['.sys'] }, at('2.0', 20)),
  ]),
  fence('fence', 'fence{.fenceSem}.scope', [
    row('fence', at('5.1', 70)),
    needs('scope .cluster', { modifiers: ['.cluster'] }, at('7.8', 90)),
    ...['.acquire', '.release'].map((word) =>
      needs(`fence${word}`, { modifiers: [word] }, at('9.1', 90), atBefore('9.1')),
    ),
  ]),
  proxy('fence.proxy.alias', 'fence.proxy.alias', at('7.5', 70)),
  proxy('membar.proxy.alias', 'membar.proxy.alias', at('7.5', 60)),
  proxy('fence.proxy.async', 'fence.proxy.async', at('8.0', 90), { steps: forCopies }),
  proxy('fence.proxy.async.space', 'fence.proxy.async.asyncSpace', at('8.0', 90), {
    sets: { asyncSpace: ['.global', '.shared::cta', '.shared::cluster'] },
    steps: forCopies,
  }),
  proxy('fence.mbarrier_init', 'fence.mbarrier_init.release.cluster', at('8.0', 90), {
    steps: [{ kind: 'fence', order: releasedToCluster }],
  }),
  proxy('fence.tensormap', 'fence.proxy.tensormap::generic.release.scope', at('8.3', 90)),
  {
    ...proxy('fence.tensormap.acquire', 'fence.proxy.tensormap::generic.acquire.scope  [a], size', at('8.3', 90)),
    operands: [
      { kind: 'address', name: 'a', access: 'load' },
      read('size', '.u32', { range: [128, 128], constantOnly: true }),
    ],
  },
  ...['acquire.sync_restrict::shared::cluster', 'release.sync_restrict::shared::cta'].flatMap((restricted) => {
    const [transfer = ''] = restricted.split('.');
    return [
      proxy(`fence.async.generic.${transfer}`, `fence.proxy.async::generic.${restricted}.cluster`, at('8.6', 90), {
        steps: forCopies,
      }),
      proxy(`fence.restricted.${transfer}`, `fence.${restricted}.cluster`, at('8.6', 90)),
    ];
  }),
  since(
    {
      id: 'nanosleep',
      section: '9.7.19.2',
      polls: true,
      syntax: 'nanosleep.u32  t',
      summary: 'Lets other threads run for about the given number of nanoseconds.',
      operands: [read('t', '.u32', { unpacked: true })],
      steps: () => noEffect,
    },
    at('6.3', 70),
  ),
  since(
    {
      id: 'trap',
      section: '9.7.19.4',
      syntax: 'trap',
      summary: 'Ends the launch with a fault.',
      operands: [],
      steps: (): readonly Step[] => [{ kind: 'trap' }],
    },
    at('1.0'),
  ),
  since(
    {
      id: 'brkpt',
      section: '9.7.19.1',
      syntax: 'brkpt',
      summary: 'Stops in a debugger; without a debugger, ends the launch like trap.',
      operands: [],
      steps: (): readonly Step[] => [{ kind: 'trap' }],
    },
    at('1.0', 11),
  ),
];

/** bra, ret, exit, bar, barrier, bar.warp.sync, and the instructions that order memory accesses or end a launch. */
export const controlForms = (): readonly InstructionForm[] => [
  ...flow,
  ...ordering,
  ...spellings.flatMap(barriers),
  since(
    {
      id: 'bar.warp.sync',
      section: '9.7.13.2',
      syntax: 'bar.warp.sync  a',
      summary: 'Waits until all threads of the warp that are in the mask have arrived.',
      operands: [read('a', '.u32', { unpacked: true })],
      steps: (): readonly Step[] => [{ kind: 'collective', fn: { form: 'sync' }, to: [], from: [], mask: '$a' }],
    },
    at('5.1', 30),
  ),
];
