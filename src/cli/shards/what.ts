/** The work of a plan: one shape for each command that can be planned, and the rules for reading it. */
import { listOf, mistakeIn, objectOf, oneOf, recordOf, type Rule, text, whole } from '../../base/rules.ts';

/** The flags of a sweep that decide what it computes. */
export interface SweepChoice {
  readonly chunks?: string;
  readonly rbits?: string;
  readonly scale?: string;
  readonly target?: string;
  readonly isa?: string;
}

/** One instruction of a sweep. A unit is a group of chunks that the kernel computes at once. */
export interface PlannedSweep {
  /** Its name in a digest file. */
  readonly name: string;
  readonly firstChunk: number;
  readonly chunks: number;
  /** Inputs per chunk. */
  readonly chunkSize: number;
  /** Chunks per unit. */
  readonly lanes: 1 | 4;
  /** SHA-256 of the compiled kernel, `kernels/HASH.wasm` in the plan's folder. */
  readonly kernel: string;
}

export interface SweepWhat {
  readonly command: 'sweep';
  readonly choice: SweepChoice;
  readonly sweeps: readonly PlannedSweep[];
}

export type What = SweepWhat;

export const count: Rule<number> = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

const whats: { readonly [Command in What['command']]: Rule<Extract<What, { readonly command: Command }>> } = {
  sweep: recordOf<SweepWhat>({
    command: oneOf('sweep'),
    choice: objectOf<SweepChoice>({ chunks: text, rbits: text, scale: text, target: text, isa: text }),
    sweeps: listOf(
      recordOf<PlannedSweep>({
        name: text,
        firstChunk: count,
        chunks: count,
        chunkSize: count,
        lanes: { takes: '1 or 4', accepts: (value) => value === 1 || value === 4 },
        kernel: text,
      }),
    ),
  }),
};

const byCommand: ReadonlyMap<unknown, Rule<unknown>> = new Map(Object.entries(whats));

function ruleFor(value: unknown): Rule<unknown> | undefined {
  return typeof value === 'object' && value !== null && 'command' in value ? byCommand.get(value.command) : undefined;
}

export const whatRule: Rule<What> = {
  takes: `an object whose command is ${[...byCommand.keys()].join(' or ')}`,
  accepts: (value) => ruleFor(value) !== undefined,
  inside: (value, path) => {
    const rule = ruleFor(value);
    return rule === undefined ? null : mistakeIn(value, rule, path);
  },
};
