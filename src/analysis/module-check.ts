/**
 * Checks the chunks of a document that have not been checked yet. Each chunk is checked in the scopes that are still
 * open at the end of the chunk before it.
 */
import { elementAt } from '../base/element-at.ts';
import type { ModuleEnvironment } from '../check/availability.ts';
import { Header, type Overrides } from '../check/declarations/header.ts';
import type { CheckMemory } from '../check/memory.ts';
import type { LabelSymbol } from '../check/symbols.ts';
import { searchLimit } from '../check/unknown-name.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ChunkChecker, isHeaderItem } from './check-chunk.ts';
import { type Chunk, type OutlinePart, withoutClosed } from './chunk.ts';
import type { ChunkList, Replaced } from './chunk-list.ts';
import { bodyNames, changedKeys, labelNames, moduleNames } from './changed-names.ts';
import type { NameKey } from './chunk-names.ts';
import { OpenScopes } from './open-scopes.ts';
import { UseFindings } from './use-findings.ts';

/** The chunks that contain a function, from its header to its end. */
interface Extent {
  readonly first: number;
  readonly last: number;
}

/** The scopes that are open at the start of each chunk in a range. */
interface KnownScopes {
  readonly scopes: OpenScopes;
  readonly from: number;
  readonly to: number;
  readonly version: number;
}

export class ModuleCheck {
  readonly list: ChunkList;
  readonly uses: UseFindings = new UseFindings();
  /** Increases whenever there is a change to the names that the module or one of its functions declares. */
  private version = 0;
  /** Increases whenever the names that the module itself declares may have changed. */
  private moduleVersion = 0;
  private readonly memory: CheckMemory;
  private readonly overrides: Overrides;
  /** The list to which `header` adds its findings. */
  headerFindings: Diagnostic[] = [];
  header: Header;
  private headerKey = '';
  private searchesLeft = searchLimit;
  private known: KnownScopes | null = null;
  private atEnd: { readonly scopes: OpenScopes; readonly version: number } | null = null;

  constructor(list: ChunkList, memory: CheckMemory, overrides: Overrides) {
    this.list = list;
    this.memory = memory;
    this.overrides = overrides;
    this.header = this.newHeader();
    this.checkAll();
  }

  get environment(): ModuleEnvironment {
    return this.header.environment();
  }

  /** Checks the chunks that are new after an edit, and all other chunks that the edit may affect. */
  update(replaced: Replaced): void {
    const { at, old, fresh } = replaced;
    const { chunks } = this.list;
    const around = this.extentAround(replaced);
    this.moveKnown(replaced);
    if (!isSameSkeleton(old, fresh)) this.forget(around);
    if (changedKeys(old.flatMap(labelNames), fresh.flatMap(labelNames)).length > 0) this.version++;
    this.checkAll();
    const module = changedKeys(old.flatMap(moduleNames), fresh.flatMap(moduleNames));
    const body = changedKeys(old.flatMap(bodyNames), fresh.flatMap(bodyNames));
    if (module.length + body.length === 0) return;
    this.version++;
    if (module.length > 0) {
      this.moduleVersion++;
      for (let i = at; i < chunks.length; i++) this.forgetUsers(i, module);
    }
    if (body.length > 0) {
      for (let i = around.first; i <= around.last; i++) this.forgetUsers(i, body);
    }
    this.checkAll();
  }

  /** The scopes that are open at the end of the module, with all names that are declared at module scope. */
  get scopesAtEnd(): OpenScopes {
    if (this.atEnd?.version === this.moduleVersion) return this.atEnd.scopes;
    const scopes = new OpenScopes(new Map());
    for (const { checked } of this.list.chunks) scopes.repeatModule(checked?.module ?? []);
    this.atEnd = { scopes, version: this.moduleVersion };
    return scopes;
  }

  private forget({ first, last }: Extent): void {
    this.version++;
    this.moduleVersion++;
    for (let i = first; i <= last; i++) elementAt(this.list.chunks, i).checked = null;
  }

  /**
   * Chunks that report an undeclared name are checked again, because the help suggests the most similar declared name.
   */
  private forgetUsers(index: number, changed: readonly NameKey[]): void {
    const chunk = elementAt(this.list.chunks, index);
    const searches = chunk.checked?.diagnostics.some(({ code }) => code === 'PTX3001') === true;
    if (searches || changed.some((key) => chunk.names.mayContain(key))) chunk.checked = null;
  }

