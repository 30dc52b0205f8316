/** From a checked function to a FunctionProgram. */
import { chop } from '../base/bits.ts';
import { SourceText } from '../base/source-text.ts';
import { type Binding, type BoundInstruction, bindInstruction, type RegisterUse } from '../check/bind.ts';
import type { CheckedModule } from '../check/check.ts';
import type { CheckedFunction } from '../check/checked.ts';
import type { LabelSymbol, VariableSymbol } from '../check/symbols.ts';
import type { Variant } from '../isa/form.ts';
import { conditionCode, type Environment, type Ref, type Step } from '../isa/steps.ts';
import type { Instruction } from '../syntax/tree.ts';
import { FrameBuilder } from './frame.ts';
import type {
  AddressSource,
  FunctionProgram,
  ProgramInstruction,
  SpecialRead,
  SymbolAddress,
  Transfer,
} from './function-program.ts';
import { alignmentOf, layOut, type Placed, sizeOf } from './layout.ts';

/** Makes a function ready to run. `shared` are the module's variables in `.shared`, which every kernel sees. */
export function buildFunction(
  module: CheckedModule,
  fn: CheckedFunction,
  shared: readonly VariableSymbol[],
): FunctionProgram {
  const parameters = layOut(fn.parameters.map((symbol) => symbol.variable));
  const sharedSymbols = dynamicLast([...shared, ...fn.variables.filter((symbol) => symbol.space === '.shared')]);
  const localSymbols = fn.variables.filter((symbol) => symbol.space === '.local' || symbol.space === 'local parameter');
  const sharedLayout = layOut(sharedSymbols.map((symbol) => symbol.variable));
  const localLayout = layOut(localSymbols.map((symbol) => symbol.variable));
  const frame = new FrameBuilder();
  const instructions = new InstructionBuilder(module, fn, frame).build();
  const offsets = new Map<VariableSymbol, number>([
    ...pairs(fn.parameters, parameters.placed),
    ...pairs(sharedSymbols, sharedLayout.placed),
    ...pairs(localSymbols, localLayout.placed),
  ]);
  return {
    name: fn.item.name,
    parameters: parameters.placed,
    parameterBytes: parameters.end,
    initialFrame: frame.initial,
    constants: frame.constantPlaces,
    registers: frame.registers,
    instructions,
    shared: sharedLayout.placed,
    sharedBytes: sharedLayout.end,
    local: localLayout.placed,
    localBytes: localLayout.end,
    requiredThreads: tuning(fn, '.reqntid'),
    mostThreads: tuning(fn, '.maxntid')?.reduce((product, extent) => product * extent, 1) ?? null,
    offsetOf: (symbol) => offsets.get(symbol) ?? null,
  };
}

/**
 * `.extern .shared x[]` is the dynamic part of shared memory, behind what has a size. The strictest alignment goes first,
 * so that all such names share one start.
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
  return symbols.map((symbol, i) => [symbol, (placed[i] as Placed).offset] as const);
}

function tuning(fn: CheckedFunction, name: string): readonly number[] | null {
  return fn.item.tuning.find((directive) => directive.name === name)?.values ?? null;
}

class InstructionBuilder {
  private readonly module: CheckedModule;
  private readonly fn: CheckedFunction;
  private readonly frame: FrameBuilder;
  private readonly text: SourceText;
  private readonly environment: Environment;
  private readonly labels = new Map<LabelSymbol, number>();
  /** Steps of a variant, made once however often it occurs. */
  private readonly steps = new Map<Variant, readonly Step[]>();

  constructor(module: CheckedModule, fn: CheckedFunction, frame: FrameBuilder) {
    this.module = module;
    this.fn = fn;
    this.frame = frame;
    this.text = new SourceText(module.source);
    this.environment = { sm: module.environment.target.sm, version: module.environment.version };
  }

  build(): readonly ProgramInstruction[] {
    let index = 0;
    for (const entry of this.fn.body) {
      if (entry.kind === 'label') this.labels.set(entry.symbol, index);
      else if (entry.kind === 'instruction') index++;
    }
    return this.fn.body.flatMap((entry) => {
      if (entry.kind !== 'instruction') return [];
      const bound = bindInstruction(entry.node, entry.scope, this.module.environment);
      if (bound === null) return [this.unsupported(entry.node)];
      const label = bound.operands.find((operand) => operand.kind === 'label');
      const symbol = label === undefined ? undefined : entry.scope.lookup(label.label);
      const target = symbol?.kind === 'label' ? (this.labels.get(symbol) ?? -1) : -1;
      return [this.instruction(bound, target)];
    });
  }

  private instruction(bound: BoundInstruction, target: number): ProgramInstruction {
    const { node, variant, guard } = bound;
    const places = new Map<Ref, number>();
    const steps = this.stepsOf(variant);
    this.frame.beginInstruction();
    const operands = sortOperands(bound.operands, steps.length > 1, this.frame, places);
    for (const ref of steps.flatMap(refsOf)) {
      if (places.has(ref)) continue;
      places.set(ref, ref === conditionCode ? this.frame.conditionCode() : this.frame.temporary());
    }
    return {
      variant,
      ...this.where(node),
      guard: guard === null ? null : { register: this.frame.register(guard), negated: guard.negated },
      ...operands,
      steps,
      places,
      target,
    };
  }

  private stepsOf(variant: Variant): readonly Step[] {
    const known = this.steps.get(variant);
    if (known !== undefined) return known;
    const made = variant.form.steps(variant, this.environment);
    this.steps.set(variant, made);
    return made;
  }

  /** An instruction outside the tables runs into a named fault when it is reached, not before. */
  private unsupported(node: Instruction): ProgramInstruction {
    return { ...emptyInstruction, ...this.where(node), steps: [{ kind: 'unsupported', what: node.mnemonic }] };
  }

  private where(node: Instruction): { readonly line: number; readonly text: string } {
    return { line: this.text.position(node.mnemonicStart).line, text: this.module.source.slice(node.start, node.end) };
  }
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
  guard: null,
  reads: [],
  writes: [],
  addresses: [],
  symbols: [],
  specials: [],
  steps: [],
  places: new Map(),
  target: -1,
};

