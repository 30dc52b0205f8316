/** Completion: offers text that would be valid at a given position of a document. */
import type { Span } from '../base/span.ts';
import type { ModuleEnvironment } from '../check/availability.ts';
import { resolveMnemonic } from '../check/instructions/resolve.ts';
import { VerdictCache } from '../check/instructions/verdicts.ts';
import { ShapeTable } from '../check/instructions/shape-table.ts';
import { type DeclaredSymbol, Scope } from '../check/symbols.ts';
import { modifierMeaning } from '../explain/modifier-meanings.ts';
import { directiveRows, linkageRows, spaceRows } from '../isa/directives.ts';
import { findRegister, registerSpellings } from '../isa/find-register.ts';
import { MnemonicGuide } from '../isa/next-parts.ts';
import { ptxForms } from '../isa/table.ts';
import { formatVersion, isAvailable, targets, versions } from '../isa/targets.ts';
import { isTypeName, type TypeName, typeOf, types } from '../isa/types.ts';
import type { NameOperand, Operand } from '../syntax/tree.ts';
import type { ChunkList } from './chunk-list.ts';
import type { Names, PlacedScope } from './names.ts';
import { isName, type References } from './references.ts';
import { type StatementPlace, statementPlace } from './statement-place.ts';
import { type Word, wordsBefore } from './words.ts';

export type CompletionKind =
  | 'opcode'
  | 'modifier'
  | 'type'
  | 'directive'
  | 'register'
  | 'special register'
  | 'variable'
  | 'label'
  | 'function'
  | 'value';

export interface Completion {
  readonly kind: CompletionKind;
  /** The text that an item inserts in place of `span`. */
  readonly text: string;
  /** A short description; empty if the text is self-explanatory. */
  readonly detail: string;
  /** Whether a mnemonic that ends with this item is legal; false if the item is not part of a mnemonic. */
  readonly isComplete: boolean;
}

export interface Completions {
  /** The range of the text that has already been typed. The chosen item replaces this text. */
  readonly span: Span;
  /** The items in the order in which they should be shown. */
  readonly items: readonly Completion[];
}

/** Maximum number of names that are listed. */
const mostNames = 1000;

/** Computes completions for one version and target, and caches which mnemonics and operands are legal. */
export class Completer {
  readonly environment: ModuleEnvironment;
  private readonly guide: MnemonicGuide;
  private readonly verdicts: VerdictCache;
  private readonly shapes = new ShapeTable();
  private readonly scopes = new WeakMap<PlacedScope, CheckScope>();

  constructor(environment: ModuleEnvironment) {
    this.environment = environment;
    this.guide = new MnemonicGuide(environment);
    this.verdicts = new VerdictCache(environment);
  }

  /**
   * The completions at an offset of a document. `names` and `references` belong to that document, and `module` is its
   * outermost scope.
   */
  at(offset: number, list: ChunkList, names: Names, references: References, module: Scope): Completions {
    const chunk = list.before(offset);
    const place = statementPlace(chunk.text, references.wordsOf(chunk), offset - chunk.start);
    const start = chunk.start + ('start' in place ? place.start : offset - chunk.start);
    const context = { offset, list, names, references, module, scope: names.scopeAt(offset) };
    return { span: { start, end: offset }, items: this.itemsAt(place, context) };
  }

  /** A type with which a new register would be a legal operand at this offset; null if there is no such type. */
  registerTypeAt(
    offset: number,
    list: ChunkList,
    names: Names,
    references: References,
    module: Scope,
  ): TypeName | null {
    const chunk = list.before(offset);
    const place = statementPlace(chunk.text, references.wordsOf(chunk), offset - chunk.start);
    if (place.kind === 'guard') return '.pred';
    if (place.kind !== 'operand' || resolveMnemonic(place.mnemonic).kind !== 'variants') return null;
    const outer = this.checkScope(names.scopeAt(offset), module);
    const fitting = usualTypes.find((type) => {
      const scope = new Scope(outer);
      const declared = { start: 0, end: 0 };
      scope.declare({ kind: 'register', type: typeOf(type), lanes: 1, name: tried, count: null, declared });
      return this.fits(place, tried, scope);
    });
    return fitting ?? null;
  }

