/**
 * Builds a function's instructions: operands are bound to frame slots, labels become indices, and calls are bound to
 * functions.
 */
import { chop } from '../base/bits.ts';
import type { SourcePlace } from '../base/source-place.ts';
import { type BoundCall, bindCall } from '../check/binding/bind-call.ts';
import { handleLoads } from '../check/binding/handles.ts';
import { type Binding, bindGuard, type BoundInstruction, bindInstruction, isBindable } from '../check/binding/bind.ts';
import type { BodyEntry, CheckedBody } from '../check/body.ts';
import type { CheckedFunction } from '../check/checked.ts';
import type { LabelSymbol, Scope, TargetsSymbol } from '../check/symbols.ts';
import { type Constants, noConstants, type Variant } from '../isa/form.ts';
import { leaveCluster } from '../isa/forms/warp/cluster-barrier.ts';
import { impliedRegisters } from '../isa/registers.ts';
import type { Environment } from '../isa/environment.ts';
import { refsOf } from '../isa/steps/effects.ts';
import { type Ref, refName, stackBase } from '../isa/steps/ref.ts';
import { meet } from '../isa/steps/meet.ts';
import type { Step } from '../isa/steps/step.ts';
import type { Instruction } from '../syntax/tree.ts';
import { type Callee, callSite } from './call-site.ts';
import type { FrameBuilder } from './frame.ts';
import { stackSymbol } from './dynamic-stack.ts';
import { emptyInstruction } from './empty-instruction.ts';
import { clusterAddresses, withRanks } from './cluster-variables.ts';
import type { ProgramInstruction, SpecialRead, SymbolAddress } from './function-program.ts';
import { withoutSinks } from './masked-store.ts';
import { sortOperands } from './operands.ts';
import { type DebugNames, SourcePlaces } from '../check/source-places.ts';

/** The information about a function's module and kernel that is needed to build the function's instructions. */
export interface Surroundings {
  readonly debug: DebugNames;
  readonly environment: Environment;
  /**
   * Whether a function of the module waits at the cluster barrier. If so, each wait and each exit of a thread is split
   * into several instructions of the program.
   */
  readonly usesClusterBarrier: boolean;
  /**
   * Whether a function of the module contains an instruction for two blocks (`.cta_group::2`). The addresses of
   * variables in shared memory then contain the rank of the block.
   */
  readonly pairsBlocks: boolean;
  /** Whether an instruction at which the threads of a warp meet is split into several instructions of the program. */
  readonly splitsMeetings: boolean;
  /** Returns the address of a function. */
  readonly functionAddress: (name: string) => number;
  /** Returns the target of a call; `frame` is the caller's frame. */
  readonly callee: (call: BoundCall, frame: FrameBuilder) => Callee;
}

type InstructionEntry = Extract<BodyEntry, { readonly kind: 'instruction' }>;

function stackAddress(place: number): SymbolAddress {
  return { place, width: 64, base: { kind: 'variable', symbol: stackSymbol }, offset: 0n };
}

export class InstructionBuilder {
  private readonly surroundings: Surroundings;
  private readonly fn: CheckedFunction;
  private readonly body: CheckedBody;
  private readonly frame: FrameBuilder;
  private readonly environment: Environment;
  private readonly labels = new Map<LabelSymbol, number>();
  private readonly targets = new Map<TargetsSymbol, readonly number[]>();
  private readonly sourcePlaces: SourcePlaces;
  /** The source position that the most recent `.loc` directive specifies. */
  private source: SourcePlace | null = null;
  /** Whether a pragma declares that the values loaded by the next instruction are unused. */
  private unused = false;
  /**
   * Caches the steps of each variant, because they are the same wherever the variant is used with the same constants.
   */
  private readonly steps = new Map<Variant, Map<string, readonly Step[]>>();
  /** Caches the values that the steps of each variant read or write. */
  private readonly refs = new Map<readonly Step[], readonly Ref[]>();

