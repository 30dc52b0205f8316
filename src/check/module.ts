/**
 * Checks a module item by item. If the module is not going to be run, only its symbols are kept, and every item is
 * discarded once it has been checked. Memory use therefore does not grow with the size of the file.
 */
import type { Span } from '../base/span.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import type {
  DebugItem,
  Declaration,
  FunctionItem,
  InnerFunction,
  Instruction,
  Item,
  LineSource,
  LocationDirective,
  Statement,
  Variable,
} from '../syntax/tree.ts';
import type { PtxType } from '../isa/types.ts';
import type { ModuleEnvironment } from './availability.ts';
import { type CheckedFunction, FunctionRecorder } from './checked.ts';
import { checkBank } from './constant-banks.ts';
import {
  checkPlace,
  checkRegister,
  checkVariable,
  declaredType,
  membersOf,
  availabilityOfType,
  registerSymbol,
  spaceOf,
  variableSymbol,
} from './declarations/declarations.ts';
import type { Report, ReportIfListed } from './report.ts';
import { checkAlias, checkDefined, checkHeader, declareFunction, functionSymbol } from './declarations/functions.ts';
import { declarePrototype, declareTargets } from './declarations/call-targets.ts';
import { checkInitialNames } from './declarations/initial-names.ts';
import { DebugPlaces, misfitOf, type Places } from './declarations/debug-places.ts';
import { declareFormals } from './declarations/formals.ts';
import type { Header } from './declarations/header.ts';
import { checkInstruction, type InstructionContext } from './instructions/instruction.ts';
import type { VerdictCache } from './instructions/verdicts.ts';
import { checkConstants, declareVariable } from './declarations/redeclaration.ts';
import { checkPragmas } from './declarations/pragmas.ts';
import { checkCtaGroups } from './declarations/cta-groups.ts';
import { checkSharedMemory } from './declarations/shared-memory.ts';
import { checkKernel, checkTuning, availabilityOfParameters } from './declarations/kernels.ts';
import { LineChecker } from './instructions/line-verdicts.ts';
import type { CheckerParts, Continuation } from './checker-parts.ts';
import type { CheckMemory } from './memory.ts';
import { ModuleRequirements } from './requirements.ts';
import { type FunctionName, FunctionUses } from './declarations/function-uses.ts';
import { NameHelp } from './unknown-name.ts';
import { type DeclaredSymbol, type FormalSpace, Scope, type VariableSymbol } from './symbols.ts';

/** Checks one module, or a part of one, and holds the state of the check. */
export class ModuleChecker implements InstructionContext {
  readonly symbols: Scope;
  readonly requirements: ModuleRequirements;
  readonly report: Report;
  readonly reportIfListed: ReportIfListed;
  readonly source: string;
  /** The functions with a body; null if the module is not going to be run. */
  readonly functions: CheckedFunction[] | null;
  /** Variables at module scope. */
  readonly variables: VariableSymbol[] = [];
  private readonly constants: VariableSymbol[] = [];
  readonly debug: Places;
  readonly uses: FunctionUses = new FunctionUses();
  readonly names: NameHelp;
  /** The text of the debug sections; empty if the module is not going to be run. */
  readonly sections: string[] = [];
  /** Functions that are aliases for other functions. */
  readonly aliases: Map<string, string>;
  recorder: FunctionRecorder | null = null;
  /** Parameters and return values of the function being checked, by name. */
  private formals: ReadonlyMap<string, FormalSpace> = new Map();
  readonly header: Header;
  readonly uncheckedOpcodes: Set<string> = new Set();
  readonly memory: CheckMemory;
  private cache: VerdictCache | null = null;
  /** Checks lines of known shape without parsing the lines. */
  private readonly lines: LineChecker;
  /**
   * The source of the lines in the function that is being checked; null if every statement of the function has to be
   * parsed.
   */
  private lineSource: LineSource | null = null;
  /** Findings so far. */
  private reports = 0;
  private hasDebug = false;
  /** Functions that are declared but not yet defined. */
  readonly announced: FunctionItem[] = [];
  private readonly declared: Continuation['declared'] | null;
  private readonly ownPlaces: DebugPlaces;

  constructor(
    { source, report, countsOnly, memory, header, keep }: CheckerParts,
    continuation: Continuation | null = null,
  ) {
    this.source = source;
    this.memory = memory;
    this.functions = keep ? [] : null;
    this.lines = new LineChecker(this, memory);
    this.report = (diagnostic) => {
      this.reports++;
      report(diagnostic);
    };
    this.reportIfListed = (code, make) => {
      if (countsOnly?.(code) === true) this.reports++;
      else this.report(make());
    };
    this.header = header;
    this.names = new NameHelp(continuation?.searchLimit);
    this.symbols = continuation?.symbols ?? new Scope();
    this.aliases = continuation?.aliases ?? new Map();
    this.declared = continuation?.declared ?? null;
    this.ownPlaces = new DebugPlaces(this.report);
    this.debug = continuation?.places ?? this.ownPlaces;
    this.requirements = new ModuleRequirements(header, this.report);
  }