  /** The scope that the checker uses: the names of a function's scopes, nested in the scope of the module. */
  private checkScope(placed: PlacedScope | null, module: Scope): Scope {
    if (placed === null) return module;
    const known = this.scopes.get(placed);
    if (known?.module === module) return known.scope;
    const scope = new Scope(this.checkScope(placed.parent, module));
    for (const { symbol } of [...placed.families, ...placed.names.values()]) scope.declare(symbol);
    this.scopes.set(placed, { scope, module });
    return scope;
  }

  private itemsAt(place: StatementPlace, context: Context): readonly Completion[] {
    switch (place.kind) {
      case 'none':
        return [];
      case 'mnemonic':
        if (context.scope === null) return [];
        return place.isFirst ? this.opcodes() : this.parts(place.beginning);
      case 'directive':
        return this.directives(place.words, context.scope !== null);
      case 'guard':
        return this.registersWhere(
          context,
          (symbol) => symbol.kind === 'register' && symbol.type.class === 'predicate',
        );
      case 'operand':
        return this.operands(place, context);
    }
  }

  /** The first word of every opcode. */
  opcodes(): readonly Completion[] {
    return this.guide.firstWords().map((text) => {
      const [form] = ptxForms.forms(text);
      const isComplete = this.guide.isComplete(text);
      return { kind: 'opcode', text, detail: form?.form.summary ?? '', isComplete };
    });
  }

  /** The dot-separated parts that can follow the beginning of a mnemonic. */
  parts(beginning: string): readonly Completion[] {
    return this.guide.next(beginning).parts.map((text) => {
      const isComplete = this.guide.isComplete(beginning + text);
      const kind = isTypeName(text) ? 'type' : 'modifier';
      return { kind, text, detail: modifierMeaning(text, beginning) ?? '', isComplete };
    });
  }

  private directives(words: readonly string[], isInFunction: boolean): readonly Completion[] {
    const { version, target } = this.environment;
    const [first] = words;
    if (first === undefined) return this.directiveWords(isInFunction ? 'body' : 'module');
    if (first === '.version') return versions.map((one) => plain('value', formatVersion(one))).toReversed();
    if (first === '.target')
      return targets
        .filter((one) => one.since <= version)
        .map(({ name }) => plain('value', name))
        .toReversed();
    if (first === '.address_size') return [plain('value', '64'), plain('value', '32')];
    const isDeclaration = words.some((word) => Object.hasOwn(spaceRows, word));
    if (!isDeclaration || words.some(isTypeName)) return [];
    const usable = [...types.values()].filter(({ use, since }) => {
      if (use !== 'variable') return false;
      return since === null || isAvailable([since], version, target);
    });
    const isRegister = words.includes('.reg');
    return usable.filter(({ name }) => isRegister || name !== '.pred').map(({ name }) => plain('type', name));
  }

  private directiveWords(stands: 'module' | 'body'): readonly Completion[] {
    const { version, target } = this.environment;
    const rows = Object.entries({ ...directiveRows, ...spaceRows }).filter(([, row]) => row.stands.includes(stands));
    const words = stands === 'module' ? [...rows, ...Object.entries(linkageRows)] : rows;
    return words
      .filter(([, { since }]) => isAvailable([since], version, target))
      .map(([word]) => plain('directive', word));
  }

  // --- operands -----------------------------------------------------------------------------------------------------

