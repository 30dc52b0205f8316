import { PtxlabError } from '../base/error.ts';
import { requireArgument, requireOptions } from '../base/require.ts';
import { requireText } from '../base/require-text.ts';
import { number, shaped, shown } from '../base/rules.ts';
import type { SourcePlace } from '../base/source-place.ts';
import type { Position, Span } from '../base/span.ts';
import { environmentKey } from '../check/availability.ts';
import { type CheckOptions, check, type Requirements, requirementsOf, sharedMemory } from '../check/check.ts';
import { errorLimit as otherLimit } from '../check/error-cap.ts';
import { judgeRules, readJudgeOptions } from '../check/judge-options.ts';
import { searchLimit } from '../check/unknown-name.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { requireFindings } from '../diagnostics/renderers/file-report.ts';
import type { Fix } from '../diagnostics/fix.ts';
import type { AvailabilityRow } from '../isa/conditions.ts';
import { printItem } from '../syntax/printer.ts';
import { errorLimit as syntaxLimit } from '../syntax/reader.ts';
import type { Chunk } from './chunk.ts';
import { ChunkList, requireOffset } from './chunk-list.ts';
import { Completer, type Completions } from './completion.ts';
import { declarationFix } from './declaration-fixes.ts';
import { findingsOf, needsWholeCheck, withResults } from './findings.ts';
import { type FunctionBody, functionBody } from './function-body.ts';
import { FunctionView } from './function-view.ts';
import { type FunctionPlace, functionsIn } from './functions.ts';
import { kernelHeader, type KernelHeader } from './kernel-header.ts';
import { headerFixes, headerPlaces, type HeaderPlaces } from './header-fixes.ts';
import { ModuleCheck } from './module-check.ts';
import { type NormalBody, normalBody, type NormalVariable, normalVariable } from './module-diff/normal-body.ts';
import { Navigation } from './navigation.ts';
import { offsetOf, positionOf } from './positions.ts';
import { firstDeclaration, headersMeant, type RelatedPlace } from './related-places.ts';
import { type Signatures, signaturesAt } from './signature.ts';
import { statementPlace } from './statement-place.ts';
import { type MappedRange, placeAt, type SourceLine, SourceMap, sourceLinesOf } from './source-map.ts';
import type { Word } from './words.ts';

const positionRule = shaped<Position>('an object with a line and a column', { line: number, column: number });

const limits = { errors: Math.min(syntaxLimit, otherLimit), searches: searchLimit };

/**
 * A PTX module that is being edited. After an edit, parsing and checking are repeated only for the edited parts of the
 * text, and for parts that depend on a changed declaration. The findings are the same as those that `check` reports for
 * the whole text.
 */
export class Document {
  private readonly list: ChunkList;
  private readonly module: ModuleCheck;
  private readonly options: CheckOptions;
  private findings: readonly Diagnostic[] | null = null;
  private readonly sources: SourceMap;
  private ranges: readonly MappedRange[] | null = null;
  private readonly words = new WeakMap<Chunk, readonly Word[]>();
  private known: Navigation | null = null;
  private completer: Completer | null = null;
  private headerFound: HeaderPlaces | null = null;
  /** The function views that were requested since the last edit, keyed by the offset at which the function starts. */
  private readonly views = new Map<number, FunctionView>();

  /**
   * @param options the target and version to check for, instead of those that the module declares
   * @throws PtxlabError `unknown-target` or `unknown-version` if an option specifies a target or version that does not
   * exist
   */
  constructor(text: string, options: CheckOptions = {}) {
    requireText(text, 'the text of a module');
    requireOptions(options, judgeRules, 'Document');
    this.options = options;
    this.list = new ChunkList(text, sharedMemory.lineShapes);
    this.sources = new SourceMap(this.list);
    this.module = new ModuleCheck(this.list, sharedMemory, readJudgeOptions(options));
  }

