/** Compares two modules. Comments, `.loc` directives, and the names of registers, labels and parameters are ignored. */
import { append } from '../../base/append.ts';
import { requireArgument, requireOptions } from '../../base/require.ts';
import { callback, type Rule, type RulesFor } from '../../base/rules.ts';
import { Document } from '../document.ts';
import type { FunctionPlace } from '../functions.ts';
import { type BodyDiff, diffBodies } from './function-diff.ts';
import { type FunctionMatches, matchFunctions, type Side } from './match-functions.ts';
import { addedCounts, type MnemonicCount } from './mnemonic-counts.ts';
import { type NormalBody, type NormalVariable } from './normal-body.ts';

/** A declaration that occurs in at least one of the modules. `a` or `b` is null if that module does not contain it. */
export interface DeclarationDiff {
  readonly name: string;
  readonly a: string | null;
  readonly b: string | null;
}

export interface FunctionDiff extends BodyDiff {
  readonly a: FunctionPlace;
  readonly b: FunctionPlace;
  /** Differences in the header (`.param`, `.maxntid`, …) and in the variables of the function. */
  readonly declarations: readonly DeclarationDiff[];
  readonly isSame: boolean;
}

export interface ModuleDiff {
  readonly isSame: boolean;
  /** Differences in the version, the target, the address size, and the variables of the module. */
  readonly declarations: readonly DeclarationDiff[];
  /** The functions that occur in both modules, in the order of the first module. */
  readonly functions: readonly FunctionDiff[];
  readonly onlyInA: readonly FunctionPlace[];
  readonly onlyInB: readonly FunctionPlace[];
  /** The mnemonics that the functions of one module use more often than those of the other. */
  readonly mnemonics: readonly MnemonicCount[];
  /** Functions that are not compared, because they have syntax errors or more than 65,536 branch targets. */
  readonly unread: readonly FunctionPlace[];
}

export interface ModuleDiffOptions {
  /** Selects the functions to compare by their names; by default, all functions are compared. */
  readonly takes?: (name: string) => boolean;
}

const documentRule: Rule<Document> = { takes: 'a Document', accepts: (value) => value instanceof Document };
const optionRules: RulesFor<ModuleDiffOptions> = { takes: callback() };

/**
 * Matches the functions of two modules, their blocks and their instructions, and returns the differences.
 *
 * @throws PtxlabError `argument-type` if `a` or `b` is not a Document; `bad-option` if an option does not exist
 */
export function diffModules(a: Document, b: Document, options: ModuleDiffOptions = {}): ModuleDiff {
  requireArgument('the first module', a, documentRule);
  requireArgument('the second module', b, documentRule);
  requireOptions(options, optionRules, 'diffModules');
  const { takes = () => true } = options;
  const sides = { a: sideOf(a, takes), b: sideOf(b, takes) };
  const matches = matchFunctions(sides.a, sides.b);
  const variables = { a: a.moduleVariables(), b: b.moduleVariables() };
  const functionNames = new Map(matches.pairs.map(([one, other]) => [one.name, other.name]));
  const variableNames = renamedVariables(variables.a, variables.b);
  const nameInB: NameInB = (name) => variableNames.get(name) ?? functionNames.get(name) ?? name;
  const functions: FunctionDiff[] = [];
  const unread: FunctionPlace[] = [];
  for (const [one, other] of matches.pairs) {
    const bodies = { a: sides.a.read(one), b: sides.b.read(other) };
    if (bodies.a === null) unread.push(one);
    if (bodies.b === null) unread.push(other);
    if (bodies.a === null || bodies.b === null) continue;
    functions.push(
      diffFunctions(
        { document: a, place: one, body: bodies.a },
        { document: b, place: other, body: bodies.b },
        nameInB,
      ),
    );
  }
  const declarations = [...headerDiffs(a, b), ...variableDiffs(variables.a, variables.b, nameInB)];
  return {
    isSame: isSame(matches, declarations, functions) && unread.length === 0,
    declarations,
    functions,
    onlyInA: matches.onlyInA,
    onlyInB: matches.onlyInB,
    mnemonics: addedCounts(functions.flatMap(({ mnemonics }) => mnemonics)),
    unread,
  };
}