  checkItem(item: Item): void {
    switch (item.kind) {
      case 'version':
        this.header.readVersion(item);
        return;
      case 'target':
        this.header.readTarget(item);
        this.requirements.targetOptions(item);
        return;
      case 'address_size':
        this.header.readAddressSize(item);
        this.requirements.directive('.address_size', item);
        return;
      case 'declaration':
        this.checkDeclaration(item, this.symbols, 'module');
        return;
      case 'function':
        this.checkFunction(item);
        return;
      case 'debug':
        this.requirements.debug(item);
        if (item.file !== null) this.debug.readFile(item.file.index, item.file.name, item);
        else this.readDebug(item);
        return;
      case 'alias':
        this.requirements.directive('.alias', item);
        if (checkAlias(item, this.aliases, this.symbols, this.report)) this.aliases.set(item.name, item.target);
        return;
      case 'pragma':
        this.requirements.pragmas(item);
        checkPragmas(item.strings, item, 'module', this.report);
        return;
    }
  }

  /** The names of source files, by number. */
  get files(): ReadonlyMap<number, string> {
    return this.ownPlaces.files;
  }

  private readDebug(item: DebugItem): void {
    this.hasDebug = true;
    for (const misfit of item.misfits) this.report(misfitOf(misfit));
    for (const found of item.parts) this.requirements.directive(found.part, found);
    this.debug.readSection(item);
    if (this.functions !== null) this.sections.push(item.text);
  }

  /** Finishes checking the module, and reports findings that are known only at the end. */
  finish(): ModuleEnvironment {
    const environment = this.header.environment();
    this.header.reportAtEnd(this.hasDebug);
    for (const item of this.announced) checkDefined(item, this.symbols, this.aliases, this.report);
    this.ownPlaces.finish();
    checkSharedMemory(this.uses, environment.target, this.report);
    checkCtaGroups(this.uses, this.report);
    checkConstants(this.constants, this.report);
    return environment;
  }

  /** The verdicts for this module's environment. */
  verdicts(): VerdictCache {
    this.cache ??= this.memory.verdictsFor(this.header.environment());
    return this.cache;
  }

  /**
   * Returns true if this is the first time that the given opcode, which the tables do not contain, occurs in the
   * module.
   */
  firstUnchecked(opcode: string): boolean {
    if (this.uncheckedOpcodes.has(opcode)) return false;
    this.uncheckedOpcodes.add(opcode);
    return true;
  }

  declare(scope: Scope, symbol: DeclaredSymbol): void {
    this.declared?.(symbol, scope);
    const previous = scope.declare(symbol);
    if (previous === null) return;
    const what = symbol.kind === 'label' ? 'label' : 'variable';
    this.report(diagnose('PTX5005', symbol.declared, { name: symbol.name, what }));
  }

  private checkDeclaration(declaration: Declaration, scope: Scope, place: 'module' | 'function'): void {
    if (!checkPlace(declaration, place, this.header.environment(), this.report)) return;
    this.requirements.declaration(declaration);
    for (const variable of declaration.variables) {
      this.header.checkSampler(variable);
      const type = this.declaredType(variable, declaration.space);
      if (type === null) continue;
      if (declaration.space === '.reg') {
        checkRegister(variable, this.report);
        this.declare(scope, registerSymbol(variable, type));
      } else {
        checkVariable(declaration, variable, type, this.report);
        checkBank(declaration, variable, this.header.environment(), this.report);
        const space = spaceOf(declaration);
        const takenFor = space === 'local parameter' ? (this.formals.get(variable.name) ?? null) : null;
        if (variable.initializer !== null) checkInitialNames(variable.initializer, scope, this);
        for (const member of membersOf(variable))
          this.declareVariable(scope, variableSymbol(member, type, space, { takenFor, linkage: declaration.linkage }));
      }
    }
  }

  /**
   * Returns the type of a declared name and records which versions and targets the type requires. Returns null if the
   * declaration is unusable.
   */
  declaredType(variable: Variable, space: string): PtxType | null {
    const type = declaredType(variable, space, this.report);
    if (type !== null)
      this.requirements.uses(availabilityOfType(variable, type), { start: variable.typeStart, end: variable.typeEnd });
    return type;
  }

  private declareVariable(scope: Scope, symbol: VariableSymbol): void {
    if (symbol.space === '.const') this.constants.push(symbol);
    if (scope === this.symbols) this.variables.push(symbol);
    else {
      this.recorder?.variable(symbol);
      this.uses.variable(symbol);
    }
    this.declared?.(symbol, scope);
    declareVariable(scope, symbol, this.report);
  }