  /** The length of the text in UTF-16 code units. All offsets are counted in the same units. */
  get length(): number {
    return this.list.length;
  }

  text(): string {
    return this.list.text();
  }

  /** The text between two offsets. */
  slice(start: number, end: number): string {
    return this.list.slice(start, end);
  }

  /**
   * Replaces the text between two offsets.
   *
   * @throws PtxlabError `bad-range` if the offsets are not within the text, or not in order
   */
  edit(start: number, end: number, text: string): void {
    requireText(text, 'the new text');
    const isRange =
      Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= this.length;
    if (!isRange)
      throw new PtxlabError(
        'bad-range',
        `${shown(start)} to ${shown(end)} is not a range; the length of the text is ${this.length}`,
      );
    if (start === end && text === '') return;
    this.findings = null;
    this.views.clear();
    this.known = null;
    this.ranges = null;
    this.headerFound = null;
    this.module.update(this.list.edit(start, end, text));
  }

  /** The same findings that `check` reports for the text, in the same order. */
  diagnostics(): readonly Diagnostic[] {
    this.findings ??= needsWholeCheck(this.module, limits)
      ? check(this.text(), this.options).diagnostics
      : findingsOf(this.module);
    return this.findings;
  }

  /**
   * The possible fixes for a finding, most likely first. The finding must be one that `diagnostics` has returned since
   * the last edit.
   */
  fixes(finding: Diagnostic): readonly Fix[] {
    requireFindings([finding]);
    const { fixes, accepted, code, span } = finding;
    if (code === 'PTX3001') return [...fixes, ...this.declarationFixes(span)];
    if (accepted.length === 0 || this.options.target !== undefined) return fixes;
    return [...fixes, ...headerFixes(accepted, this.header())];
  }

  /**
   * Other places that help to explain a finding: the first declaration of a name, or the header directives that do not
   * allow something that the module uses.
   */
  related(finding: Diagnostic): readonly RelatedPlace[] {
    if (finding.code === 'PTX5005') return firstDeclaration(finding.span, this.list, this.navigation);
    if (finding.accepted.length === 0 || this.options.target !== undefined) return [];
    return headersMeant(finding.accepted, this.header());
  }

  private header(): HeaderPlaces {
    this.headerFound ??= headerPlaces(this.list.firstItems());
    return this.headerFound;
  }

  private declarationFixes(place: Span): readonly Fix[] {
    const { names, references } = this.navigation;
    const module = this.module.scopesAtEnd.symbols;
    const type = this.writer().registerTypeAt(place.end, this.list, names, references, module);
    const fix = type === null ? null : declarationFix(place, type, this.list, names, references);
    return fix === null ? [] : [fix];
  }

  /** The operands of the instruction that is being written at an offset; null if no operand can be written there. */
  signatures(offset: number): Signatures | null {
    const chunk = this.list.before(offset);
    const words = this.navigation.references.wordsOf(chunk);
    return signaturesAt(statementPlace(chunk.text, words, offset - chunk.start));
  }

  /** The requirements of the module: which versions and targets would accept it. */
  requirements(): Requirements {
    if (needsWholeCheck(this.module, limits)) return check(this.text(), this.options).requirements;
    const rows = new Set<AvailabilityRow>();
    const unchecked = new Set<string>();
    for (const { checked } of this.list.chunks.map(withResults)) {
      for (const row of checked.rows) rows.add(row);
      for (const opcode of checked.unchecked.values()) unchecked.add(opcode);
    }
    return requirementsOf(rows, unchecked, this.module.environment);
  }

  /** Answers questions about names and structure; valid until the next edit. */
  get navigation(): Navigation {
    this.known ??= new Navigation(this.list, this.words);
    return this.known;
  }

  /**
   * The completions at an offset. Parts of a mnemonic are offered only if they can be completed to a legal mnemonic,
   * and names only if they are legal in that place.
   */
  completions(offset: number): Completions {
    const { names, references } = this.navigation;
    return this.writer().at(offset, this.list, names, references, this.module.scopesAtEnd.symbols);
  }