function isSame(
  { onlyInA, onlyInB }: FunctionMatches,
  declarations: readonly DeclarationDiff[],
  functions: readonly FunctionDiff[],
): boolean {
  return [...onlyInA, ...onlyInB, ...declarations].length === 0 && functions.every((one) => one.isSame);
}

function sideOf(document: Document, takes: (name: string) => boolean): Side {
  return {
    functions: document.functions().filter(({ name }) => takes(name)),
    read: (place) => document.normalBody(place),
  };
}

/** Maps a name in the first module to the corresponding name in the second. */
type NameInB = (name: string) => string;

interface FunctionSide {
  readonly document: Document;
  readonly place: FunctionPlace;
  readonly body: NormalBody;
}

function diffFunctions(a: FunctionSide, b: FunctionSide, nameInB: NameInB): FunctionDiff {
  const ownNames = renamedVariables(a.body.variables, b.body.variables);
  const ownNameInB: NameInB = (name) => ownNames.get(name) ?? nameInB(name);
  const sameSymbol = (one: string, other: string): boolean => ownNameInB(one) === other;
  const body = diffBodies(a.body, b.body, sameSymbol);
  const declarations = [...functionHeaderDiffs(a, b), ...variableDiffs(a.body.variables, b.body.variables, ownNameInB)];
  const lines = body.blocks.flatMap((block) => block.lines);
  const isSameBody = declarations.length === 0 && lines.every(({ kind }) => kind === 'same');
  return { a: a.place, b: b.place, declarations, ...body, isSame: isSameBody };
}

function headerDiffs(a: Document, b: Document): readonly DeclarationDiff[] {
  const lines = { a: a.headerLines(), b: b.headerLines() };
  return [...new Set([...lines.a.keys(), ...lines.b.keys()])].flatMap((name) =>
    differing(name, lines.a.get(name), lines.b.get(name)),
  );
}

function differing(name: string, a: string | undefined, b: string | undefined): readonly DeclarationDiff[] {
  return a === b ? [] : [{ name, a: a ?? null, b: b ?? null }];
}

/** The parts of a function's header that occur in only one of the two modules. */
function functionHeaderDiffs(a: FunctionSide, b: FunctionSide): readonly DeclarationDiff[] {
  const [inA, inB] = [a.body.header, b.body.header];
  const lone = (own: readonly string[], others: readonly string[]): readonly string[] => {
    const left = [...others];
    return own.filter((part) => {
      const at = left.indexOf(part);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  const [onlyA, onlyB] = [lone(inA, inB), lone(inB, inA)];
  return Array.from({ length: Math.max(onlyA.length, onlyB.length) }, (_, i) => {
    const [one = null, other = null] = [onlyA[i], onlyB[i]];
    return { name: /\.\w+/.exec(one ?? other ?? '')?.[0] ?? '', a: one, b: other };
  });
}

/**
 * Finds renamed variables. Only variables whose names occur in a single module are considered. Each of these variables
 * in the first module is paired with the next variable in the second module that has the same declaration.
 */
function renamedVariables(a: readonly NormalVariable[], b: readonly NormalVariable[]): ReadonlyMap<string, string> {
  const namesIn = (all: readonly NormalVariable[]): ReadonlySet<string> => new Set(all.map(({ name }) => name));
  const [inA, inB] = [namesIn(a), namesIn(b)];
  const waiting = new Map<string, string[]>();
  for (const { name, declaration } of b) {
    if (inA.has(name)) continue;
    append(waiting, declaration, name);
  }
  const renamed = new Map<string, string>();
  for (const { name, declaration } of a) {
    const other = inB.has(name) ? undefined : waiting.get(declaration)?.shift();
    if (other !== undefined) renamed.set(name, other);
  }
  return renamed;
}

function variableDiffs(
  a: readonly NormalVariable[],
  b: readonly NormalVariable[],
  nameInB: NameInB,
): readonly DeclarationDiff[] {
  const byName = (all: readonly NormalVariable[]): ReadonlyMap<string, string> =>
    new Map(all.map(({ name, declaration }) => [name, declaration]));
  const inB = byName(b);
  const counterparts = new Set(a.map(({ name }) => nameInB(name)));
  return [
    ...[...byName(a)].flatMap(([name, declaration]) => differing(name, declaration, inB.get(nameInB(name)))),
    ...[...inB].flatMap(([name, declaration]) =>
      counterparts.has(name) ? [] : differing(name, undefined, declaration),
    ),
  ];
}
