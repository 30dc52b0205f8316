/**
 * cp.async, non-bulk: PTX ISA 9.1, section 9.7.9.25.3. The engines complete each copy within the instruction that
 * starts it. Threads that wait for the copy before they use the data cannot tell the difference.
 */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import type { OperandPattern } from '../../operand-patterns.ts';
import { read } from '../../operand-patterns.ts';
import type { AccessSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { needsModifier, row } from '../availability-rows.ts';
import { constant, select } from '../integer/steps.ts';
import { operandList } from '../operand-list.ts';
import { inGlobal, inShared, policy } from './parts.ts';

const since = row('cp.async', at('7.0', 80));

const hints: readonly AvailabilityRow[] = ['.L2::64B', '.L2::128B', '.L2::256B', '.L2::cache_hint'].map((hint) =>
  needsModifier(hint, at('7.4', 80)),
);

const target = inShared('dst', 'store');
const source = inGlobal('src', 'load');

function transfer(count: Ref): Step {
  const spaces: Readonly<Record<'space' | 'sourceSpace', AccessSpace>> = { space: 'shared', sourceSpace: 'global' };
  return { kind: 'transfer', ...spaces, address: '$dst', source: '$src', size: '$cp-size', count };
}

interface Part {
  readonly id: string;
  readonly summary: string;
  readonly operand?: OperandPattern;
  readonly rows?: readonly AvailabilityRow[];
  readonly steps: readonly Step[];
}

/** Which bytes are read. */
const parts: readonly Part[] = [
  { id: '', summary: 'Copies 4, 8 or 16 bytes from global to shared memory.', steps: [transfer('$cp-size')] },
  {
    id: '.part',
    summary:
      'Copies the number of bytes given by src-size from global to shared memory, and fills the rest with zeros.',
    operand: read('src-size', '.u32', { unpacked: true, atMost: 'cp-size' }),
    steps: [transfer('$src-size')],
  },
  {
    id: '.ignore',
    summary: 'Copies from global to shared memory, or fills with zeros if ignore-src is true.',
    operand: read('ignore-src', '.pred', { negatable: true, registerOnly: true }),
    rows: [row('an ignore-src operand', at('7.5', 80))],
    steps: [constant('$none', 0), select('$count', '$ignore-src', '$none', '$cp-size'), transfer('$count')],
  },
];

function copy(cop: 'ca' | 'cg', part: Part, hinted: boolean): InstructionForm {
  const size = read('cp-size', '.u32', { constantOnly: true, oneOf: cop === 'ca' ? [4, 8, 16] : [16] });
  const extra = part.operand === undefined ? [] : [part.operand];
  const operands = [target, source, size, ...extra, ...(hinted ? [policy] : [])];
  return {
    id: `cp.async.${cop}${part.id}${hinted ? '.hint' : ''}`,
    section: '9.7.9.25.3.1',
    syntax: `cp.async.${cop}.copyTo.copyFrom${hinted ? '.L2::cache_hint' : ''}{.prefetch}  ${operandList(operands)}`,
    summary: part.summary,
    regime: 'exact',
    availability: [since, ...hints, ...(part.rows ?? [])],
    operands,
    inert: ['prefetch'],
    steps: () => part.steps,
  };
}

function group(name: string, summary: string, step: Step, operands: readonly OperandPattern[] = []): InstructionForm {
  const list = operands.map((operand) => `  ${operand.name}`).join('');
  return {
    id: `cp.async.${name}`,
    section: name === 'commit_group' ? '9.7.9.25.3.2' : '9.7.9.25.3.3',
    syntax: `cp.async.${name}${list}`,
    summary,
    regime: 'exact',
    availability: [since],
    operands,
    steps: () => [step],
  };
}

/** cp.async, and the instructions that group its copies and wait for them. */
export const asyncCopyForms = (): readonly InstructionForm[] => [
  ...(['ca', 'cg'] as const).flatMap((cop) => parts.flatMap((part) => [copy(cop, part, false), copy(cop, part, true)])),
  group('commit_group', 'Puts all copies started so far into a group.', { kind: 'commit-group', of: 'copy' }),
  group(
    'wait_group',
    'Waits until at most n groups of copies are still in progress.',
    { kind: 'wait-group', of: 'copy', pending: '$n', onlyReads: false },
    [read('n', '.u32', { constantOnly: true })],
  ),
  group('wait_all', 'Waits for all copies started so far.', {
    kind: 'wait-group',
    of: 'copy',
    pending: null,
    onlyReads: false,
  }),
];
