/** Lists the names that a module defines, and the names that it expects other modules to define. */
import { append } from '../base/append.ts';
import { builtinFunctions } from '../isa/builtin-functions.ts';
import { parseItems } from '../syntax/parser.ts';
import { CalledFunctions, type Unpassable } from './called-functions.ts';
import type { Declaration, FunctionItem, Initializer, Instruction, Operand, Statement } from '../syntax/tree.ts';

export interface Definition {
  readonly kind: 'function' | 'variable';
  readonly name: string;
  /** Offset of the name. */
  readonly start: number;
}

/** A variable that another module defines. */
export interface ExternVariable {
  readonly name: string;
  /** Offset of the name. */
  readonly start: number;
  /** False for arrays whose first dimension has no length. */
  readonly isSized: boolean;
}

/** A survey of a module that has no syntax errors. */
export interface Survey {
  readonly kernels: readonly string[];
  /**
   * Functions and variables that other modules can see, and `.extern` functions, in the order in which they appear in
   * the text.
   */
  readonly definitions: readonly Definition[];
  /** Functions without a body that are used, or that are not declared `.extern`, in declaration order. */
  readonly missingFunctions: readonly string[];
  /** The missing functions that are not declared `.extern`. */
  readonly forwardFunctions: readonly string[];
  /** `.extern` variables, in declaration order. */
  readonly externVariables: readonly ExternVariable[];
  /** Whether a variable or function has the attribute `.unified`. */
  readonly hasUnified: boolean;
  /** The first function with several return values; null if there is none. */
  readonly returnsSeveral: string | null;
  /** Whether functions have parameters or results that cannot be passed in relocatable code or in a whole program. */
  readonly unpassable: Readonly<Record<'part' | 'whole', Unpassable>>;
  /** Functions that, in relocatable code or in a whole program, have `tcgen05` instructions of both CTA groups. */
  readonly mixesCtaGroups: Readonly<Record<'part' | 'whole', readonly string[]>>;
  /** Whether the module declares 32-bit addresses. */
  readonly saysShortAddresses: boolean;
  /** For each mnemonic, the offsets of the instructions in which it is used. */
  readonly mnemonics: ReadonlyMap<string, readonly number[]>;
}

/** Surveys a module. Its whole text is parsed again, and syntax errors are skipped. */
export function survey(source: string): Survey {
  const surveyor = new Surveyor();
  for (const item of parseItems(source, () => undefined)) {
    if (item.kind === 'function') surveyor.function(item);
    if (item.kind === 'declaration') surveyor.declaration(item);
    if (item.kind === 'alias') surveyor.bodies.add(item.name);
    if (item.kind === 'address_size') surveyor.saysShortAddresses = item.size === 32;
  }
  return surveyor.finish();
}

function isUnified(attributes: readonly string[]): boolean {
  return attributes.some((attribute) => attribute.startsWith('.unified'));
}

const builtins: ReadonlySet<string> = new Set(builtinFunctions.map(({ name }) => name));

class Surveyor {
  readonly bodies: Set<string> = new Set();
  saysShortAddresses = false;
  private readonly kernels: string[] = [];
  private readonly definitions: Definition[] = [];
  /** Functions declared without a body, and whether they are `.extern`. */
  private readonly declared = new Map<string, boolean>();
  private readonly externVariables: ExternVariable[] = [];
  private hasUnified = false;
  private returnsSeveral: string | null = null;
  private readonly called = new CalledFunctions();
  private readonly used = new Set<string>();
  private readonly mnemonics = new Map<string, number[]>();

  function(item: FunctionItem): void {
    const { name, nameStart, entry, linkage, body, attributes } = item;
    this.hasUnified ||= isUnified(attributes);
    this.called.function(item);
    if (item.results.length > 1) this.returnsSeveral ??= name;
    if (entry || linkage !== null) this.definitions.push({ kind: 'function', name, start: nameStart });
    if (body === null) {
      this.declared.set(name, linkage === '.extern');
      return;
    }
    this.bodies.add(name);
    if (entry) this.kernels.push(name);
    this.statements(body);
  }

  declaration({ linkage, space, variables, attributes }: Declaration): void {
    this.hasUnified ||= isUnified(attributes);
    for (const { initializer } of variables) if (initializer !== null) this.initializer(initializer);
    if (linkage === '.extern') {
      for (const { name, nameStart: start, dimensions } of variables) {
        const isSized = !dimensions.includes(null);
        // Arrays of unknown size in shared memory get their size at launch.
        if (isSized || space !== '.shared') this.externVariables.push({ name, start, isSized });
      }
    }
    if (linkage !== '.visible') return;
    for (const { name, nameStart: start } of variables) this.definitions.push({ kind: 'variable', name, start });
  }

  finish(): Survey {
    const { kernels, definitions, externVariables, hasUnified, returnsSeveral, saysShortAddresses, mnemonics } = this;
    const missing = [...this.declared].filter(
      ([name, isExtern]) => (this.used.has(name) || !isExtern) && !this.bodies.has(name) && !builtins.has(name),
    );
    return {
      kernels,
      definitions,
      missingFunctions: missing.map(([name]) => name),
      forwardFunctions: missing.filter(([, isExtern]) => !isExtern).map(([name]) => name),
      externVariables,
      hasUnified,
      returnsSeveral,
      unpassable: { part: this.called.inPart(), whole: this.called.inWhole() },
      mixesCtaGroups: { part: this.called.mixedInPart(), whole: this.called.mixedInWhole() },
      saysShortAddresses,
      mnemonics,
    };
  }

  private initializer(initializer: Initializer): void {
    switch (initializer.kind) {
      case 'address':
        this.used.add(initializer.name);
        return;
      case 'list':
        for (const element of initializer.elements) this.initializer(element);
        return;
      case 'field':
        this.initializer(initializer.value);
        return;
      case 'integer':
      case 'float':
    }
  }

  private statements(statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (statement.kind === 'instruction') this.instruction(statement);
      if (statement.kind === 'block') this.statements(statement.statements);
      if (statement.kind === 'function') this.function(statement);
      if (statement.kind === 'prototype') this.called.prototype(statement);
    }
  }

  private instruction({ mnemonic, mnemonicStart, operands }: Instruction): void {
    append(this.mnemonics, mnemonic, mnemonicStart);
    this.called.instruction(mnemonic);
    for (const operand of operands) this.operand(operand);
  }

  private use(name: string): void {
    this.used.add(name);
    this.called.use(name);
  }

  private operand(operand: Operand): void {
    switch (operand.kind) {
      case 'name':
        this.use(operand.name);
        return;
      case 'offset':
        this.use(operand.base.name);
        return;
      case 'address':
        if (operand.base?.kind === 'name') this.use(operand.base.name);
        return;
      case 'vector':
      case 'list':
        for (const element of operand.elements) this.operand(element);
        return;
      default:
    }
  }
}
