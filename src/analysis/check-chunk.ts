/** Checks one chunk of a module with the checker for whole modules. */
import type { Header } from '../check/declarations/header.ts';
import type { CheckMemory } from '../check/memory.ts';
import { ModuleChecker } from '../check/module.ts';
import type { DeclaredSymbol, LabelSymbol } from '../check/symbols.ts';
import { type Diagnostic, diagnose } from '../diagnostics/diagnostic.ts';
import type { ChunkPart, ParsedChunk } from '../syntax/chunks.ts';
import type { Item } from '../syntax/tree.ts';
import {
  type CheckedChunk,
  type Chunk,
  type Declared,
  headerOf,
  type OutlinePart,
  type FunctionUse,
  withoutClosed,
} from './chunk.ts';
import { ChunkPlaces } from './chunk-places.ts';
import type { OpenScopes } from './open-scopes.ts';

/** Whether an item belongs to the header of a module. */
export function isHeaderItem({ kind }: Item): boolean {
  return kind === 'version' || kind === 'target' || kind === 'address_size';
}

/** The source text from which a chunk was parsed, and the result of parsing it. */
export interface ReadChunk {
  readonly source: string;
  readonly parsed: ParsedChunk;
}

/** The information about the whole module that is needed to check one of its chunks. */
export interface ModuleParts {
  readonly header: Header;
  readonly memory: CheckMemory;
  readonly searchLimit: number;
}

export class ChunkChecker {
  private readonly searchLimit: number;
  private readonly chunk: Chunk;
  private readonly parsed: ParsedChunk;
  private readonly scopes: OpenScopes;
  private readonly checker: ModuleChecker;
  private readonly places = new ChunkPlaces();
  private readonly diagnostics: Diagnostic[] = [];
  private readonly module: Declared[] = [];
  private readonly body: Declared[] = [];
  private readonly own = new Set<DeclaredSymbol>();
  /** The index of the next part of the chunk's outline. */
  private next = 0;

  /**
   * `scopes` holds the scopes that are open at the start of the chunk. After the chunk has been checked, `scopes` holds
   * those that are open at its end. The checker looks for similar names at most `searchLimit` times.
   */
  constructor(
    chunk: Chunk,
    { source, parsed }: ReadChunk,
    scopes: OpenScopes,
    { header, memory, searchLimit }: ModuleParts,
  ) {
    this.searchLimit = searchLimit;
    this.chunk = chunk;
    this.parsed = parsed;
    this.scopes = scopes;
    const report = (diagnostic: Diagnostic): void => {
      this.diagnostics.push(diagnostic);
    };
    const { symbols, aliases } = scopes;
    this.checker = new ModuleChecker(
      { source, report, memory, header, keep: false },
      {
        symbols,
        aliases,
        searchLimit,
        places: this.places,
        declared: (symbol, scope) => {
          (scope === symbols ? this.module : this.body).push({ kind: 'symbol', symbol });
          if (scope !== symbols) this.own.add(symbol);
        },
      },
    );
  }

  check(): CheckedChunk {
    const { checker, scopes, parsed, places, module, body } = this;
    const { function: begun } = scopes;
    if (begun !== null) checker.continueFunction(begun.header, begun.formalSpaces, parsed.lines);
    for (const part of parsed.parts) this.checkPart(part);
    this.diagnostics.sort((a, b) => a.span.start - b.span.start);
    const opcodes = [...checker.uncheckedOpcodes];
    const once = this.diagnostics.filter(({ code }) => code === 'PTX2002');
    return {
      diagnostics: this.diagnostics,
      unchecked: new Map(once.map((diagnostic, i) => [diagnostic, opcodes[i] ?? ''])),
      module,
      body,
      open: withoutClosed(body),
      rows: checker.requirements.rows,
      places,
      uses: this.functionUses(begun?.header.name ?? null),
      announced: checker.announced.map(headerOf),
      searches: checker.names.searches,
      isCut: checker.names.searches > this.searchLimit,
    };
  }

  private checkPart(part: ChunkPart): void {
    const { scopes } = this;
    switch (part.kind) {
      case 'item':
        this.checkItem(part.item, part.opensBody);
        return;
      case 'statement': {
        const scope = scopes.innermost;
        if (scope === null) return;
        if (part.statement.kind === 'label') this.checkLabel();
        else this.checker.checkStatement(part.statement, scope);
        return;
      }
      case 'open':
        if (scopes.innermost === null) return;
        scopes.open(this.takeOutline());
        this.body.push({ kind: 'open' });
        return;
      case 'close': {
        const { ends } = part;
        if (scopes.innermost === null) return;
        this.takeOutline();
        scopes.close(ends);
        this.body.push({ kind: 'close', ends });
        return;
      }
    }
  }

  private checkItem(item: Item, opensBody: boolean): void {
    const { checker, scopes } = this;
    if (isHeaderItem(item)) {
      if (item.kind === 'address_size') checker.requirements.directive('.address_size', item);
      if (item.kind === 'target') checker.requirements.targetOptions(item);
    } else if (item.kind === 'function' && opensBody) {
      const at = this.body.length;
      const scope = checker.beginFunction(item);
      const formals = this.body.splice(at).flatMap((one) => (one.kind === 'symbol' ? [one.symbol] : []));
      const begun = { header: headerOf(item), formals, formalSpaces: checker.formalSpaces };
      this.body.push({ kind: 'function', ...begun });
      scopes.begin(begun, scope, this.takeOutline());
    } else if (item.kind === 'alias') {
      checker.checkItem(item);
      const { name, target } = item;
      if (scopes.aliases.get(name) === target) this.module.push({ kind: 'alias', name, target });
    } else checker.checkItem(item);
  }

  private takeOutline(): OutlinePart {
    const part = this.chunk.outline[this.next++];
    if (part === undefined) throw new Error('a chunk has more parts than when it was first read');
    return part;
  }

  /** Reports a label if its name is already in use. Labels are not declared here, but when their block is opened. */
  private checkLabel(): void {
    const part = this.takeOutline();
    if (part.kind !== 'label') throw new Error('a chunk has different labels than when it was first read');
    const { symbol } = part;
    if (this.scopes.isRepeated(symbol)) this.report(symbol);
  }

  private report({ name, declared }: LabelSymbol): void {
    this.diagnostics.push(diagnose('PTX5005', declared, { name, what: 'label' }));
  }

  /** `continued` is the name of the function that began before the chunk, if there is one. */
  private functionUses(continued: string | null): readonly FunctionUse[] {
    const { symbols } = this.scopes;
    return [...this.checker.uses.uses.values()].map(({ name, entry, span, variables, calls, ctaGroups }, i) => {
      const used = [...variables];
      return {
        name,
        entry,
        span: i === 0 && name === continued ? null : span,
        own: used.filter((symbol) => this.own.has(symbol)),
        named: used.filter((symbol) => symbols.lookup(symbol.name) === symbol).map((symbol) => symbol.name),
        calls: [...calls],
        ctaGroups: [...ctaGroups],
      };
    });
  }
}
