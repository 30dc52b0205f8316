/**
 * Checks that no function uses tensor memory both for single CTAs and for pairs of CTAs (PTX ISA 9.1, section
 * 9.7.16.5).
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import type { Report } from '../report.ts';
import type { FunctionUses } from './function-uses.ts';

/** Reports functions with `tcgen05` instructions of both CTA groups. */
export function checkCtaGroups({ uses }: FunctionUses, report: Report): void {
  for (const { name, span, ctaGroups } of uses.values()) {
    if (ctaGroups.size > 1) report(diagnose('PTX2037', span, { name }));
  }
}
