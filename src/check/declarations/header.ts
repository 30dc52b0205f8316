/**
 * `.version`, `.target` and `.address_size`: the environment against which a module is checked (PTX ISA 9.1, section
 * 11.1).
 */
import type { Span } from '../../base/span.ts';
import { diagnose, diagnoseStored } from '../../diagnostics/diagnostic.ts';
import { availabilityOfTargetOption, findTargetOption } from '../../isa/find-directive.ts';
import { helpForTarget } from '../../isa/nearest-target.ts';
import {
  findDeclaredTarget,
  formatVersion,
  includesTarget,
  newestVersion,
  type Target,
  targets,
  type Version,
  versions,
} from '../../isa/targets.ts';
import type {
  AddressSizeDirective,
  NameOperand,
  TargetDirective,
  Variable,
  VersionDirective,
} from '../../syntax/tree.ts';
import { checkRows, type ModuleEnvironment, shortAddressTargets } from '../availability.ts';
import type { Report } from '../report.ts';
import { elementAt, lastOf } from '../../base/element-at.ts';

/** Values from the caller that replace the module's own directives. */
export interface Overrides {
  readonly target: Target | null;
  readonly version: Version | null;
}

/**
 * Maximum number of unknown targets for which a similar name is suggested. There is a limit because each suggestion
 * requires a comparison with all targets.
 */
const searchLimit = 100;

/** Collects the header directives and computes the environment from them. */
export class Header {
  private readonly overrides: Overrides;
  private readonly report: Report;
  private version: Version | null = null;
  /** The last architecture in the `.target` directives. As in ptxas 13.0, only this architecture applies. */
  private target: Target | null = null;
  /** The architecture that needs the newest version. */
  private newest: { readonly target: Target; readonly span: Span } | null = null;
  private unknownTargets = 0;
  /**
   * The options in `.target` that follow the architecture, such as `debug`. If an option is repeated, only its first
   * occurrence is kept.
   */
  private readonly options = new Map<string, NameOperand>();
  private addressSize: 32 | 64 = 32;
  private addressSpan: Span | null = null;
  private complete = false;

  constructor(overrides: Overrides, report: Report) {
    this.overrides = overrides;
    this.report = report;
  }

  readVersion(directive: VersionDirective): void {
    if (this.version !== null) return;
    const { major, minor } = directive;
    // ptxas adds the tens digit of the minor version to the major version, so 8.10 is the same as 9.0.
    const carried = (major + Math.floor(minor / 10)) * 100 + (minor % 10);
    const found = versions.includes(carried) ? carried : major * 100 + Math.min(minor, 99);
    this.version = found;
    const text = `${major}.${minor}`;
    if (found > newestVersion) {
      this.report(diagnose('PTX4011', directive, { found: text, known: formatVersion(newestVersion) }));
      this.version = newestVersion;
    } else if (!versions.includes(found)) {
      this.report(diagnose('PTX4010', directive, { found: text }));
      this.version = [...versions].reverse().find((version) => version < found) ?? elementAt(versions, 0);
    }
  }

  readTarget(directive: TargetDirective): void {
    const [first] = directive.names;
    if (first !== undefined && this.target === null && findTargetOption(first.name) !== undefined) {
      this.report(diagnose('PTX4016', first, { found: first.name }));
    }
    for (const option of directive.names) {
      const { name, start, end } = option;
      if (findTargetOption(name) !== undefined) {
        this.readOption(option);
        continue;
      }
      const target = findDeclaredTarget(name);
      if (target !== undefined) {
        this.target = target;
        const newer = this.newest === null || target.since > this.newest.target.since;
        if (newer) this.newest = { target, span: { start, end } };
      } else if (this.overrides.target === null) {
        const help = ++this.unknownTargets > searchLimit ? null : helpForTarget(name);
        this.report(diagnose('PTX4012', { start, end }, { found: name }, { help }));
      }
    }
  }

  private readOption(option: NameOperand): void {
    const { name } = option;
    const other = [...this.options.values()].find((earlier) => earlier.name !== name && inOneGroup(earlier, option));
    if (other !== undefined) this.report(diagnose('PTX4017', option, { found: name, other: other.name }));
    if (!this.options.has(name)) this.options.set(name, option);
  }

  readAddressSize(directive: AddressSizeDirective): void {
    this.addressSize = directive.size === 64 ? 64 : 32;
    this.addressSpan = { start: directive.start, end: directive.end };
    if (directive.size !== 32 && directive.size !== 64) {
      this.report(diagnose('PTX4019', directive, { found: String(directive.size) }));
    }
  }

  /**
   * Reports the declaration of a sampler if `.target` does not contain `texmode_independent`. Without this option, a
   * texture includes its sampler, so there are no separate samplers. ptxas accepts arrays of samplers anyway.
   */
  checkSampler({ type, typeStart, typeEnd, vector, dimensions }: Variable): void {
    if (type !== '.samplerref' || this.options.has('texmode_independent')) return;
    if (vector !== null || dimensions.length > 0) return;
    this.report(diagnose('PTX5027', { start: typeStart, end: typeEnd }, {}));
  }

  /**
   * Returns the environment. The first call, which is made at the first item after the header, also reports missing and
   * contradictory directives.
   */
  environment(): ModuleEnvironment {
    if (!this.complete) {
      this.complete = true;
      this.reportDisagreement();
      this.reportShortAddresses();
    }
    return {
      version: this.effectiveVersion(),
      target: this.effectiveTarget(),
      addressSize: this.addressSize,
      declaresAddressSize: this.addressSpan !== null,
      texmode: this.options.has('texmode_independent') ? 'independent' : 'unified',
    };
  }

  /**
   * Reports findings that are known only at the end of the module. `hasDebug` is true if the module has a section with
   * debug information.
   */
  reportAtEnd(hasDebug: boolean): void {
    const debug = this.options.get('debug');
    if (debug !== undefined && !hasDebug) this.report(diagnose('PTX4020', debug, {}));
  }

  private reportDisagreement(): void {
    const target = this.effectiveTarget();
    const version = this.effectiveVersion();
    for (const option of this.options.values()) {
      const row = availabilityOfTargetOption(option.name);
      for (const found of row === null ? [] : checkRows([row], { version, target }))
        this.report(diagnoseStored(found.code, option, found.parameters, { accepted: found.accepted }));
    }
    this.reportTooNew(version);
  }

  private reportTooNew(version: Version): void {
    if (this.newest === null) return;
    const target = this.overrides.target ?? this.newest.target;
    if (version >= target.since) return;
    const needed = formatVersion(target.since);
    const parameters = { found: target.name, needed, version: formatVersion(version) };
    this.report(diagnose('PTX4013', this.newest.span, parameters, { accepted: [{ version: needed, target: null }] }));
  }

  private reportShortAddresses(): void {
    const target = this.effectiveTarget();
    const span = this.addressSpan;
    if (this.addressSize === 64 || span === null || includesTarget(shortAddressTargets, target)) return;
    this.report(diagnose('PTX4021', span, { target: target.name }));
  }

  private effectiveVersion(): Version {
    return this.overrides.version ?? this.version ?? newestVersion;
  }

  private effectiveTarget(): Target {
    return this.overrides.target ?? this.target ?? lastOf(targets);
  }
}

function inOneGroup(first: NameOperand, second: NameOperand): boolean {
  const group = findTargetOption(first.name)?.group ?? null;
  return group !== null && group === findTargetOption(second.name)?.group;
}