  constructor(surroundings: Surroundings, fn: CheckedFunction, body: CheckedBody, frame: FrameBuilder) {
    this.surroundings = surroundings;
    this.fn = fn;
    this.body = body;
    this.frame = frame;
    this.sourcePlaces = new SourcePlaces(surroundings.debug);
    this.environment = surroundings.environment;
  }

  build(): readonly ProgramInstruction[] {
    let index = 0;
    for (const entry of this.body.entries) {
      if (entry.kind === 'label') this.labels.set(entry.symbol, index);
      else if (entry.kind === 'instruction') index += this.partsOf(entry);
    }
    index = 0;
    return this.body.entries.flatMap((entry) => {
      if (entry.kind === 'location') this.source = this.sourcePlaces.read(entry.node);
      if (entry.kind === 'pragma') this.unused = entry.node.strings.some((text) => usesNoBytes.test(text));
      if (entry.kind !== 'instruction') return [];
      const made = this.translated(entry, index);
      if (made.length !== this.partsOf(entry)) throw new Error(`labels after ${entry.node.mnemonic} are misplaced`);
      index += made.length;
      return made;
    });
  }

  private translated(
    { node, variant, scope }: Extract<BodyEntry, { kind: 'instruction' }>,
    index: number,
  ): readonly ProgramInstruction[] {
    const bound = variant === null ? null : bindInstruction(node, variant, scope);
    if (bound === null) return [this.unsupported(node, scope, node.mnemonic)];
    return this.parts(bound, scope, index);
  }

  /** The number of program instructions into which an instruction of the text is translated. */
  private partsOf({ node, variant, scope }: InstructionEntry): number {
    const parts = variant === null ? 1 : this.partsOfForm(variant);
    return parts === 1 || isBindable(node, scope) ? parts : 1;
  }

  private partsOfForm(variant: Variant): number {
    if (this.splitsMeeting(variant)) return variant.form.meets === 'around' ? 3 : 2;
    if (!this.surroundings.usesClusterBarrier) return 1;
    if (variant.form.repeatsWhile !== undefined) return 3;
    return this.exitsKernel(variant) ? 2 : 1;
  }

  /** Translates an instruction of the text. `index` is the index of the first resulting instruction in the program. */
  private parts(bound: BoundInstruction, scope: Scope, index: number): readonly ProgramInstruction[] {
    const { variant } = bound;
    const made = this.instruction(bound, scope);
    if (this.splitsMeeting(variant)) return this.met(made, variant.form.meets === 'around');
    if (!this.surroundings.usesClusterBarrier) return [made];
    if (variant.form.repeatsWhile !== undefined) return this.repeated(made, variant.form.repeatsWhile, index + 1);
    return this.exitsKernel(variant) ? [this.leaving(made), made] : [made];
  }

  /**
   * Splits an instruction into three parts. The first part does nothing, but it is counted as an executed instruction.
   * The second part is the instruction itself. The third part is a branch that repeats the second part while
   * `condition` is true.
   */
  private repeated(made: ProgramInstruction, condition: Ref, target: number): readonly ProgramInstruction[] {
    const { line, text, source, guard } = made;
    const register = this.frame.sharedPlace(condition);
    if (register === null) throw new Error(`'${condition}' does not outlive an instruction`);
    const where = { ...emptyInstruction, line, text, source };
    return [
      { ...where, guard },
      { ...made, isPart: true },
      {
        ...where,
        guard: { register, negated: false },
        steps: [{ kind: 'branch', target: 'target' }],
        target,
        isPart: true,
      },
    ];
  }

  /**
   * Splits an instruction into parts: first, the threads of the warp meet, and then each of them executes it. With
   * `around`, they meet again afterwards.
   */
  private met(made: ProgramInstruction, around: boolean): readonly ProgramInstruction[] {
    const { line, text, source, guard } = made;
    const meeting = (): ProgramInstruction => ({
      ...emptyInstruction,
      line,
      text,
      source,
      guard,
      steps: [meet],
      isPart: true,
    });
    return around ? [meeting(), made, meeting()] : [meeting(), made];
  }

