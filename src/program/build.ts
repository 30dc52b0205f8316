/**
 * Turns a checked function into a FunctionProgram in two steps. The first step creates the instructions; the second
 * assigns addresses to variables, once the variables of all functions are known.
 */
import { elementAt } from '../base/element-at.ts';
import type { CheckedBody } from '../check/body.ts';
import type { CheckedFunction, FormalSymbol } from '../check/checked.ts';
import { signatureOf } from '../check/declarations/signature.ts';
import { alignmentOf, sizeOf } from '../check/declarations/sizes.ts';
import { alignUp } from '../base/align.ts';
import type { RegisterSymbol, VariableSymbol } from '../check/symbols.ts';
import { reservedSharedBytes } from '../isa/registers.ts';
import { memoryUses } from '../isa/steps/effects.ts';
import type { Step } from '../isa/steps/step.ts';
import { formalLayout } from './call-site.ts';
import { barrierSymbol, clusterVariables, reachesOtherBlocks } from './cluster-variables.ts';
import { FrameBuilder } from './frame.ts';
import type { FunctionProgram, ProgramInstruction, RegisterFormal } from './function-program.ts';
import { InstructionBuilder, type Surroundings } from './instruction-builder.ts';
import { stackSymbol, usesStack } from './dynamic-stack.ts';
import { layOut, type Placed, stackAlignment } from './layout.ts';
import { reservedSymbol, usesReserved } from './reserved-shared.ts';

/**
 * Each activation has this number of bytes in addition to its variables. These bytes stand for the data that a call
 * saves. If functions are recursive, every activation takes up at least this much space, so that endless recursion soon
 * uses up all local memory and is detected.
 */
const linkage = { usual: 8, recursive: 64 } as const;

/**
 * A function whose variables have no addresses yet, because the addresses depend on the variables of all functions of
 * the kernel.
 */
export interface Draft {
  readonly fn: CheckedFunction;
  readonly frame: FrameBuilder;
  readonly instructions: readonly ProgramInstruction[];
}

export function draftFunction(fn: CheckedFunction, body: CheckedBody, surroundings: Surroundings): Draft {
  const frame = new FrameBuilder();
  return { fn, frame, instructions: new InstructionBuilder(surroundings, fn, body, frame).build() };
}

/** The data that all functions of a kernel share. */
export interface KernelLayout {
  readonly shared: ReturnType<typeof layOut>;
  readonly sharedSymbols: readonly VariableSymbol[];
  /** Number of bytes at the start of shared memory that are reserved for the system. */
  readonly reservedBytes: number;
  readonly hiddenBytes: number;
  readonly reachesOtherBlocks: boolean;
  readonly usesTensorMemory: boolean;
  readonly cancelsBlocks: boolean;
  readonly usesSpecialFunctions: boolean;
  readonly readsTextures: boolean;
  readonly recursive: boolean;
  /** Every activation begins at a multiple of this number of bytes. */
  readonly alignment: number;
  /** The size of parameters that are declared as arrays without a size: the size of the largest argument. */
  readonly openBytes: number;
}

/** Lays out `.shared` variables: the module's own, and those that the kernel's functions declare. */
export function kernelLayout(
  drafts: readonly Draft[],
  shared: readonly VariableSymbol[],
  recursive: boolean,
): KernelLayout {
  const own = drafts.flatMap(({ fn }) => fn.variables.filter((symbol) => symbol.space === '.shared'));
  const reserves = drafts.some(({ instructions }) => usesReserved(instructions));
  const all = drafts.flatMap(({ instructions }) => instructions);
  // The hidden variables, which ptxlab itself needs, come first, so that an access beyond the end of another variable
  // does not reach them.
  const hidden = clusterVariables(all);
  const sharedSymbols = dynamicLast([...(reserves ? [reservedSymbol] : []), ...hidden, ...shared, ...own]);
  const alignments = drafts.flatMap((draft) => [
    ...localSymbols(draft).map(({ variable }) => alignmentOf(variable)),
    ...(draft.fn.item.entry ? [] : [...draft.fn.item.parameters, ...draft.fn.item.results].map(alignmentOf)),
  ]);
  const alignment = Math.max(16, ...alignments);
  return {
    shared: layOut(sharedSymbols.map((symbol) => symbol.variable)),
    sharedSymbols,
    reservedBytes: reserves ? reservedSharedBytes : 0,
    hiddenBytes: layOut(hidden.map(({ variable }) => variable)).end,
    reachesOtherBlocks: reachesOtherBlocks(all),
    usesTensorMemory: all.some(({ steps }) => steps.some(accessesTensorMemory)),
    cancelsBlocks: all.some(({ steps }) => steps.some(({ kind }) => kind === 'cancel-blocks')),
    usesSpecialFunctions: all.some(({ steps }) => steps.some(({ kind }) => kind === 'mufu')),
    readsTextures: all.some(({ steps }) => steps.some(({ kind }) => kind === 'texture-read')),
    alignment,
    recursive,
    openBytes: all.reduce((most, { call }) => Math.max(most, call?.openBytes ?? 0), 0),
  };
}

function accessesTensorMemory(step: Step): boolean {
  return memoryUses(step).some(({ space }) => space === 'tensor');
}

function localSymbols({ fn, instructions }: Draft): readonly VariableSymbol[] {
  const own = fn.variables.filter((symbol) => symbol.space === '.local' || symbol.space === 'local parameter');
  return usesStack(instructions) ? [...own, stackSymbol] : own;
}

