/**
 * Builds a function's instructions: operands are bound to frame slots, labels become indices, and calls are bound to
 * functions.
 */
import type { SourcePlace } from '../base/source-place.ts';
import type { SourceText } from '../base/source-text.ts';
import { type BoundCall, bindCall } from '../check/binding/bind-call.ts';
import { bindGuard, type BoundInstruction, bindInstruction } from '../check/binding/bind.ts';
import type { CheckedModule } from '../check/check.ts';
import type { CheckedFunction } from '../check/checked.ts';
import type { LabelSymbol, Scope } from '../check/symbols.ts';
import type { Variant } from '../isa/form.ts';
import type { Environment } from '../isa/environment.ts';
import { refsOf } from '../isa/steps/effects.ts';
import { type Ref, stackBase } from '../isa/steps/ref.ts';
import type { Step } from '../isa/steps/step.ts';
import type { Instruction } from '../syntax/tree.ts';
import { type Callee, callSite } from './call-site.ts';
import type { FrameBuilder } from './frame.ts';
import { stackSymbol } from './dynamic-stack.ts';
import type { ProgramInstruction, SymbolAddress } from './function-program.ts';
import { sortOperands } from './operands.ts';
import { SourcePlaces } from '../check/source-places.ts';

/** The context of a function: its module and kernel. */
export interface Surroundings {
  readonly module: CheckedModule;
  readonly environment: Environment;
  /** Returns the address of a function. */
  readonly functionAddress: (name: string) => number;
  /** Returns the target of a call; `frame` is the caller's frame. */
  readonly callee: (call: BoundCall, frame: FrameBuilder) => Callee;
}

function stackAddress(place: number): SymbolAddress {
  return { place, width: 64, base: { kind: 'variable', symbol: stackSymbol }, offset: 0n };
}

export class InstructionBuilder {
  private readonly surroundings: Surroundings;
  private readonly module: CheckedModule;
  private readonly fn: CheckedFunction;
  private readonly frame: FrameBuilder;
  private readonly text: SourceText;
  private readonly environment: Environment;
  private readonly labels = new Map<LabelSymbol, number>();
  private readonly places: SourcePlaces;
  /** The position given by the last `.loc`. */
  private source: SourcePlace | null = null;
  /** Set if a pragma says that the values loaded by the next instruction are unused. */
  private unused = false;
  /** The steps of each variant, made once for all its uses. */
  private readonly steps = new Map<Variant, readonly Step[]>();
  /** The values that these steps read or write. */
  private readonly refs = new Map<readonly Step[], readonly Ref[]>();

  constructor(surroundings: Surroundings, fn: CheckedFunction, frame: FrameBuilder) {
    const { module } = surroundings;
    this.surroundings = surroundings;
    this.module = module;
    this.fn = fn;
    this.frame = frame;
    this.text = module.text;
    this.places = new SourcePlaces(module);
    this.environment = surroundings.environment;
  }

  build(): readonly ProgramInstruction[] {
    let index = 0;
    for (const entry of this.fn.body) {
      if (entry.kind === 'label') this.labels.set(entry.symbol, index);
      else if (entry.kind === 'instruction') index++;
    }
    return this.fn.body.flatMap((entry) => {
      if (entry.kind === 'location') this.source = this.places.read(entry.node);
      if (entry.kind === 'pragma') this.unused = entry.node.strings.some((text) => usesNoBytes.test(text));
      if (entry.kind !== 'instruction') return [];
      const { node, variant, scope } = entry;
      const bound = variant === null ? null : bindInstruction(node, variant, scope);
      if (bound === null) return [this.unsupported(node, scope)];
      return [this.instruction(bound, scope)];
    });
  }

