/** The messages that ptxas prints about a program as a whole. */
import type { Survey } from '../../check/survey.ts';
import { aborted, message } from './message.ts';
import type { VerifyOptions } from './verify-options.ts';

/**
 * The message about a function that no module defines, or about a required kernel that does not exist; null if nothing
 * is missing.
 */
export function unlinked(
  surveys: readonly Survey[],
  kernels: readonly string[],
  { architecture, isPart, entries }: VerifyOptions,
): string | null {
  if (!architecture.isReal) return null;
  const [missing] = surveys.flatMap(({ forwardFunctions, missingFunctions }) =>
    isPart ? forwardFunctions : missingFunctions,
  );
  if (missing !== undefined) return `Unresolved extern function '${missing}'`;
  const unknown = entries.find((name) => !kernels.includes(name));
  return unknown === undefined ? null : `Unknown function ${unknown}`;
}

/** The message about the first function that returns several values; null if none does. */
export function severalResults(surveys: readonly Survey[]): string | null {
  const [name] = surveys.flatMap(({ returnsSeveral }) => returnsSeveral ?? []);
  return name === undefined ? null : `Function '${name}' with multiple return values found, disabling ABI`;
}

/** Returns the message about values that functions cannot pass under the ABI, or null if there are no such values. */
export function unpassable(surveys: readonly Survey[], { architecture, isPart }: VerifyOptions): string | null {
  if (!architecture.isReal) return null;
  const found = surveys.map((one) => one.unpassable[isPart ? 'part' : 'whole']);
  if (found.some(({ parameters }) => parameters))
    return 'In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device functions is not supported';
  return found.some(({ results }) => results)
    ? 'In ABI compilation, returning predicate, 8-bit and 16-bit values from device functions is not supported'
    : null;
}

/** The messages about functions that use both CTA groups, from the last function to the first. */
export function mixedCtaGroups(surveys: readonly Survey[], { architecture, isPart }: VerifyOptions): readonly string[] {
  if (!architecture.isReal) return [];
  const names = surveys.flatMap((one) => one.mixesCtaGroups[isPart ? 'part' : 'whole']).toReversed();
  const lines = names.map((name) =>
    message(
      'error',
      `Function '${name}' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.`,
    ),
  );
  return lines.length === 0 ? [] : [...lines, aborted];
}

export const unifiedInProgram: string = message(
  'error',
  "Feature 'unified Functions' requires command line option '--compile-only'.",
);

/**
 * The messages about `.extern` variables that are not defined before their declaration. The message about an array
 * without a size is fatal if no module defines the array.
 */
export function missingVariables(
  surveys: readonly Survey[],
  { architecture, isPart, warnings }: VerifyOptions,
): { readonly lines: readonly string[]; readonly isRefused: boolean } {
  if (!architecture.isReal || isPart) return { lines: [], isRefused: false };
  const severity = warnings === 'refuse' ? 'error' : 'warning';
  const firsts = firstDefinitions(surveys);
  const lines: string[] = [];
  for (const [module, { externVariables }] of surveys.entries()) {
    for (const { name, start, isSized } of externVariables) {
      const first = firsts.get(name);
      if (first !== undefined && (first.module < module || (first.module === module && first.start < start))) continue;
      const unresolved = `Unresolved extern variable '${name}'`;
      if (!isSized && first === undefined) return { lines: [...lines, message('fatal', unresolved)], isRefused: true };
      if (warnings === 'hide') continue;
      lines.push(message(severity, `${unresolved} in whole program compilation, ignoring extern qualifier`));
    }
  }
  const isRefused = severity === 'error' && lines.length > 0;
  return { lines: isRefused ? [...lines, aborted] : lines, isRefused };
}

/** For each name that other modules can see, its first definition: the number of the module, and the offset in it. */
function firstDefinitions(
  surveys: readonly Survey[],
): ReadonlyMap<string, { readonly module: number; readonly start: number }> {
  const firsts = new Map<string, { readonly module: number; readonly start: number }>();
  for (const [module, { definitions }] of surveys.entries()) {
    for (const { name, start } of definitions) if (!firsts.has(name)) firsts.set(name, { module, start });
  }
  return firsts;
}