  private splitsMeeting({ form }: Variant): boolean {
    return form.meets !== undefined && this.surroundings.splitsMeetings;
  }

  private exitsKernel({ form }: Variant): boolean {
    return form.id === 'exit' || (form.id === 'ret' && this.fn.item.entry);
  }

  private leaving({ line, text, source, guard }: ProgramInstruction): ProgramInstruction {
    this.frame.beginInstruction();
    return {
      ...emptyInstruction,
      line,
      text,
      source,
      guard,
      isPart: true,
      ...this.implied(leaveCluster, new Map()),
      steps: leaveCluster,
    };
  }

  /**
   * Assigns slots to those values in the steps that are not operands, such as the values of special registers and the
   * addresses of hidden variables.
   */
  private implied(
    steps: readonly Step[],
    places: Map<Ref, number>,
  ): Pick<ProgramInstruction, 'places' | 'symbols' | 'specials'> {
    const specials: SpecialRead[] = [];
    for (const ref of this.refsIn(steps)) {
      if (places.has(ref)) continue;
      const place = this.frame.sharedPlace(ref) ?? this.frame.temporary();
      places.set(ref, place);
      const register = impliedRegisters.get(ref);
      if (register !== undefined) specials.push({ place, register, part: 0, width: 32 });
    }
    const base = places.get(stackBase);
    const stack = base === undefined ? [] : [stackAddress(base)];
    return { places, symbols: joined(stack, clusterAddresses(places)), specials };
  }

  private instruction(bound: BoundInstruction, scope: Scope): ProgramInstruction {
    const { node, variant, guard } = bound;
    const places = new Map<Ref, number>();
    const plain = { operands: bound.operands, steps: this.stepsHere(bound) };
    const { operands: ranked, steps } = this.surroundings.pairsBlocks ? withRanks(plain) : plain;
    this.frame.beginInstruction();
    const sorted = sortOperands(ranked, steps.length > 1, this.frame, places, this.surroundings.functionAddress);
    const implied = this.implied(steps, places);
    const { line, text, source } = this.where(node);
    const { target, targets, call } = this.control(bound, scope);
    // The fields are listed one by one, because spreading is slow for an object with this many fields.
    return {
      variant,
      line,
      text,
      source,
      guard: this.guardOf(guard),
      reads: sorted.reads,
      writes: sorted.writes,
      addresses: sorted.addresses,
      symbols: joined(sorted.symbols, implied.symbols),
      specials: joined(sorted.specials, implied.specials),
      registers: sorted.registers,
      steps,
      places,
      target,
      targets,
      call,
      isPart: false,
    };
  }

  private guardOf(guard: BoundInstruction['guard']): ProgramInstruction['guard'] {
    return guard === null ? null : { register: this.frame.register(guard), negated: guard.negated };
  }

  private stepsHere(bound: BoundInstruction): readonly Step[] {
    const loads = handleLoads(bound.operands);
    const own = withoutSinks(this.stepsOf(bound), bound.operands);
    const steps = loads.length === 0 ? own : [...loads, ...own];
    const placed = this.inOwnParameters(bound) ? steps.map(inLocalMemory) : steps;
    if (!this.unused) return placed;
    this.unused = false;
    return placed.map(withoutUse);
  }

  private control({ node, operands, variant }: BoundInstruction, scope: Scope): Control {
    const label = operands.find((operand) => operand.kind === 'label');
    const symbol = label === undefined ? undefined : scope.lookup(label.label);
    const list = operands.find((operand) => operand.kind === 'labels')?.list;
    const isCall = variant.form.operands.some((pattern) => pattern.kind === 'callee');
    const call = isCall ? bindCall(node, scope) : null;
    return {
      target: symbol?.kind === 'label' ? (this.labels.get(symbol) ?? -1) : -1,
      targets: list === undefined ? [] : this.targetsIn(list),
      call: call === null ? null : callSite(call, this.surroundings.callee(call, this.frame), this.frame),
    };
  }