/** Completes a draft by assigning addresses to its variables, so that the function can run. */
export function finishFunction(draft: Draft, layout: KernelLayout): FunctionProgram {
  const { fn, frame, instructions } = draft;
  const { entry } = fn.item;
  const formals = formalsOf(fn, layout.openBytes);
  const locals = localSymbols(draft);
  const parameters = layOut(entry ? fn.item.parameters : []);
  const passed = new Set(locals.flatMap(({ space, variable }) => (space === 'local parameter' ? [variable] : [])));
  const localLayout = layOut(
    locals.map((symbol) => symbol.variable),
    formals.end,
    (variable) => {
      const align = alignmentOf(variable);
      return passed.has(variable) ? stackAlignment(sizeOf(variable), align) : align;
    },
  );
  const registerFormals = (all: readonly PlacedFormal[]): readonly RegisterFormal[] =>
    all.flatMap(({ symbol, offset }) => (symbol?.kind === 'register' ? inRegisters(symbol, offset, frame) : []));
  const offsets = new Map<VariableSymbol, number>([
    ...kernelParameters(fn, parameters.placed),
    ...pairs(layout.sharedSymbols, layout.shared.placed),
    ...[...formals.parameters, ...formals.results].flatMap(({ symbol, offset }) =>
      symbol?.kind === 'variable' ? [[symbol, offset] as const] : [],
    ),
    ...pairs(locals, localLayout.placed),
  ]);
  return {
    name: fn.item.name,
    entry,
    parameters: parameters.placed,
    parameterBytes: parameters.end,
    registerParameters: registerFormals(formals.parameters),
    registerResults: registerFormals(formals.results),
    initialFrame: frame.initial,
    constants: frame.constantPlaces,
    registers: frame.registers,
    instructions,
    shared: layout.shared.placed,
    sharedBytes: layout.shared.end,
    reservedBytes: layout.reservedBytes,
    hiddenBytes: layout.hiddenBytes,
    clusterBarrier: offsets.get(barrierSymbol) ?? null,
    reachesOtherBlocks: layout.reachesOtherBlocks,
    usesTensorMemory: layout.usesTensorMemory,
    cancelsBlocks: layout.cancelsBlocks,
    usesSpecialFunctions: layout.usesSpecialFunctions,
    readsTextures: layout.readsTextures,
    local: localLayout.placed,
    localBytes: localLayout.end,
    calleeBase: alignUp(localLayout.end + linkage[layout.recursive ? 'recursive' : 'usual'], layout.alignment),
    requiredThreads: tuning(fn, '.reqntid'),
    mostThreads: tuning(fn, '.maxntid')?.reduce((product, extent) => product * extent, 1) ?? null,
    requiredCluster: tuning(fn, '.reqnctapercluster'),
    tuning: fn.item.tuning.map(({ name, values }) => ({ name, values })),
    offsetOf: (symbol) => offsets.get(symbol) ?? null,
  };
}

interface PlacedFormal {
  readonly symbol: FormalSymbol;
  readonly offset: number;
}

/**
 * Returns the parameters and return values that are in local memory. For a kernel, the lists are empty, because its
 * parameters are in a separate memory.
 */
function formalsOf(
  { item, parameters, results }: CheckedFunction,
  openBytes: number,
): {
  readonly parameters: readonly PlacedFormal[];
  readonly results: readonly PlacedFormal[];
  readonly end: number;
} {
  if (item.entry) return { parameters: [], results: [], end: 0 };
  const layout = formalLayout(signatureOf(item), openBytes);
  return {
    parameters: parameters.map((symbol, i) => ({ symbol, offset: elementAt(layout.parameters, i) })),
    results: results.map((symbol, i) => ({ symbol, offset: elementAt(layout.results, i) })),
    end: layout.end,
  };
}

function inRegisters(symbol: RegisterSymbol, offset: number, frame: FrameBuilder): readonly RegisterFormal[] {
  const { lanes, name, type } = symbol;
  return Array.from({ length: lanes }, (_, lane): RegisterFormal => {
    const place = frame.register({ symbol, register: name, element: lanes === 1 ? null : lane });
    return { place, width: type.width, offset: offset + (lane * type.width) / 8 };
  });
}

function kernelParameters(
  { item, parameters }: CheckedFunction,
  placed: readonly Placed[],
): readonly (readonly [VariableSymbol, number])[] {
  if (!item.entry) return [];
  return parameters.flatMap((symbol, i) =>
    symbol?.kind === 'variable' ? [[symbol, elementAt(placed, i).offset] as const] : [],
  );
}

/**
 * Moves variables such as `.extern .shared x[]` to the end. They represent the dynamic part of shared memory, which
 * follows all variables that have a size. All of these dynamic variables begin at the same address. The one with the
 * strictest alignment is placed first, so that the address is suitable for all of them.
 */
function dynamicLast(symbols: readonly VariableSymbol[]): readonly VariableSymbol[] {
  const isSized = ({ variable }: VariableSymbol): boolean => sizeOf(variable) > 0;
  const dynamic = symbols.filter((symbol) => !isSized(symbol));
  dynamic.sort((x, y) => alignmentOf(y.variable) - alignmentOf(x.variable));
  return [...symbols.filter(isSized), ...dynamic];
}

function pairs(
  symbols: readonly VariableSymbol[],
  placed: readonly Placed[],
): readonly (readonly [VariableSymbol, number])[] {
  return symbols.map((symbol, i) => [symbol, elementAt(placed, i).offset] as const);
}

function tuning(fn: CheckedFunction, name: string): readonly number[] | null {
  return fn.item.tuning.find((directive) => directive.name === name)?.values ?? null;
}
