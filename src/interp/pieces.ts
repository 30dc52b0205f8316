/**
 * The pieces of a prepared instruction, and functions that join them. Each piece has one version for threads whose
 * values are all defined, and one for threads with undefined values.
 */
import type { ProgramInstruction } from '../program/function-program.ts';
import type { FunctionContext } from './launch-context.ts';
import { type CarefulAction, tidy } from './shadow.ts';
import { careful, type Flow } from './undefined-values.ts';
import type { Action } from './value-steps.ts';

/**
 * A piece of an instruction. `careful` is called when a thread with undefined values reaches the piece for the first
 * time.
 */
export interface Piece {
  readonly run: Action;
  readonly careful: () => CarefulAction;
  /**
   * Whether the piece may load undefined bits into a thread in which all values have been defined so far. The pieces
   * after such a piece must check whether the thread now has undefined values.
   */
  readonly loads?: boolean;
  /** Whether the piece is needed only in threads with undefined values. */
  readonly onlyCareful?: boolean;
}

/** A piece whose action either updates the shadow itself or does not affect it. */
export function plain(run: Action): Piece {
  return { run, careful: () => run };
}

/** A piece whose result is always defined. */
export function fresh(place: number, run: Action): Piece {
  return { run, careful: () => careful([{ to: place, from: [], through: () => 0n }], run) };
}

export function flowing(flow: Flow, run: Action): Piece {
  return { run, careful: () => careful([flow], run) };
}

/**
 * Returns the piece that runs at the end of an instruction. If the thread has undefined values, this piece removes the
 * entries of the thread's shadow that are no longer needed.
 */
export function tidyPiece({ places }: ProgramInstruction, { registers }: FunctionContext): Piece {
  return {
    run: () => undefined,
    careful: () => {
      const temporaries = [...places.values()].filter((place) => !registers.has(place));
      return (_, thread) => tidy(thread, temporaries);
    },
    onlyCareful: true,
  };
}

/**
 * Joins the pieces for a thread that has no undefined values yet. If a load introduces undefined bits, the pieces after
 * it run as they would in a thread with undefined values.
 */
export function runOf(pieces: readonly Piece[], { cpu, tracksWrites }: FunctionContext): Action {
  const at = tracksWrites ? pieces.findIndex(({ loads }) => loads === true) : -1;
  const runs = (some: readonly Piece[]): Action[] =>
    some.filter(({ onlyCareful }) => onlyCareful !== true).map(({ run }) => run);
  if (at < 0) return sequence(runs(pieces));
  const following = pieces.slice(at + 1);
  const [run, runCarefully] = [sequence(runs(following)), carefulOf(following)];
  return sequence([
    ...runs(pieces.slice(0, at + 1)),
    (frame) => {
      const { thread } = cpu;
      if (thread.shadow === null) run(frame);
      else runCarefully(frame, thread);
    },
  ]);
}

/** Joins the pieces for a thread with undefined values. */
export function carefulOf(pieces: readonly Piece[]): CarefulAction {
  let actions: readonly CarefulAction[] | null = null;
  return (frame, thread) => {
    actions ??= pieces.map((piece) => piece.careful());
    for (const action of actions) action(frame, thread);
  };
}

/** Joins several functions into one. Short lists are unrolled, because most instructions have one to three actions. */
function sequence(actions: readonly Action[]): Action {
  const [a, b, c] = actions;
  if (a === undefined) return () => undefined;
  if (b === undefined) return a;
  if (c === undefined) {
    return (frame) => {
      a(frame);
      b(frame);
    };
  }
  if (actions.length === 3) {
    return (frame) => {
      a(frame);
      b(frame);
      c(frame);
    };
  }
  return (frame) => {
    for (const action of actions) action(frame);
  };
}