  /** The range of the replaced chunks, extended so that it contains only whole functions. */
  private extentAround({ at, fresh }: Replaced): Extent {
    const most = this.list.chunks.length - 1;
    const nearest = (index: number): number => Math.max(0, Math.min(most, index));
    if (fresh.length > 0) return this.extentOf(at, at + fresh.length - 1);
    return this.extentOf(nearest(at - 1), nearest(at));
  }

  /** The range of chunks from `from` to `to`, extended so that it contains only whole functions. */
  private extentOf(from: number, to: number): Extent {
    const { chunks } = this.list;
    let first = from;
    while (first > 0 && elementAt(chunks, first).from.body !== null) first--;
    let last = to;
    while (last + 1 < chunks.length && elementAt(chunks, last).to.body !== null) last++;
    return { first, last };
  }

  /**
   * Checks the chunks that have not been checked yet. Some earlier searches for similar names may have been skipped
   * because there were too many. If the number of searches is now within the limit, the chunks with skipped searches
   * are checked again.
   */
  private checkAll(): void {
    this.checkUnchecked();
    const { chunks } = this.list;
    if (this.searches() > searchLimit || !chunks.some(({ checked }) => checked?.isCut === true)) return;
    for (const chunk of chunks) if (chunk.checked?.isCut === true) chunk.checked = null;
    this.checkUnchecked();
  }

  private searches(): number {
    return this.list.chunks.reduce((sum, { checked }) => sum + (checked?.searches ?? 0), 0);
  }

  private checkUnchecked(): void {
    const { chunks } = this.list;
    this.searchesLeft = searchLimit - this.searches();
    const first = chunks.findIndex(({ checked }) => checked === null);
    if (first < 0) return;
    this.memory.begin();
    if (first === 0) this.readHeader();
    const last = chunks.findLastIndex(({ checked }) => checked === null);
    const scopes = this.takeKnown(first, last);
    if (scopes === null) this.checkFromStart(last);
    else this.checkRun(first, last, scopes);
  }

  private checkFromStart(last: number): void {
    const { chunks } = this.list;
    const extents = this.extentsToCheck();
    const scopes = new OpenScopes(this.labelsIn(extents));
    let extent = 0;
    for (let i = 0; i <= last; i++) {
      const chunk = elementAt(chunks, i);
      const { first, last: end } = extents[extent] ?? { first: chunks.length, last: chunks.length };
      if (chunk.checked === null) this.checkChunk(chunk, scopes);
      else {
        scopes.repeatModule(chunk.checked.module);
        if (i >= first) scopes.repeatBody(chunk.checked.open, chunk.openOutline);
      }
      if (i === end) {
        scopes.leave();
        extent++;
      }
    }
    this.known = { scopes, from: last + 1, to: last + 1, version: this.version };
  }

  private checkRun(first: number, last: number, scopes: OpenScopes): void {
    const { chunks } = this.list;
    const left = withoutClosed(chunks.slice(first, last + 1).flatMap(({ outline }) => outline));
    const isOpen = left.some(({ kind }) => kind === 'open' || kind === 'function');
    scopes.labels = this.labelsIn([{ first, last: isOpen ? this.extentOf(last, last).last : last }]);
    for (let i = first; i <= last; i++) this.checkChunk(elementAt(chunks, i), scopes);
    const isSame = chunks.slice(first, last + 1).every(declaresNothing);
    this.known = { scopes, from: isSame ? first : last + 1, to: last + 1, version: this.version };
  }

  // --- scopes that are known from the last check ---------------------------------------------------------------------

  /** After an edit, updates the range of chunks whose scopes are known. */
  private moveKnown({ at, old, fresh }: Replaced): void {
    if (this.known === null) return;
    const { from, to } = this.known;
    const by = fresh.length - old.length;
    if (at + old.length <= from) this.known = { ...this.known, from: from + by, to: to + by };
    else if (at >= from && at + old.length <= to) this.known = { ...this.known, to: at };
    else if (at < to) this.known = null;
  }

