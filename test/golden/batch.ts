/**
 * Checks many small kernels as one module, so that the header is read only once. An unexpected verdict is checked again
 * alone, so that neighbouring kernels cannot have caused it.
 */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';

export interface KernelCase {
  readonly version: string;
  readonly target: string;
  readonly inst: string;
  /** ptxas's message for a rejected instruction. */
  readonly msg?: string;
  /** Everything before the kernel: the header, and declarations of the module. */
  readonly head: string;
  /** Everything after the kernel's name: parameters, body, and the rest. */
  readonly kernel: string;
  /** The text before the kernel's name. */
  readonly entry: string;
  /** The expected findings of the checker. */
  readonly ok: boolean;
}

/** A module with this many kernels costs little more than the kernels themselves. */
const mostInModule = 500;
/** A test with this many cases takes a second, and a few seconds on a loaded machine. */
const mostInTest = 2000;

/**
 * Declares tests of a few thousand cases each: the checker must agree with ptxas. A test is named after the first of
 * its cases.
 */
export function testCases(name: string, cases: readonly KernelCase[]): void {
  const sorted = [...groupBy(cases, ({ head }) => head).values()].flat();
  const parts = inParts(sorted, mostInTest).map(
    (part) => [part[0]?.version ?? '', part[0]?.target ?? '', part] as const,
  );
  describe(name, () => {
    test.each(parts)('from PTX %s, %s', (_version, _target, part) => {
      expect(misjudged(part).map(inWords)).toEqual([]);
    });
  });
}

/** Groups items by a key. */
export function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

function inParts<T>(list: readonly T[], most: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / most);
  return Array.from({ length: count }, (_, i) => list.slice(i * most, (i + 1) * most));
}

function inWords({ ok, version, target, inst, msg }: KernelCase): string {
  return `${ok ? 'accepts' : 'refuses'} ${version} ${target}: ${inst}   ${msg ?? ''}`;
}

/** The cases on which the checker disagrees. */
function misjudged(cases: readonly KernelCase[]): readonly KernelCase[] {
  return [...groupBy(cases, ({ head }) => head).values()]
    .flatMap((group) => inParts(group, mostInModule))
    .flatMap(misjudgedTogether)
    .filter(isMisjudgedAlone);
}

/** An error before the first kernel counts for every kernel. */
function misjudgedTogether(cases: readonly KernelCase[]): readonly KernelCase[] {
  let source = cases[0]?.head ?? '';
  const starts = cases.map(({ entry, kernel }, i) => {
    const start = source.length;
    source += `${entry} k${i}${kernel}`;
    return start;
  });
  const errors = errorsOf(source);
  if (errors.some((at) => at < (starts[0] ?? 0))) return cases.filter(({ ok }) => ok);
  const refused = cases.map(() => false);
  let place = 0;
  for (const at of errors) {
    while (at >= (starts[place + 1] ?? Number.POSITIVE_INFINITY)) place++;
    refused[place] = true;
  }
  return cases.filter(({ ok }, i) => refused[i] === ok);
}

function isMisjudgedAlone({ head, entry, kernel, ok }: KernelCase): boolean {
  return (errorsOf(`${head}${entry} k${kernel}`).length === 0) !== ok;
}

/** The positions of the errors, in the order of the text. */
function errorsOf(source: string): readonly number[] {
  const { diagnostics } = check(source);
  return diagnostics.flatMap(({ severity, span }) => (severity === 'error' ? [span.start] : []));
}
