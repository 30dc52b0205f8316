/** A function of a document, prepared for answering questions about its registers and its control flow. */
import { append } from '../base/append.ts';
import { SourceText } from '../base/source-text.ts';
import type { Span } from '../base/span.ts';
import { bodyEntries, type BodyEntry } from '../check/body.ts';
import type { CheckedFunction } from '../check/checked.ts';
import type { Header } from '../check/declarations/header.ts';
import type { CheckMemory } from '../check/memory.ts';
import { ModuleChecker } from '../check/module.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Environment, environmentOf } from '../isa/environment.ts';
import type { Role } from '../isa/operand-patterns.ts';
import { typeOf } from '../isa/types.ts';
import { draftFunction, finishFunction, kernelLayout } from '../program/build.ts';
import { type BasicBlock, blocksOf } from '../program/flow.ts';
import type { FunctionProgram, ProgramInstruction, Transfer } from '../program/function-program.ts';
import { parseFunctionText } from '../syntax/parser.ts';
import { ChunkPlaces } from './chunk-places.ts';
import { type BodyInstruction, type Occurrence, occurrencesIn } from './occurrences.ts';
import type { OpenScopes } from './open-scopes.ts';

export interface FunctionBody {
  /** The offset of the function in the document. All other positions are relative to it. */
  readonly start: number;
  readonly source: string;
  readonly environment: Environment;
  readonly checked: CheckedFunction;
  readonly entries: readonly BodyEntry[];
  /** The instructions in the order of the text, so that each has the same index as in `program`. */
  readonly instructions: readonly BodyInstruction[];
  readonly program: FunctionProgram;
  /** Every occurrence of a register in the text. */
  readonly occurrences: readonly Occurrence[];
  readonly blocks: readonly BasicBlock[];
}

/** The information about the module that is needed to analyze the body of a function. */
export interface BodyContext {
  /** Names of the module. */
  readonly scopes: OpenScopes;
  readonly header: Header;
  readonly memory: CheckMemory;
  /** Names of source files, keyed by the number of the file. */
  readonly files: ReadonlyMap<number, string>;
}

/**
 * Maximum number of labels in the target lists of all `brx.idx` instructions of a function. Each label is an edge of
 * the control flow graph, and many instructions can share one list.
 */
const mostBranchTargets = 65_536;

/**
 * Analyzes the function that the text contains. Instructions with errors are included, but their effects are only
 * guessed. Returns null if the function cannot be parsed or has too many branch targets.
 */
export function functionBody(source: string, start: number, context: BodyContext): FunctionBody | null {
  const item = parseFunctionText(source);
  if (item?.body == null) return null;
  const { scopes, header, memory, files } = context;
  const { symbols, aliases } = scopes;
  const wrong: Span[] = [];
  const report = ({ severity, span }: Diagnostic): void => {
    if (severity === 'error') wrong.push(span);
  };
  const checker = new ModuleChecker(
    { source, report, memory, header, keep: true },
    { symbols, aliases, places: new ChunkPlaces(), declared: null, searchLimit: 0 },
  );
  checker.checkItem(item);
  const checked = checker.functions?.[0];
  if (checked === undefined) return null;
  const judged = header.environment();
  const environment = environmentOf(judged.version, judged.target);
  const entries = withoutWrong(bodyEntries(item.body, checked.scopes, judged, memory), wrong);
  const draft = draftFunction(
    checked,
    { text: new SourceText(source), firstLine: 1, entries },
    {
      debug: { files, sections: [] },
      environment,
      usesClusterBarrier: false,
      pairsBlocks: false,
      splitsMeetings: false,
      functionAddress: () => 0,
      callee: ({ callee }, frame) => {
        if ('signature' in callee) return { kind: 'direct', function: 0 };
        return { kind: 'indirect', register: frame.register(callee), width: callee.symbol.type.width, candidates: [] };
      },
    },
  );
  const instructions = entries.flatMap((entry) => (entry.kind === 'instruction' ? [entry] : []));
  const occurrences = occurrencesIn(instructions, draft.frame);
  const whole = { ...draft, instructions: withUses(draft.instructions, instructions, occurrences) };
  const program = finishFunction(whole, kernelLayout([whole], [], false));
  if (program.instructions.reduce((sum, { targets }) => sum + targets.length, 0) > mostBranchTargets) return null;
  return {
    start,
    source,
    environment,
    checked,
    entries,
    instructions,
    program,
    occurrences,
    blocks: blocksOf(program),
  };
}

/**
 * Adds reads and writes to the instructions that have no variant. The effects of these instructions are not known, so
 * their reads and writes are guessed from their text.
 */
function withUses(
  all: readonly ProgramInstruction[],
  instructions: readonly BodyInstruction[],
  occurrences: readonly Occurrence[],
): readonly ProgramInstruction[] {
  const type = typeOf('.b32');
  const unknown = new Map<number, Occurrence[]>();
  for (const one of occurrences) {
    if (instructions[one.instruction]?.variant !== null) continue;
    append(unknown, one.instruction, one);
  }
  const transfers = (index: number, wanted: Role): readonly Transfer[] =>
    (unknown.get(index) ?? [])
      .filter(({ role }) => role === wanted)
      .map(({ place }) => ({ operand: place, register: place, registerWidth: type.width, type, negated: false }));
  return all.map((instruction, i) => {
    if (instructions[i]?.variant !== null) return instruction;
    return { ...instruction, reads: transfers(i, 'read'), writes: transfers(i, 'write') };
  });
}

/** Returns the entries. The variant is null in the entries of instructions that contain an error. */
function withoutWrong(entries: readonly BodyEntry[], wrong: readonly Span[]): readonly BodyEntry[] {
  if (wrong.length === 0) return entries;
  const starts = wrong.map(({ start }) => start).toSorted((a, b) => a - b);
  let next = 0;
  return entries.map((entry) => {
    if (entry.kind !== 'instruction') return entry;
    while ((starts[next] ?? Number.POSITIVE_INFINITY) < entry.node.start) next++;
    return (starts[next] ?? Number.POSITIVE_INFINITY) < entry.node.end ? { ...entry, variant: null } : entry;
  });
}
