/**
 * Finds help for an undeclared name: states the range of the register family to which the name seems to belong, or
 * suggests the name that was probably meant.
 */
import { joinWords } from '../base/join-words.ts';
import { nearestWord } from '../base/nearest-word.ts';
import type { Span } from '../base/span.ts';
import { type Diagnostic, diagnose } from '../diagnostics/diagnostic.ts';
import { rewrite } from '../diagnostics/fix.ts';
import { findRegister, registerSpellings } from '../isa/find-register.ts';
import { registerParts } from '../isa/registers.ts';
import { familyIndex, type Scope } from './symbols.ts';

/** Special registers that CUDA C++ spells differently. */
const cudaNames: ReadonlyMap<string, string> = new Map([
  ['threadIdx', '%tid'],
  ['blockIdx', '%ctaid'],
  ['blockDim', '%ntid'],
  ['gridDim', '%nctaid'],
  ['warpSize', 'WARP_SZ'],
]);

/**
 * The maximum number of undeclared names in a module for which the checker searches for a similar name. The number is
 * limited because each search compares the name with all declared names.
 */
export const searchLimit = 100;

/** Advice on what to write instead of an undeclared name. */
export interface NameAdvice {
  readonly help: string | null;
  /** The name that was probably meant. */
  readonly meant: string | null;
}

/** Finds help for the undeclared names of one module. */
export class NameHelp {
  /**
   * How many undeclared names have needed a search so far, including those for which the search was skipped because of
   * the limit.
   */
  searches = 0;
  private readonly limit: number;

  constructor(limit: number = searchLimit) {
    this.limit = limit;
  }

  /**
   * The help for an undeclared name; empty if no name is similar enough, or if the maximum number of searches has been
   * reached.
   */
  for(name: string, scope: Scope): NameAdvice {
    const help = familyHelp(name, scope) ?? elementHelp(name, scope);
    if (help !== null) return { help, meant: null };
    const meant = cudaName(name) ?? this.search(name, scope);
    return { help: meant === null ? null : `did you mean '${meant}'?`, meant };
  }

  private search(name: string, scope: Scope): string | null {
    return ++this.searches > this.limit ? null : nearestWord(name, candidates(name, scope));
  }
}

/**
 * Help for a name that looks like a member of a register family but is not one, such as `%r99` if `%r<10>` is declared,
 * or `%r` without a number.
 */
function familyHelp(name: string, scope: Scope): string | null {
  const digits = familyIndex(name);
  const prefix = digits === 0 ? name : name.slice(0, digits);
  const count = scope.familySize(prefix);
  if (count === null) return null;
  return count === 1
    ? `'${prefix}<1>' declares ${prefix}0 only`
    : `'${prefix}<${count}>' declares ${prefix}0 to ${prefix}${count - 1}`;
}

/** Help for a name such as `%tid.a`, which consists of an existing register and an element that does not exist. */
function elementHelp(name: string, scope: Scope): string | null {
  const [base = ''] = name.split('.', 1);
  if (name === base) return null;
  const symbol = scope.lookup(base);
  const special = findRegister(base);
  if (symbol !== undefined && special !== undefined)
    return `a ${symbol.kind} that is declared as '${base}' hides the special register; rename it`;
  const lanes = symbol?.kind === 'register' ? symbol.lanes : special?.isVector === true ? 4 : null;
  if (lanes === null) return null;
  return lanes === 1
    ? `'${base}' is not a vector, so it has no elements`
    : `the elements of ${base} are ${joinWords(registerParts.slice(0, lanes), 'and')}`;
}

function cudaName(name: string): string | null {
  const [base = '', ...rest] = name.replace(/^%/, '').split('.');
  const meant = cudaNames.get(base);
  return meant === undefined ? null : [meant, ...rest].join('.');
}

/**
 * The names that may have been meant: declared names, members of register families that end in the same number as
 * `name`, and special registers.
 */
function* candidates(name: string, scope: Scope): Generator<string> {
  const digits = familyIndex(name);
  yield* scope.visible(digits === 0 ? null : name.slice(digits));
  yield* registerSpellings();
}

/** The finding about an undeclared name. */
export function undeclared(name: string, { start, end }: Span, scope: Scope, names: NameHelp): Diagnostic {
  const { help, meant } = names.for(name, scope);
  const fixes = meant === null ? [] : [rewrite({ start, end }, meant)];
  return diagnose('PTX3001', { start, end }, { name }, { help, fixes });
}
