/**
 * Finds code that ptxas 13.0 rejects when it compiles functions together with the functions that they call: parameters
 * and results that cannot be passed, and `tcgen05` instructions of both CTA groups.
 */
import type { FunctionItem, PrototypeDirective } from '../syntax/tree.ts';
import { ctaGroupOf } from './declarations/function-uses.ts';
import { isUnpassable, type Signature, signatureOf } from './declarations/signature.ts';

/** Whether a parameter has a type that cannot be passed, and whether a result has a type that cannot be returned. */
export type Unpassable = Readonly<Record<'parameters' | 'results', boolean>>;

interface Known {
  readonly signature: Signature;
  readonly entry: boolean;
  hasBody: boolean;
  /** The names in the operands of the function's instructions. */
  readonly used: Set<string>;
  /** The prototypes that the function's calls refer to. */
  readonly prototypes: Signature[];
  readonly ctaGroups: Set<string>;
}

/** Collects the functions of one module, what they call, and their CTA groups. */
export class CalledFunctions {
  private readonly functions = new Map<string, Known>();
  private current: Known | null = null;
  private readonly prototypes = new Map<string, Signature>();

  function(item: FunctionItem): void {
    const { name, entry, body } = item;
    const known = this.functions.get(name) ?? {
      signature: signatureOf(item),
      entry,
      hasBody: false,
      used: new Set(),
      prototypes: [],
      ctaGroups: new Set(),
    };
    this.functions.set(name, known);
    if (body === null) return;
    known.hasBody = true;
    this.current = known;
    this.prototypes.clear();
  }

  prototype(directive: PrototypeDirective): void {
    this.prototypes.set(directive.label, signatureOf(directive));
  }

  instruction(mnemonic: string): void {
    const group = ctaGroupOf(mnemonic);
    if (group !== null) this.current?.ctaGroups.add(group);
  }

  /** Records a name in an operand of the current function. */
  use(name: string): void {
    const prototype = this.prototypes.get(name);
    if (prototype === undefined) this.current?.used.add(name);
    else this.current?.prototypes.push(prototype);
  }

  /**
   * Finds values that cannot be passed in relocatable code. Examines the parameters and results of all functions, other
   * than kernels, that have a body or are called.
   */
  inPart(): Unpassable {
    const all = [...this.functions.values()];
    const defined = all.filter(({ entry, hasBody }) => hasBody && !entry).map(({ signature }) => signature);
    return unpassable([...defined, ...this.usedBy(all)]);
  }

  /**
   * Finds values that cannot be passed in a whole program. Examines the parameters and results of all functions that
   * kernels call or take the address of, directly or indirectly.
   */
  inWhole(): Unpassable {
    const kernels = [...this.functions.values()].filter(({ entry }) => entry);
    return unpassable(this.usedBy(this.reachedFrom(kernels)));
  }

  /** In relocatable code, the functions whose own instructions belong to both CTA groups. */
  mixedInPart(): readonly string[] {
    return [...this.functions].filter(([, { ctaGroups }]) => ctaGroups.size > 1).map(([name]) => name);
  }

  /**
   * In a whole program, the kernels that have instructions of both CTA groups. The instructions of the functions that a
   * kernel calls also count.
   */
  mixedInWhole(): readonly string[] {
    const all = new Set([...this.functions.values()].flatMap(({ ctaGroups }) => [...ctaGroups]));
    if (all.size < 2) return [];
    const isMixed = (kernel: Known): boolean =>
      new Set([...this.reachedFrom([kernel])].flatMap(({ ctaGroups }) => [...ctaGroups])).size > 1;
    return [...this.functions].filter(([, known]) => known.entry && isMixed(known)).map(([name]) => name);
  }

  private reachedFrom(start: readonly Known[]): ReadonlySet<Known> {
    const reached = new Set(start);
    for (const { used } of reached) {
      for (const name of used) {
        const found = this.functions.get(name);
        if (found !== undefined) reached.add(found);
      }
    }
    return reached;
  }

  private usedBy(users: Iterable<Known>): readonly Signature[] {
    return [...users].flatMap(({ used, prototypes }) => [
      ...prototypes,
      ...[...used]
        .flatMap((name) => this.functions.get(name) ?? [])
        .flatMap(({ entry, signature }) => (entry ? [] : [signature])),
    ]);
  }
}

function unpassable(signatures: readonly Signature[]): Unpassable {
  return {
    parameters: signatures.some(({ parameters }) => parameters.some(isUnpassable)),
    results: signatures.some(({ results }) => results.some(isUnpassable)),
  };
}