  /**
   * The scopes that are open at the start of chunk `first`. Null if they are not known, or if they lack something that
   * is needed to check the chunks up to `last`.
   */
  private takeKnown(first: number, last: number): OpenScopes | null {
    const { known } = this;
    this.known = null;
    if (known === null || known.version !== this.version) return null;
    const { chunks } = this.list;
    const { scopes } = known;
    for (let i = first; i <= last; i++) {
      const { checked, outline } = elementAt(chunks, i);
      const isRepeated = outline.some((part) => part.kind === 'label' && scopes.hasRepeated(part.symbol.name));
      if (checked !== null || isRepeated) return null;
    }
    for (let i = known.from - 1; i >= first; i--) if (!declaresNothing(elementAt(chunks, i))) return null;
    for (let i = known.to; i < first; i++) {
      const { checked } = elementAt(chunks, i);
      if (checked === null || checked.open.some(({ kind }) => kind !== 'symbol')) return null;
      scopes.repeatModule(checked.module);
      scopes.repeatBody(checked.open, []);
    }
    return scopes;
  }

  private checkChunk(chunk: Chunk, scopes: OpenScopes): void {
    const read = this.list.reread(chunk, false);
    const { header, memory } = this;
    const parts = { header, memory, searchLimit: Math.max(0, this.searchesLeft) };
    const checked = new ChunkChecker(chunk, read, scopes, parts).check();
    this.searchesLeft -= checked.searches;
    chunk.checked =
      chunk.index > 0
        ? checked
        : { ...checked, diagnostics: inOrder([...this.headerFindings, ...checked.diagnostics]) };
  }

  /** Reads the header, which the first chunk contains; if it has changed, every chunk is checked again. */
  private readHeader(): void {
    this.header = this.newHeader();
    const items = this.list.firstItems();
    const isOver = items.findIndex((item) => !isHeaderItem(item));
    const own = isOver < 0 ? items : items.slice(0, isOver);
    for (const item of own) {
      if (item.kind === 'version') this.header.readVersion(item);
      else if (item.kind === 'target') this.header.readTarget(item);
      else if (item.kind === 'address_size') this.header.readAddressSize(item);
    }
    this.header.environment();
    const key = JSON.stringify(own, (name, value: unknown) => (name === 'start' || name === 'end' ? undefined : value));
    if (key === this.headerKey) return;
    this.headerKey = key;
    this.forget({ first: 0, last: this.list.chunks.length - 1 });
  }

  private newHeader(): Header {
    this.headerFindings = [];
    return new Header(this.overrides, (diagnostic) => this.headerFindings.push(diagnostic));
  }

  /**
   * The ranges of chunks that have to be checked, in ascending order: every function with at least one unchecked chunk,
   * and every unchecked chunk outside functions.
   */
  private extentsToCheck(): readonly Extent[] {
    const extents: Extent[] = [];
    for (const [i, { checked }] of this.list.chunks.entries()) {
      const previous = extents.at(-1);
      if (checked !== null || (previous !== undefined && i <= previous.last)) continue;
      const extent = this.extentOf(i, i);
      if (previous !== undefined && extent.first <= previous.last) {
        extents[extents.length - 1] = { first: previous.first, last: extent.last };
      } else extents.push(extent);
    }
    return extents;
  }

  /** The labels of each scope that is opened in these chunks. */
  private labelsIn(extents: readonly Extent[]): ReadonlyMap<OutlinePart, readonly LabelSymbol[]> {
    const labels = new Map<OutlinePart, LabelSymbol[]>();
    for (const { first, last } of extents) {
      const open: LabelSymbol[][] = [];
      for (let i = first; i <= last; i++) {
        const { checked, outline, openOutline } = elementAt(this.list.chunks, i);
        for (const part of checked === null ? outline : openOutline) {
          if (part.kind === 'label') open.at(-1)?.push(part.symbol);
          else if (part.kind === 'close') open.pop();
          else {
            const own: LabelSymbol[] = [];
            labels.set(part, own);
            open.push(own);
          }
        }
      }
    }
    return labels;
  }
}

export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.span.start - b.span.start);
}

/** Whether the old and the new chunks begin and end the same functions and blocks in the same order. */
function isSameSkeleton(old: readonly Chunk[], fresh: readonly Chunk[]): boolean {
  const skeleton = (chunks: readonly Chunk[]): string =>
    chunks
      .flatMap(({ outline }) => outline)
      .map((part) => (part.kind === 'label' ? '' : part.kind === 'close' ? `${part.ends} end,` : `${part.kind},`))
      .join('');
  return skeleton(old) === skeleton(fresh);
}

/** True if a chunk adds no names to the scopes that are open and neither opens nor closes any. */
function declaresNothing({ checked }: Chunk): boolean {
  return checked !== null && checked.module.length + checked.open.length === 0;
}
