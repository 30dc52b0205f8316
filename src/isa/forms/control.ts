/** Control flow (PTX ISA 9.1, 9.7.12) and barriers of the thread block (9.7.13.1, 9.7.13.2). */
import { type AvailabilityRow, type InstructionForm, type OperandPattern, read, write } from '../form.ts';
import type { Step } from '../steps.ts';
import { at, type Availability } from '../targets.ts';

type Line = Pick<InstructionForm, 'id' | 'section' | 'syntax' | 'summary' | 'operands' | 'steps'> & {
  readonly sets?: InstructionForm['sets'];
};

function since(line: Line, way: Availability): InstructionForm {
  const availability: readonly AvailabilityRow[] = [{ subject: line.syntax.split(/[{\s]/, 1)[0] ?? '', ways: [way] }];
  const { sets, ...rest } = line;
  const form = { ...rest, regime: 'exact', availability } as const;
  return sets === undefined ? form : { ...form, sets };
}

const checkedOnly: InstructionForm['steps'] = (variant): readonly Step[] => [
  { kind: 'unsupported', what: variant.mnemonic },
];

// --- bra, ret, exit -------------------------------------------------------------------------------------------------

const flow: readonly InstructionForm[] = [
  since(
    {
      id: 'bra',
      section: '9.7.12.3',
      syntax: 'bra{.uni}  target',
      summary: 'Execution goes on at a label.',
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

const barrier = read('a', '.u32', { range: [0, 15] });
const count = read('b', '.u32', { multiple: 32 });
const truth = read('c', '.pred', { negatable: true });

const wait = (counted: boolean): InstructionForm['steps'] => {
  const step: Step = { kind: 'barrier', barrier: 'a', count: counted ? 'b' : null };
  return (): readonly Step[] => [step];
};

interface Spelling {
  readonly opcode: string;
  readonly aligned: string;
  readonly way: Availability;
  /** When `.arrive` and `.red` came, where that was later. */
  readonly rest: Availability;
}

const spellings: readonly Spelling[] = [
  { opcode: 'bar', aligned: '', way: at('1.0'), rest: at('2.0', 20) },
  { opcode: 'bar.cta', aligned: '', way: at('7.8', 20), rest: at('7.8', 20) },
  { opcode: 'barrier', aligned: '{.aligned}', way: at('5.1', 30), rest: at('5.1', 30) },
  { opcode: 'barrier.cta', aligned: '{.aligned}', way: at('7.8', 30), rest: at('7.8', 30) },
];

function barriers({ opcode, aligned, way, rest }: Spelling): readonly InstructionForm[] {
  const section = '9.7.13.1';
  const reduce = (id: string, text: string, result: OperandPattern, operands: readonly OperandPattern[]) =>
    since(
      {
        id: `${opcode}.red.${id}`,
        section,
        syntax: `${opcode}.red${text}`,
        summary: 'Waits at a barrier for the other threads, and reduces a predicate over all of them.',
        sets: { truthOp: ['.and', '.or'] },
        operands: [result, ...operands, truth],
        steps: checkedOnly,
      },
      rest,
    );
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
        summary: 'Waits at barrier a until b threads have come.',
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
        summary: 'Counts as come to barrier a without waiting.',
        operands: [barrier, count],
        steps: checkedOnly,
      },
      rest,
    ),
    ...[[barrier], [barrier, count]].flatMap((operands) => [
      reduce(
        `popc.${operands.length}`,
        `.popc${aligned}.u32  d, a${operands.length > 1 ? ', b' : ''}, c`,
        write('d', 0),
        operands,
      ),
      reduce(
        `bool.${operands.length}`,
        `.truthOp${aligned}.pred  p, a${operands.length > 1 ? ', b' : ''}, c`,
        write('p', 0),
        operands,
      ),
    ]),
  ];
}

/** bra, ret, exit, bar, barrier and bar.warp.sync. */
export const controlForms: readonly InstructionForm[] = [
  ...flow,
  ...spellings.flatMap(barriers),
  since(
    {
      id: 'bar.warp.sync',
      section: '9.7.13.2',
      syntax: 'bar.warp.sync  a',
      summary: 'Waits for the threads of the warp that the mask names.',
      operands: [read('a', '.u32')],
      steps: checkedOnly,
    },
    at('5.1', 30),
  ),
];