  /** The positions of the labels in a list. All instructions with the same list share the result. */
  private targetsIn(list: TargetsSymbol): readonly number[] {
    const known = this.targets.get(list);
    if (known !== undefined) return known;
    const labels = list.names.map((name) => list.scope.lookup(name));
    const made = labels.flatMap((label) => (label?.kind === 'label' ? [this.labels.get(label) ?? -1] : []));
    this.targets.set(list, made);
    return made;
  }

  /**
   * Whether `ld.param` or `st.param` accesses local memory. A function's parameters and return values are in local
   * memory, and so are the variables that a body declares for its calls. In a function that is not a kernel, `.param`
   * accesses through a register also go to local memory.
   */
  private inOwnParameters({ operands, variant }: BoundInstruction): boolean {
    if (variant.modifiers['space']?.startsWith('.param') !== true) return false;
    for (const operand of operands) {
      if (operand.kind === 'symbol-address' && operand.symbol.kind === 'variable')
        return operand.symbol.space !== 'kernel parameter';
      if (operand.kind === 'address' && operand.base !== null && 'space' in operand.base)
        return operand.base.space !== 'kernel parameter';
    }
    return !this.fn.item.entry && variant.modifiers['space'] !== '.param::entry';
  }

  private refsIn(steps: readonly Step[]): readonly Ref[] {
    const known = this.refs.get(steps);
    if (known !== undefined) return known;
    const made = steps.flatMap(refsOf);
    this.refs.set(steps, made);
    return made;
  }

  private stepsOf({ variant, operands }: BoundInstruction): readonly Step[] {
    const constants = constantsOf(variant, operands);
    const known = this.steps.get(variant) ?? new Map<string, readonly Step[]>();
    this.steps.set(variant, known);
    const key = constants === noConstants ? '' : [...constants].join();
    const made = known.get(key) ?? variant.form.steps(variant, this.environment, constants);
    known.set(key, made);
    return made;
  }

  /**
   * Translates an instruction that is not in the tables. If a thread reaches the instruction and the guard is true, the
   * launch ends with a fault that names the instruction.
   */
  private unsupported(node: Instruction, scope: Scope, what: string): ProgramInstruction {
    return {
      ...emptyInstruction,
      ...this.where(node),
      guard: this.guardOf(bindGuard(node, scope)),
      steps: [{ kind: 'unsupported', what }],
    };
  }

  private where(node: Instruction): Pick<ProgramInstruction, 'line' | 'text' | 'source'> {
    const { text, firstLine } = this.body;
    const { line } = text.position(node.mnemonicStart);
    return { line: firstLine + line - 1, text: text.text.slice(node.start, node.end), source: this.source };
  }
}

function joined<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  return other.length === 0 ? one : [...one, ...other];
}

/** The values of the constant operands that determine the steps of the variant. */
function constantsOf({ form }: Variant, operands: readonly Binding[]): Constants {
  const { decidedBy } = form;
  if (decidedBy === undefined) return noConstants;
  return new Map(
    operands.flatMap((operand): readonly (readonly [string, number])[] => {
      const name = refName(operand.name);
      if (operand.kind !== 'constant' || !decidedBy.includes(name)) return [];
      const value = Number(chop(operand.bits, 32));
      return [[name, operand.negated ? 1 - value : value | 0]];
    }),
  );
}

type Control = Pick<ProgramInstruction, 'target' | 'targets' | 'call'>;

/** nvcc emits this pragma before a load if all of the loaded bytes are padding. */
const usesNoBytes = /^used_bytes_mask\s+(?:0x)?0+$/;

function withoutUse(step: Step): Step {
  return step.kind === 'load' ? { ...step, unused: true } : step;
}

function inLocalMemory(step: Step): Step {
  return 'space' in step && step.space === 'param' ? { ...step, space: 'local' } : step;
}