  private operands(place: OperandPlace, context: Context): readonly Completion[] {
    const scope = this.checkScope(context.scope, context.module);
    const items: Completion[] = [];
    for (const { name, symbol } of candidates(context)) {
      if (items.length >= mostNames) break;
      if (this.fits(place, name, scope))
        items.push({ kind: kindOf(symbol), text: name, detail: detailOf(symbol), isComplete: false });
    }
    for (const text of registerSpellings()) {
      if (this.fits(place, text, scope))
        items.push({ kind: 'special register', text, detail: findRegister(text)?.type ?? '', isComplete: false });
    }
    return items;
  }

  private registersWhere(context: Context, isWanted: (symbol: DeclaredSymbol) => boolean): readonly Completion[] {
    return candidates(context)
      .filter(({ symbol }) => isWanted(symbol))
      .map(({ name, symbol }) => ({ kind: 'register', text: name, detail: detailOf(symbol), isComplete: false }));
  }

  /**
   * Whether the checker accepts the given name as this operand without a warning. The other operands are not taken into
   * account.
   */
  private fits({ mnemonic, index, inside, element }: OperandPlace, name: string, scope: Scope): boolean {
    const operand = operandNamed(name);
    const resolution = resolveMnemonic(mnemonic);
    if (resolution.kind !== 'variants') return this.shapes.of(operand, scope).kind !== 'label';
    return resolution.variants.some(({ form }) => {
      const isCall = form.operands.some(({ kind }) => kind === 'callee');
      if (isCall && inside === '(') return isArgument(scope.lookup(name));
      if (index >= form.operands.length) return false;
      return around(operand, inside, element).some((tried) =>
        this.accepts(mnemonic, form.operands.length, index, tried, scope),
      );
    });
  }

  private accepts(mnemonic: string, count: number, index: number, operand: Operand, scope: Scope): boolean {
    const shapes = Array.from({ length: count }, (_, i) => this.shapes.of(i === index ? operand : unknown, scope));
    const { problems, warnings } = this.verdicts.verdictOn(mnemonic, shapes);
    return [...problems, ...warnings].every(
      ({ code, place }) => code !== 'PTX3002' && !(place.kind === 'operand' && place.path[0] === index),
    );
  }
}

/** The types of registers, in the order in which they are tried. */
const usualTypes: readonly TypeName[] = ['.b32', '.b64', '.b16', '.pred', '.f32', '.f64', '.b128', '.b8'];

/** A name that cannot occur in PTX text. */
const tried = '%?';

type OperandPlace = Extract<StatementPlace, { kind: 'operand' }>;

interface Context {
  readonly offset: number;
  readonly list: ChunkList;
  readonly names: Names;
  readonly references: References;
  readonly module: Scope;
  readonly scope: PlacedScope | null;
}

function plain(kind: CompletionKind, text: string): Completion {
  return { kind, text, detail: '', isComplete: false };
}

/** A name that is not declared; the checker accepts it wherever a name can occur. */
const unknown: NameOperand = { kind: 'name', name: '?', start: 0, end: 0 };

function operandNamed(name: string): Extract<Operand, { kind: 'name' | 'member' }> {
  const dot = name.indexOf('.');
  if (dot < 0) return { ...unknown, name };
  return { kind: 'member', base: name.slice(0, dot), member: name.slice(dot), start: 0, end: 0 };
}

/**
 * The operands in which the name can occur. `inside` is the innermost bracket that has been opened before the name but
 * not closed; null if there is none.
 */
function around(
  operand: ReturnType<typeof operandNamed>,
  inside: OperandPlace['inside'],
  element: number,
): readonly Operand[] {
  const { start, end } = operand;
  switch (inside) {
    case null:
      return [operand, { kind: 'pair', first: operand, second: unknown, start, end }];
    case '[':
      return element === 0 ? [{ kind: 'address', base: operand, offset: 0n, rest: [], start, end }] : [];
    case '{':
      return [1, 2, 3, 4, 8, 16]
        .filter((count) => count > element)
        .map((count) => {
          const elements = Array.from({ length: count }, (_, i) => (i === element ? operand : unknown));
          return { kind: 'vector', elements, start, end };
        });
    case '(':
      return [{ kind: 'list', elements: [operand], start, end }];
  }
}

