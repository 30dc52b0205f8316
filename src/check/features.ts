/** Versions and targets of what is no instruction: directives for functions (PTX ISA 9.1, 13; as measured with ptxas 13.0). */
import type { Span } from '../base/span.ts';
import type { Parameters } from '../diagnostics/catalogue.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import type { AvailabilityRow } from '../isa/form.ts';
import { at, type Availability } from '../isa/targets.ts';
import { checkRows, type ModuleEnvironment } from './availability.ts';
import type { Report } from './declarations.ts';

const row = (subject: string, way: Availability): AvailabilityRow => ({ subject, ways: [way] });

export type Feature = 'alias' | 'branchtargets' | 'callprototype' | 'calltargets' | 'noreturn' | 'parameters';

export const features: Readonly<Record<Feature, AvailabilityRow>> = {
  alias: row('.alias', at('6.3', 30)),
  branchtargets: row('.branchtargets', at('5.1', 30)),
  callprototype: row('.callprototype', at('2.1', 20)),
  calltargets: row('.calltargets', at('2.1', 20)),
  noreturn: row('.noreturn', at('6.4', 30)),
  parameters: row('.param of a function', at('2.0', 20)),
};

/** Complains where the module's version or target does not have it. */
export function checkFeature(feature: Feature, environment: ModuleEnvironment, span: Span, report: Report): void {
  for (const { code, parameters, help } of checkRows([features[feature]], environment)) {
    report(diagnose(code, span, parameters as Parameters<typeof code>, { help }));
  }
}