  private instruction(bound: BoundInstruction, scope: Scope): ProgramInstruction {
    const { node, variant, guard } = bound;
    const places = new Map<Ref, number>();
    const steps = this.stepsHere(bound);
    this.frame.beginInstruction();
    const operands = sortOperands(
      bound.operands,
      steps.length > 1,
      this.frame,
      places,
      this.surroundings.functionAddress,
    );
    for (const ref of this.refsIn(steps)) {
      if (places.has(ref)) continue;
      places.set(ref, this.frame.sharedPlace(ref) ?? this.frame.temporary());
    }
    const base = places.get(stackBase);
    const symbols = base === undefined ? operands.symbols : [...operands.symbols, stackAddress(base)];
    return {
      variant,
      ...this.where(node),
      guard: this.guardOf(guard),
      ...operands,
      symbols,
      steps,
      places,
      ...this.control(bound, scope),
    };
  }

  private guardOf(guard: BoundInstruction['guard']): ProgramInstruction['guard'] {
    return guard === null ? null : { register: this.frame.register(guard), negated: guard.negated };
  }

  private stepsHere(bound: BoundInstruction): readonly Step[] {
    const steps = this.stepsOf(bound.variant);
    const placed = this.inOwnParameters(bound) ? steps.map(inLocalMemory) : steps;
    if (!this.unused) return placed;
    this.unused = false;
    return placed.map(withoutUse);
  }

  private control({ node, operands, variant }: BoundInstruction, scope: Scope): Control {
    const label = operands.find((operand) => operand.kind === 'label');
    const symbol = label === undefined ? undefined : scope.lookup(label.label);
    const labels = operands.find((operand) => operand.kind === 'labels')?.labels ?? [];
    const isCall = variant.form.operands.some((pattern) => pattern.kind === 'callee');
    const call = isCall ? bindCall(node, scope) : null;
    return {
      target: symbol?.kind === 'label' ? (this.labels.get(symbol) ?? -1) : -1,
      targets: labels.map((one) => this.labels.get(one) ?? -1),
      call: call === null ? null : callSite(call, this.surroundings.callee(call, this.frame), this.frame),
    };
  }

  /**
   * Whether `ld.param` or `st.param` accesses local memory. A function's parameters and return values are in local
   * memory, and so are the variables that a body declares for its calls. In a function, accesses through a register
   * also go to local memory.
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

  private stepsOf(variant: Variant): readonly Step[] {
    const known = this.steps.get(variant);
    if (known !== undefined) return known;
    const made = variant.form.steps(variant, this.environment);
    this.steps.set(variant, made);
    return made;
  }

  /**
   * An instruction that is not in the tables causes a fault that names it, but only when it is reached with a true
   * guard.
   */
  private unsupported(node: Instruction, scope: Scope): ProgramInstruction {
    return {
      ...emptyInstruction,
      ...this.where(node),
      guard: this.guardOf(bindGuard(node, scope)),
      steps: [{ kind: 'unsupported', what: node.mnemonic }],
    };
  }

  private where(node: Instruction): Pick<ProgramInstruction, 'line' | 'text' | 'source'> {
    const { line } = this.text.position(node.mnemonicStart);
    return { line, text: this.module.source.slice(node.start, node.end), source: this.source };
  }
}

type Control = Pick<ProgramInstruction, 'target' | 'targets' | 'call'>;

/** nvcc emits this pragma before a load in which every byte is padding. */
const usesNoBytes = /^used_bytes_mask\s+(?:0x)?0+$/;

function withoutUse(step: Step): Step {
  return step.kind === 'load' ? { ...step, unused: true } : step;
}

function inLocalMemory(step: Step): Step {
  return 'space' in step && step.space === 'param' ? { ...step, space: 'local' } : step;
}

const noVariant: Variant = {
  form: {
    id: 'unsupported',
    section: '9.7',
    syntax: '',
    summary: '',
    regime: 'exact',
    availability: [],
    operands: [],
    steps: () => [],
  },
  mnemonic: '',
  types: [],
  modifiers: {},
};

const emptyInstruction: ProgramInstruction = {
  variant: noVariant,
  line: 0,
  text: '',
  source: null,
  guard: null,
  reads: [],
  writes: [],
  addresses: [],
  symbols: [],
  specials: [],
  registers: [],
  steps: [],
  places: new Map(),
  target: -1,
  targets: [],
  call: null,
};