function isArgument(symbol: DeclaredSymbol | undefined): boolean {
  return symbol?.kind === 'register' || (symbol?.kind === 'variable' && symbol.space === 'local parameter');
}

/** A scope and the scope of its module, both in the form that the checker uses. */
interface CheckScope {
  readonly scope: Scope;
  readonly module: Scope;
}

interface Candidate {
  readonly name: string;
  readonly symbol: DeclaredSymbol;
}

/** The visible names, innermost first. Members of a register family are listed if they occur nearby in the text. */
function candidates(context: Context): readonly Candidate[] {
  const { names, scope: innermost, offset } = context;
  const found = new Map<string, DeclaredSymbol>();
  const nearby = namesNear(context);
  for (let scope = innermost; scope !== null; scope = scope.parent) {
    for (const { symbol, start } of scope.families) {
      if (symbol.kind !== 'register' || start > offset) continue;
      for (const name of membersOf(symbol.name, symbol.count ?? 0, nearby))
        if (!found.has(name)) found.set(name, symbol);
    }
    for (const { symbol, start } of scope.names.values()) {
      if (symbol.kind !== 'label' && start > offset) continue;
      if (!found.has(symbol.name)) found.set(symbol.name, symbol);
    }
  }
  for (const [name, [declared]] of names.moduleNames()) {
    if (declared !== undefined && declared.start < offset && !found.has(name)) found.set(name, declared.symbol);
  }
  return [...found].map(([name, symbol]) => ({ name, symbol }));
}

/** If a register family has at most this many members, all of them are listed. */
const smallFamily = 16;

function membersOf(stem: string, count: number, nearby: ReadonlySet<string>): readonly string[] {
  if (count <= smallFamily) return Array.from({ length: count }, (_, i) => `${stem}${i}`);
  const isMember = (name: string): boolean => {
    const digits = name.slice(stem.length);
    return name.startsWith(stem) && /^\d+$/.test(digits) && Number(digits) < count;
  };
  const used = [...nearby].filter(isMember);
  return used.length > 0 ? used : [`${stem}0`];
}

/** The number of words on each side of an offset that are searched for names. */
const mostWords = 4096;

/** The names that occur near an offset, in its chunk or in the chunk before it, nearest first. */
function namesNear({ offset, list, references }: Context): ReadonlySet<string> {
  const { index } = list.at(offset);
  const found = list.chunks.slice(Math.max(0, index - 1), index + 1).flatMap((chunk) => {
    const { text, start } = chunk;
    const words = wordsNear(references.wordsOf(chunk), offset - start).filter(isName);
    return words.map((word) => ({
      name: text.slice(word.start, word.end),
      distance: Math.abs(start + word.start - offset),
    }));
  });
  return new Set(found.toSorted((a, b) => a.distance - b.distance).map(({ name }) => name));
}

function wordsNear(words: readonly Word[], offset: number): readonly Word[] {
  const position = wordsBefore(words, offset);
  return words.slice(Math.max(0, position - mostWords), position + mostWords);
}

function kindOf(symbol: DeclaredSymbol): CompletionKind {
  return symbol.kind === 'targets' || symbol.kind === 'prototype' ? 'label' : symbol.kind;
}

function detailOf(symbol: DeclaredSymbol): string {
  switch (symbol.kind) {
    case 'register':
      return symbol.lanes > 1 ? `.v${symbol.lanes} ${symbol.type.name}` : symbol.type.name;
    case 'variable':
      return `${symbol.space} ${symbol.type.name}`;
    case 'function':
      return symbol.entry ? '.entry' : '.func';
    case 'label':
    case 'targets':
    case 'prototype':
      return '';
  }
}