  private checkFunction(item: FunctionItem): void {
    const scope = this.beginFunction(item);
    if (item.body !== null) this.checkStatements(item.body, scope);
    if (this.recorder !== null) this.functions?.push(this.recorder.finish());
    this.recorder = null;
  }

  /** Checks the header of a function, and returns the scope that contains its parameters and the names in its body. */
  beginFunction(item: FunctionItem): Scope {
    if (item.body !== null) this.uses.begin(item);
    if (item.entry) {
      checkKernel(item, this.header.environment(), this.report);
      this.requirements.note(availabilityOfParameters(item));
    }
    this.declareHeader(item);
    const recorder = this.functions === null || item.body === null ? null : new FunctionRecorder(item);
    this.recorder = recorder;
    if (item.entry)
      for (const variable of this.variables) if (variable.space === '.local') recorder?.variable(variable);
    this.lineSource = item.lines;
    const scope = new Scope(this.symbols);
    this.formals = declareFormals(item, scope, this);
    return scope;
  }

  private declareHeader(item: FunctionItem): void {
    checkHeader(item, this.report);
    checkTuning(item.tuning, this.report);
    this.requirements.functionHeader(item);
    if (item.body === null && item.linkage !== '.extern') this.announced.push(item);
    const symbol = functionSymbol(item);
    this.declared?.(symbol, this.symbols);
    declareFunction(symbol, this.symbols, this.report);
  }

  /**
   * Handles a function declaration in the body of another function. The declared name belongs to the module, not to the
   * scope.
   */
  private declareInner(item: InnerFunction, scope: Scope): void {
    const { name, nameStart: start, nameEnd: end } = item;
    if (scope.lookup(name) !== this.symbols.lookup(name))
      this.report(diagnose('PTX5005', { start, end }, { name, what: 'function' }));
    this.declareHeader(item);
    declareFormals(item, new Scope(this.symbols), this);
  }

  /** Prepares to check the body of a function whose header was checked by another checker. */
  continueFunction(header: FunctionName, formals: ReadonlyMap<string, FormalSpace>, lines: LineSource | null): void {
    this.uses.begin(header);
    this.formals = formals;
    this.lineSource = lines;
  }

  /** The parameters and return values of the function that was checked last, by name. */
  get formalSpaces(): ReadonlyMap<string, FormalSpace> {
    return this.formals;
  }

  private checkStatements(statements: readonly Statement[], scope: Scope): void {
    this.recorder?.scope(scope);
    this.declareLabels(statements, scope);
    for (const statement of statements) this.checkStatement(statement, scope);
  }

  checkStatement(statement: Statement, scope: Scope): void {
    switch (statement.kind) {
      case 'instruction':
        this.checkInstruction(statement, scope);
        return;
      case 'known':
        this.lines.check(statement, scope);
        return;
      case 'declaration':
        this.checkDeclaration(statement, scope, 'function');
        return;
      case 'block':
        this.checkStatements(statement.statements, new Scope(scope));
        return;
      case 'label':
        return;
      case 'loc':
        this.checkLocation(statement);
        return;
      case 'intermediate-loc':
        this.requirements.directive('.loc_intermediate', statement);
        return;
      case 'targets':
        declareTargets(statement, scope, this);
        return;
      case 'prototype':
        declarePrototype(statement, scope, this);
        return;
      case 'function':
        this.declareInner(statement, scope);
        return;
      case 'pragma':
        this.requirements.pragmas(statement);
        checkPragmas(statement.strings, statement, 'body', this.report);
        return;
    }
  }

  private checkLocation(node: LocationDirective): void {
    const before = this.reports;
    if (node.inlined !== null) this.requirements.directive('.loc with inlined_at', node);
    this.debug.readLocation(node);
    if (this.lineSource !== null && this.reports === before) this.lines.learnLocation(node, this.lineSource);
  }

  checkKnown(statement: Instruction | LocationDirective, scope: Scope): void {
    if (statement.kind === 'loc') this.checkLocation(statement);
    else this.checkInstruction(statement, scope);
  }

  private checkInstruction(node: Instruction, scope: Scope): void {
    const before = this.reports;
    const verdict = checkInstruction(node, scope, this);
    // The lines of some instructions are always parsed, because the line checker does not store their shapes. These are
    // calls, and instructions for which the checker records what they use.
    const speaksBeyond = verdict.calls || verdict.reaches;
    if (this.lineSource !== null && this.reports === before && !speaksBeyond) {
      this.lines.learn(node, scope, verdict, this.lineSource);
    }
  }

  /**
   * Labels are declared before the statements of their block are checked, because they are visible in the whole block.
   */
  private declareLabels(statements: readonly Statement[], scope: Scope): void {
    for (const statement of statements) {
      const declared: Span = { start: statement.start, end: statement.end };
      if (statement.kind === 'label') this.declare(scope, { kind: 'label', name: statement.name, declared });
    }
  }
}