interface SortedOperands {
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
  readonly addresses: readonly AddressSource[];
  readonly symbols: readonly SymbolAddress[];
  readonly specials: readonly SpecialRead[];
}

/**
 * Gives every operand a place; one that is a register of exactly its width shares the register's. With several steps
 * (`staged`) a source that is also a result does not: the result may be written before the last read.
 */
function sortOperands(
  operands: readonly Binding[],
  staged: boolean,
  frame: FrameBuilder,
  places: Map<Ref, number>,
): SortedOperands {
  const reads: Transfer[] = [];
  const writes: Transfer[] = [];
  const addresses: AddressSource[] = [];
  const symbols: SymbolAddress[] = [];
  const specials: SpecialRead[] = [];
  const results = operands.filter((operand) => operand.kind === 'register' && operand.role === 'write');
  const written = new Set(results.map((operand) => frame.register(operand as RegisterUse)));
  for (const operand of operands) {
    switch (operand.kind) {
      case 'register': {
        const register = frame.register(operand);
        const registerWidth = operand.symbol.type.width;
        const clobbered = staged && operand.role === 'read' && written.has(register);
        const shared = registerWidth === operand.type.width && !operand.negated && !clobbered;
        const place = shared ? register : frame.temporary();
        places.set(operand.name, place);
        if (shared) break;
        const transfer: Transfer = {
          operand: place,
          register,
          registerWidth,
          type: operand.type,
          negated: operand.negated,
        };
        (operand.role === 'write' ? writes : reads).push(transfer);
        break;
      }
      case 'constant': {
        const bits = operand.negated ? 1 - Number(operand.bits) : operand.bits;
        places.set(operand.name, frame.constant(chop(bits, operand.type.width)));
        break;
      }
      case 'special': {
        const place = frame.temporary();
        places.set(operand.name, place);
        specials.push({ place, register: operand.register, width: operand.type.width });
        break;
      }
      case 'sink':
        places.set(operand.name, frame.temporary());
        break;
      case 'symbol-address': {
        const place = frame.temporary();
        const symbol = operand.symbol.kind === 'variable' ? operand.symbol : null;
        places.set(operand.name, place);
        symbols.push({ place, width: operand.type.width, symbol, offset: operand.offset });
        break;
      }
      case 'address': {
        const place = frame.temporary();
        places.set(operand.name, place);
        addresses.push({ place, base: addressBase(operand.base, frame), offset: operand.offset });
        break;
      }
      case 'label':
        break;
    }
  }
  return { reads, writes, addresses, symbols, specials };
}

function addressBase(base: Extract<Binding, { kind: 'address' }>['base'], frame: FrameBuilder): AddressSource['base'] {
  if (base === null) return { kind: 'none' };
  if ('space' in base) return { kind: 'variable', symbol: base };
  return { kind: 'register', register: frame.register(base), width: base.symbol.type.width };
}

/** Every name a step reads or writes. */
function refsOf(step: Step): readonly Ref[] {
  const refs: Ref[] = [];
  for (const [key, value] of Object.entries(step)) {
    if (key === 'steps') refs.push(...(value as readonly Step[]).flatMap(refsOf));
    if (!refFields.has(key)) continue;
    if (typeof value === 'string') refs.push(value);
    else if (Array.isArray(value)) refs.push(...(value as readonly Ref[]));
  }
  return refs;
}

const refFields: ReadonlySet<string> = new Set([
  'to',
  'from',
  'random',
  'scale',
  'high',
  'low',
  'condition',
  'address',
  'barrier',
  'count',
  'mask',
  'old',
  'next',
]);
