/** The version and target requirements of a module, collected from all features it uses (chapter 13 of PTX ISA 9.1). */
import type { Span } from '../base/span.ts';
import { diagnoseStored } from '../diagnostics/diagnostic.ts';
import type { DeclaredSpace, DirectivePart, DirectiveWord, Linkage } from '../isa/directives.ts';
import {
  availabilityOfBank,
  availabilityOfDirective,
  availabilityOfPragma,
  availabilityOfTargetOption,
  availabilityOfTuning,
} from '../isa/find-directive.ts';
import type { AvailabilityRow } from '../isa/conditions.ts';
import { availabilityOfField } from '../isa/opaque-fields.ts';
import type {
  DebugItem,
  Declaration,
  FunctionItem,
  Initializer,
  TargetDirective,
  TuningDirective,
} from '../syntax/tree.ts';
import { checkRows } from './availability.ts';
import { isOpen } from './declarations/sizes.ts';
import { attributeName } from './declarations/declarations.ts';
import type { Report } from './report.ts';
import type { Header } from './declarations/header.ts';
import { helpOf } from './instructions/problem.ts';
import type { Verdict } from './instructions/verdicts.ts';

export class ModuleRequirements {
  readonly rows: Set<AvailabilityRow> = new Set();
  /** The verdicts on the module's instructions that have requirements. */
  readonly verdicts: Set<Verdict> = new Set();
  private readonly header: Header;
  private readonly report: Report;

  constructor(header: Header, report: Report) {
    this.header = header;
    this.report = report;
  }

  /** Records the requirements in the verdict on an instruction. The problems in the verdict are reported elsewhere. */
  met(verdict: Verdict): void {
    if (verdict.rows.length === 0 || this.verdicts.has(verdict)) return;
    this.verdicts.add(verdict);
    for (const row of verdict.rows) this.note(row);
  }

  /** Records a requirement without reporting anything. */
  note(row: AvailabilityRow | null): void {
    if (row !== null) this.rows.add(row);
  }

  /** Records a requirement, and reports it if the module does not meet it. */
  uses(row: AvailabilityRow | null, span: Span): void {
    if (row === null) return;
    this.rows.add(row);
    for (const found of checkRows([row], this.header.environment())) {
      const { code, parameters, accepted } = found;
      this.report(diagnoseStored(code, span, parameters, { help: helpOf(found), accepted }));
    }
  }

  directive(name: DirectiveWord | DirectivePart | Linkage | DeclaredSpace | null, { start, end }: Span): void {
    if (name !== null) this.uses(availabilityOfDirective(name), { start, end });
  }

  /**
   * Records the requirements of the options in `.target`. Requirements that are not met are reported with the header.
   */
  targetOptions({ names }: TargetDirective): void {
    for (const { name } of names) this.note(availabilityOfTargetOption(name));
  }

  /** Records the requirements of the directives in the header of a function. */
  functionHeader(item: FunctionItem): void {
    const { entry, results, parameters, noreturn, nameStart, nameEnd } = item;
    const span: Span = { start: nameStart, end: nameEnd };
    this.directive(item.linkage, span);
    for (const attribute of item.attributes) this.attribute(attribute, span);
    this.tuning(item.tuning);
    for (const parameter of parameters) {
      if (parameter.pointer === null) continue;
      this.directive('.ptr', { start: parameter.nameStart, end: parameter.nameEnd });
    }
    const inMemory = !entry && [...results, ...parameters].some(({ space }) => space === '.param');
    if (inMemory) this.directive('.param of a function', span);
    if (entry && parameters.length > 0) this.directive('kernel parameter list', span);
    if (entry && item.body === null) this.directive('kernel without a body', span);
    if (noreturn) this.directive('.noreturn', span);
    if (parameters.some(isOpen)) this.directive('array parameter without a size', span);
  }

  tuning(directives: readonly TuningDirective[]): void {
    for (const directive of directives) {
      if (directive.name === '.pragma') this.pragmas(directive);
      else this.uses(availabilityOfTuning(directive.name), { start: directive.start, end: directive.end });
    }
  }

  declaration({ linkage, attributes, space, bank, spaceStart, spaceEnd, variables }: Declaration): void {
    const span: Span = { start: spaceStart, end: spaceEnd };
    this.directive(linkage, span);
    this.directive(space, span);
    if (bank !== null) this.uses(availabilityOfBank(bank), span);
    for (const attribute of attributes) this.attribute(attribute, span);
    for (const { initializer } of variables) if (initializer !== null) this.initializer(initializer);
  }

  debug(item: DebugItem): void {
    if (item.directive !== '@@DWARF') this.directive(item.directive, item);
    if (item.file?.stamped === true) this.directive('.file with a time and size', item);
  }

  private initializer(initializer: Initializer): void {
    switch (initializer.kind) {
      case 'integer':
        if (initializer.masked) this.directive('mask of an initial value', initializer.span);
        return;
      case 'address':
        if (initializer.generic) this.directive('generic()', initializer.span);
        if (initializer.mask !== null) this.directive('mask of an initial value', initializer.span);
        return;
      case 'list':
        for (const element of initializer.elements) this.initializer(element);
        return;
      case 'field':
        this.uses(availabilityOfField.get(initializer.name) ?? null, initializer.span);
        return;
      case 'float':
        return;
    }
  }

  private attribute(text: string, span: Span): void {
    this.uses(availabilityOfTuning(attributeName(text)), span);
  }

  /** `.pragma` with its strings. */
  pragmas({ strings, start, end }: Span & { readonly strings: readonly string[] }): void {
    this.directive('.pragma', { start, end });
    for (const text of strings) this.uses(availabilityOfPragma(text), { start, end });
  }
}
