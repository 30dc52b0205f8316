/**
 * Instructions that the threads of a warp execute together. In PTX ISA 9.1, section 9.7.9.6 describes shfl, sections
 * 9.7.13.8 to 9.7.13.11 describe vote, match, activemask and redux, and section 9.7.13.14 describes elect.
 */
import type { InstructionForm, Variant } from '../../form.ts';
import type { OperandPattern } from '../../operand-patterns.ts';
import { choice } from '../../variant.ts';
import { read, write } from '../../operand-patterns.ts';
import { plainWords } from '../../modifiers.ts';
import type { Collective } from '../../collective.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { type Availability, at, atBetween, atListed, type VersionName, parseVersion } from '../../targets.ts';
import { reduxFloatSteps } from './redux-float.ts';

interface Line {
  readonly id: string;
  /**
   * The name of the instruction in messages about unsupported versions and targets. By default, the name is taken from
   * the syntax line.
   */
  readonly subject?: string;
  readonly section: string;
  readonly syntax: string;
  readonly summary: string;
  readonly ways: readonly Availability[];
  readonly sets?: InstructionForm['sets'];
  readonly operands: readonly OperandPattern[];
  readonly steps: InstructionForm['steps'];
}

function form({ ways, sets, subject, ...line }: Line): InstructionForm {
  const availability = [{ subject: subject ?? plainWords(line.syntax, sets), ways }];
  const made = { ...line, regime: 'exact', availability } as const;
  return sets === undefined ? made : { ...made, sets };
}

const mask = read('membermask', '.u32', { unpacked: true });
const membermask: Ref = '$membermask';

function together(fn: Collective, to: readonly Ref[], from: readonly Ref[], by: Ref | null): readonly Step[] {
  return [{ kind: 'collective', fn, to, from, mask: by }];
}

function widthOf({ types }: Variant): 32 | 64 {
  return types[0]?.width === 64 ? 64 : 32;
}

/**
 * Before version 6.4, the instructions without `.sync` are available on all targets. From version 6.4 on, they are
 * available only on targets before sm_70.
 */
const unsynchronized = (version: VersionName, sm: number): readonly Availability[] => [
  { ...at(version, sm), until: parseVersion('6.4') },
  { ...atBetween(sm, 70), since: at(version).since },
];

// --- shfl -----------------------------------------------------------------------------------------------------------

const shuffled: OperandPattern = {
  kind: 'pair',
  name: 'd',
  first: write('d', 0),
  second: write('p', '.pred', { sink: true }),
};
const shflSources = [read('a', 0), read('b', '.b32'), read('c', '.b32')];

const shflSteps =
  (by: Ref | null): InstructionForm['steps'] =>
  (variant): readonly Step[] => {
    const mode = choice(variant, 'mode', ['up', 'down', 'bfly', 'idx']);
    return together({ form: 'shfl', mode }, ['$d', '$p'], ['$a', '$b', '$c'], by);
  };

const shfl: readonly InstructionForm[] = [
  form({
    id: 'shfl.sync',
    section: '9.7.9.6',
    syntax: 'shfl.sync.shflMode.b32  d|p, a, b, c, membermask',
    summary: 'Reads the value of another lane of the warp.',
    ways: [at('5.1', 30)],
    operands: [shuffled, ...shflSources, mask],
    steps: shflSteps(membermask),
  }),
  form({
    id: 'shfl',
    subject: 'shfl without .sync',
    section: '9.7.9.5',
    syntax: 'shfl.shflMode.b32  d|p, a, b, c',
    summary:
      'Reads the value of another lane of the warp; without .sync, this works only on targets whose warps run in lockstep.',
    ways: unsynchronized('3.0', 30),
    operands: [shuffled, ...shflSources],
    steps: shflSteps(null),
  }),
];

// --- vote, match ----------------------------------------------------------------------------------------------------

const voter = read('a', '.pred', { negatable: true });

const voteSteps =
  (by: Ref | null): InstructionForm['steps'] =>
  (variant): readonly Step[] => {
    const mode = variant.modifiers['vote'] === undefined ? 'ballot' : choice(variant, 'vote', ['all', 'any', 'uni']);
    return together({ form: 'vote', mode }, ['$d'], ['$a'], by);
  };

const vote: readonly InstructionForm[] = [
  form({
    id: 'vote.sync',
    section: '9.7.13.9',
    syntax: 'vote.sync.voteMode.pred  d, a, membermask',
    summary:
      'Whether a predicate is true for all threads (.all), true for at least one thread (.any), or the same for all threads (.uni).',
    ways: [at('5.1', 30)],
    operands: [write('d', '.pred'), voter, mask],
    steps: voteSteps(membermask),
  }),
  form({
    id: 'vote.sync.ballot',
    section: '9.7.13.9',
    syntax: 'vote.sync.ballot.b32  d, a, membermask',
    summary: 'The mask of the threads for which a predicate is true.',
    ways: [at('5.1', 30)],
    operands: [write('d', '.b32'), voter, mask],
    steps: voteSteps(membermask),
  }),
  form({
    id: 'vote',
    subject: 'vote without .sync',
    section: '9.7.13.8',
    syntax: 'vote.voteMode.pred  d, a',
    summary:
      'Whether a predicate is true for all active threads (.all), true for at least one of them (.any), or the same for all of them (.uni).',
    ways: unsynchronized('1.2', 12),
    operands: [write('d', '.pred'), voter],
    steps: voteSteps(null),
  }),
  form({
    id: 'vote.ballot',
    subject: 'vote without .sync',
    section: '9.7.13.8',
    syntax: 'vote.ballot.b32  d, a',
    summary: 'The mask of the active threads for which a predicate is true.',
    ways: unsynchronized('2.0', 20),
    operands: [write('d', '.b32'), voter],
    steps: voteSteps(null),
  }),
];

