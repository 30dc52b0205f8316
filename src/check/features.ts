/** Versions and targets of what is no instruction: directives for functions (PTX ISA 9.1, 13; as measured with ptxas 13.0). */
import type { Span } from '../base/span.ts';
import type { Parameters } from '../diagnostics/catalogue.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import type { AvailabilityRow } from '../isa/form.ts';
import { at, type Availability, parseVersion } from '../isa/targets.ts';
import { checkRows, type ModuleEnvironment } from './availability.ts';
import type { Report } from './declarations.ts';

const row = (subject: string, way: Availability): AvailabilityRow => ({ subject, ways: [way] });

export type Feature =
  | 'alias'
  | 'branchtargets'
  | 'callprototype'
  | 'calltargets'
  | 'inlined'
  | 'noreturn'
  | 'parameters';

export const features: Readonly<Record<Feature, AvailabilityRow>> = {
  alias: row('.alias', at('6.3', 30)),
  branchtargets: row('.branchtargets', at('5.1', 30)),
  callprototype: row('.callprototype', at('2.1', 20)),
  calltargets: row('.calltargets', at('2.1', 20)),
  inlined: row('.loc with inlined_at', at('7.0')),
  noreturn: row('.noreturn', at('6.4', 30)),
  parameters: row('.param of a function', at('2.0', 20)),
};

const dated: Readonly<Record<string, Availability>> = {
  '.maxntid': at('1.3'),
  '.maxnreg': at('1.3'),
  '.maxnctapersm': { ...at('1.3'), until: parseVersion('2.1') },
  '.minnctapersm': at('2.0'),
  '.pragma': at('2.0'),
  '.section': at('2.0'),
  '.reqntid': at('2.1'),
  '.ptr': at('2.2'),
  '.weak': at('3.1'),
  '.managed': at('4.0', 30),
  '.common': at('5.0'),
  '.reqnctapercluster': at('7.8', 90),
  '.explicitcluster': at('7.8', 90),
  '.maxclusterrank': at('7.8', 90),
  '.unified': at('8.0', 90),
  '.abi_preserve': at('9.0', 80),
  '.abi_preserve_control': at('9.0', 80),
  '.blocksareclusters': at('9.0', 90),
  "pragma 'used_bytes_mask'": at('8.3', 50),
  "pragma 'enable_smem_spilling'": at('8.7', 75),
  "pragma 'frequency'": at('9.0', 50),
};

const rowsOfDirectives = new Map(Object.entries(dated).map(([name, way]) => [name, row(name, way)]));

/** What a directive, linkage, attribute or pragma needs, by its name; null where it has been there always. */
export function rowOfDirective(name: string): AvailabilityRow | null {
  return rowsOfDirectives.get(name) ?? null;
}

/** Complains where the module's version or target does not have it. */
export function checkRow(found: AvailabilityRow, environment: ModuleEnvironment, span: Span, report: Report): void {
  for (const { code, parameters, help } of checkRows([found], environment)) {
    report(diagnose(code, span, parameters as Parameters<typeof code>, { help }));
  }
}
