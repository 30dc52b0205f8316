/**
 * Calls, and branches through a table (PTX ISA 9.1, sections 9.7.12.4 and 9.7.12.5). The arguments and the called
 * functions are checked in check/instructions/call.ts.
 */
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read } from '../../operand-patterns.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { always, row } from '../availability-rows.ts';

const results: OperandPattern = { kind: 'list', name: 'results', role: 'write' };
const parameters: OperandPattern = { kind: 'list', name: 'parameters', role: 'read' };

interface Shape {
  readonly withResults: boolean;
  readonly withParameters: boolean;
}

const shapes: readonly Shape[] = [true, false].flatMap((withResults) =>
  [true, false].map((withParameters) => ({ withResults, withParameters })),
);

function call(indirect: boolean, { withResults, withParameters }: Shape): InstructionForm {
  const callee = indirect ? 'fptr' : 'func';
  const words = [
    ...(withResults ? ['(results)'] : []),
    callee,
    ...(withParameters ? ['(parameters)'] : []),
    ...(indirect ? ['table'] : []),
  ];
  return {
    id: `call.${indirect ? 'indirect' : 'direct'}${withResults ? '.results' : ''}${withParameters ? '.parameters' : ''}`,
    section: '9.7.12.5',
    syntax: `call{.uni}  ${words.join(', ')}`,
    summary: indirect
      ? 'Calls the function whose address is in a register; a prototype or a list of targets specifies its parameters and return values.'
      : 'Calls a function: copies the arguments to its parameters, runs it, and copies its results.',
    regime: 'exact',
    availability: [indirect ? row('indirect call', at('2.1', 20)) : always('call')],
    operands: [
      ...(withResults ? [results] : []),
      { kind: 'callee', name: callee, indirect },
      ...(withParameters ? [parameters] : []),
      ...(indirect ? ([{ kind: 'table', name: 'table', of: 'calls' }] as const) : []),
    ],
    steps: (): readonly Step[] => [{ kind: 'call', callee, indirect }],
  };
}

/** All forms of call (with or without results, parameters and a table of targets), and brx.idx. */
export const callForms = (): readonly InstructionForm[] => [
  ...[false, true].flatMap((indirect) => shapes.map((shape) => call(indirect, shape))),
  {
    id: 'brx.idx',
    section: '9.7.12.4',
    syntax: 'brx.idx{.uni}  index, tlist',
    summary: 'Continues at the label with the given index in a list of targets.',
    regime: 'exact',
    availability: [row('brx.idx', at('5.1', 30))],
    operands: [read('index', '.u32'), { kind: 'table', name: 'tlist', of: 'branches' }],
    steps: (): readonly Step[] => [{ kind: 'switch', index: '$index', targets: 'tlist' }],
  },
];