const bits32or64 = { type: ['.b32', '.b64'] };

const match: readonly InstructionForm[] = [
  form({
    id: 'match.any',
    section: '9.7.13.10',
    syntax: 'match.any.sync.type  d, a, membermask',
    summary: 'The mask of the threads that have the same value.',
    ways: [at('5.1', 70)],
    sets: bits32or64,
    operands: [write('d', '.u32', { unpacked: true }), read('a', 0), mask],
    steps: (variant) => together({ form: 'match', mode: 'any', width: widthOf(variant) }, ['$d'], ['$a'], membermask),
  }),
  form({
    id: 'match.all',
    section: '9.7.13.10',
    syntax: 'match.all.sync.type  d|p, a, membermask',
    summary: 'The mask of all threads if they have the same value, else 0.',
    ways: [at('5.1', 70)],
    sets: bits32or64,
    operands: [
      {
        kind: 'pair',
        name: 'd',
        first: write('d', '.u32', { sink: true, unpacked: true }),
        second: write('p', '.pred', { sink: true }),
      },
      read('a', 0),
      mask,
    ],
    steps: (variant) =>
      together({ form: 'match', mode: 'all', width: widthOf(variant) }, ['$d', '$p'], ['$a'], membermask),
  }),
];

// --- redux, activemask, elect ---------------------------------------------------------------------------------------

const redux: readonly InstructionForm[] = [
  form({
    id: 'redux.arithmetic',
    section: '9.7.13.12',
    syntax: 'redux.sync.op.type  d, a, membermask',
    summary: 'The sum, minimum or maximum of the values of all threads.',
    ways: [at('7.0', 80)],
    sets: { op: ['.add', '.min', '.max'], type: ['.u32', '.s32'] },
    operands: [write('d', 0, { unpacked: true }), read('a', 0, { unpacked: true }), mask],
    steps: (variant) => {
      const op = choice(variant, 'op', ['add', 'min', 'max']);
      const type = variant.types[0]?.name === '.s32' ? 's32' : 'u32';
      return together({ form: 'redux', op, type }, ['$d'], ['$a'], membermask);
    },
  }),
  form({
    id: 'redux.logic',
    section: '9.7.13.12',
    syntax: 'redux.sync.boolOp.b32  d, a, membermask',
    summary: 'The bitwise and, or, or exclusive or of the values of all threads.',
    ways: [at('7.0', 80)],
    operands: [write('d', '.u32', { unpacked: true }), read('a', '.u32', { unpacked: true }), mask],
    steps: (variant) => {
      const op = choice(variant, 'boolOp', ['and', 'or', 'xor']);
      return together({ form: 'redux', op, type: 'b32' }, ['$d'], ['$a'], membermask);
    },
  }),
  form({
    id: 'redux.float',
    section: '9.7.13.12',
    syntax: 'redux.sync.op{.abs}{.NaN}.f32  d, a, membermask',
    summary: 'The minimum or maximum of the f32 values of all threads.',
    ways: [
      atListed('8.6', 'sm_100a'),
      atListed('8.8', 'sm_100f', 'sm_103a', 'sm_103f'),
      atListed('9.4', 'sm_107a', 'sm_107f'),
    ],
    sets: { op: ['.min', '.max'] },
    operands: [write('d', 0), read('a', 0), mask],
    steps: reduxFloatSteps,
  }),
];

/** All instructions that the threads of a warp execute together. */
export const warpForms = (): readonly InstructionForm[] => [
  ...shfl,
  ...vote,
  ...match,
  ...redux,
  form({
    id: 'activemask',
    section: '9.7.13.11',
    syntax: 'activemask.b32  d',
    summary: 'The mask of the threads of the warp that execute this instruction together.',
    ways: [at('6.2', 30)],
    operands: [write('d', '.b32')],
    steps: () => together({ form: 'active' }, ['$d'], [], null),
  }),
  form({
    id: 'elect',
    section: '9.7.13.14',
    syntax: 'elect.sync  d|p, membermask',
    summary: 'Elects one thread in the mask: the one in the lowest lane.',
    ways: [at('8.0', 90)],
    operands: [
      {
        kind: 'pair',
        name: 'd',
        first: write('d', '.u32', { sink: true, unpacked: true }),
        second: write('p', '.pred'),
        both: true,
      },
      mask,
    ],
    steps: () => together({ form: 'elect' }, ['$d', '$p'], [], membermask),
  }),
];