  /** The completer is kept until the version or the target changes. */
  private writer(): Completer {
    const { environment } = this.module;
    const known = this.completer?.environment;
    if (this.completer === null || known === undefined || environmentKey(known) !== environmentKey(environment))
      this.completer = new Completer(environment);
    return this.completer;
  }

  /** The functions with a body, in the order of the text. */
  functions(): readonly FunctionPlace[] {
    return functionsIn(this.list.chunks);
  }

  /**
   * The function at an offset, for questions about its registers and control flow. Null outside functions, and for a
   * function that cannot be parsed or has more than 65,536 branch targets.
   */
  functionAt(offset: number): FunctionView | null {
    requireOffset(offset);
    const place = this.functions().find(({ start, end }) => start <= offset && offset <= end);
    if (place === undefined) return null;
    const known = this.views.get(place.start);
    if (known !== undefined) return known;
    const body = this.bodyAt(place);
    const view = body === null ? null : new FunctionView(body);
    if (view !== null) this.views.set(place.start, view);
    return view;
  }

  /** The headers of all kernels that have a body, in the order of the text. */
  kernels(): readonly KernelHeader[] {
    return this.functions().flatMap(({ entry, name, start, headerEnd }) => {
      if (!entry) return [];
      const header = this.slice(start, headerEnd).replace(/\{?\s*$/, '');
      const body = this.bodyOf(`${header}{}`, start);
      return body === null ? [] : [kernelHeader(name, body.program)];
    });
  }

  /**
   * A function in the normal form that is used to compare functions; null if the function cannot be parsed or has more
   * than 65,536 branch targets. The result is not cached.
   */
  normalBody(place: FunctionPlace): NormalBody | null {
    const body = this.bodyAt(place);
    return body === null ? null : normalBody(body);
  }

  /** The text of each header directive, keyed by the name of the directive. */
  headerLines(): ReadonlyMap<string, string> {
    const lines = this.list.firstItems().map(printItem);
    return new Map(
      lines.flatMap((line) => {
        const name = /^\.(?:version|target|address_size)\b/.exec(line)?.[0];
        return name === undefined ? [] : [[name, line.slice(name.length + 1)]];
      }),
    );
  }

  /** The variables of the module. */
  moduleVariables(): readonly NormalVariable[] {
    return [...this.navigation.names.moduleNames().values()].flatMap(([declared]) =>
      declared?.symbol.kind === 'variable' ? [normalVariable(declared.symbol)] : [],
    );
  }

  private bodyAt({ start, end }: FunctionPlace): FunctionBody | null {
    return this.bodyOf(this.slice(start, end), start);
  }

  private bodyOf(text: string, start: number): FunctionBody | null {
    const { scopesAtEnd: scopes, header } = this.module;
    return functionBody(text, start, { scopes, header, memory: sharedMemory, files: new Map() });
  }

  /** The source position that a `.loc` directive specifies for the instruction at an offset; null if there is none. */
  sourceAt(offset: number): SourcePlace | null {
    requireOffset(offset);
    return placeAt(this.mapped(), offset);
  }

  /** The source lines from which the instructions were compiled, sorted by file and line. */
  sourceLines(): readonly SourceLine[] {
    return sourceLinesOf(this.mapped());
  }

  private mapped(): readonly MappedRange[] {
    this.ranges ??= this.sources.ranges();
    return this.ranges;
  }

  /** Line and column of an offset, both counted from 1. */
  position(offset: number): Position {
    return positionOf(offset, this.list);
  }

  /**
   * Returns the offset that corresponds to a line and column. If the column is past the end of the line, the result is
   * the end of the line; if the text has too few lines, it is the end of the text.
   */
  offset(position: Position): number {
    requireArgument('the position', position, positionRule);
    return offsetOf(position, this.list);
  }
}
