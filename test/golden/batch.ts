/**
 * Checks many cases in one module. Cases with the same declarations are blocks of one kernel, so that headers and
 * declarations are read only once. A case with an unexpected verdict is checked again in a module of its own, as it was
 * recorded, so that other cases cannot affect its verdict. The exhaustive tests check every case in this way.
 */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';

export interface KernelCase {
  readonly version: string;
  readonly target: string;
  readonly inst: string;
  /** ptxas's message for a rejected instruction. */
  readonly msg?: string;
  /** Everything before the kernel: the header and the module's declarations. */
  readonly head: string;
  /** The text before the kernel's name. */
  readonly entry: string;
  /** Everything between the kernel's name and the instruction: parameters and declarations. */
  readonly before: string;
  /** Whether ptxas accepted the instruction. */
  readonly ok: boolean;
}

/**
 * Maximum number of cases in a module. With this many cases, the rest of the module takes up hardly any of the time.
 */
const mostInModule = 500;
/**
 * Maximum number of cases in a test. A test with this many cases takes a second, or a few seconds on a loaded machine.
 */
const mostInTest = 2000;

/** Declares tests for each PTX version, with up to `mostInTest` cases each. The checker must agree with ptxas. */
export function testCases(cases: readonly KernelCase[]): void {
  describe.each([...groupBy(cases, ({ version }) => version)])('PTX %s', (_, own) => {
    const sorted = [...groupBy(own, ({ head }) => head).values()].flatMap((group) => [...byKernel(group).values()].flat());
    const parts = inParts(sorted, mostInTest).map((part) => [part[0]?.target ?? '', part] as const);
    test.each(parts)('from %s on', (_target, part) => {
      expect(misjudged(part).map(inWords)).toEqual([]);
    });
  });
}

/** Cases with the same declarations share a kernel. */
function byKernel(cases: readonly KernelCase[]): ReadonlyMap<string, readonly KernelCase[]> {
  return groupBy(cases, ({ before }) => before);
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

/** The cases on which the checker disagrees with ptxas. */
function misjudged(cases: readonly KernelCase[]): readonly KernelCase[] {
  return [...groupBy(cases, ({ head }) => head).values()]
    .flatMap((group) => inParts(group, mostInModule))
    .flatMap(misjudgedTogether)
    .filter(isMisjudgedAlone);
}

/** A piece of the module, and the cases that count as rejected if the piece contains an error. */
interface Piece {
  readonly start: number;
  readonly cases: readonly KernelCase[];
}

function misjudgedTogether(cases: readonly KernelCase[]): readonly KernelCase[] {
  let source = cases[0]?.head ?? '';
  const pieces: Piece[] = [{ start: 0, cases }];
  const add = (text: string, of: readonly KernelCase[]): void => {
    pieces.push({ start: source.length, cases: of });
    source += text;
  };
  for (const [before, own] of byKernel(cases)) {
    add(`${own[0]?.entry} k${pieces.length}${before}\n`, own);
    for (const one of own) add(`{\n${one.inst}\n}\n`, [one]);
    source += 'ret;\n}\n';
  }
  const refused = new Set<KernelCase>();
  let place = 0;
  for (const at of errorsOf(source)) {
    while (at >= (pieces[place + 1]?.start ?? Number.POSITIVE_INFINITY)) place++;
    for (const one of pieces[place]?.cases ?? []) refused.add(one);
  }
  return cases.filter((one) => refused.has(one) === one.ok);
}

/** Checks a case in a module of its own. */
export function isMisjudgedAlone({ head, entry, before, inst, ok }: KernelCase): boolean {
  return (errorsOf(`${head}${entry} k${before}\n${inst}\nret;\n}\n`).length === 0) !== ok;
}

/** The positions of the errors, in the order of the text. */
function errorsOf(source: string): readonly number[] {
  const { diagnostics } = check(source);
  return diagnostics.flatMap(({ severity, span }) => (severity === 'error' ? [span.start] : []));
}
