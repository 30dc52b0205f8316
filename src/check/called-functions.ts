/**
 * Finds what ptxas 13.0 refuses when it compiles functions together with what they call: values that it cannot pass,
 * and `tcgen05` instructions of both CTA groups.
 */
import type { FunctionItem, PrototypeDirective } from '../syntax/tree.ts';
import { ctaGroupOf } from './declarations/function-uses.ts';
import { isUnpassable, type Signature, signatureOf } from './declarations/signature.ts';

/** Which kinds of values of a forbidden type there are. */
export type Unpassable = Readonly<Record<'parameters' | 'results', boolean>>;

interface Known {
  readonly signature: Signature;
  readonly entry: boolean;
  hasBody: boolean;
  /** The names in the operands of its instructions. */
  readonly used: Set<string>;
  /** The prototypes that its calls name. */
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

  /** A name in an operand of the current function. */
  use(name: string): void {
    const prototype = this.prototypes.get(name);
    if (prototype === undefined) this.current?.used.add(name);
    else this.current?.prototypes.push(prototype);
  }

  /** What relocatable code cannot pass: whatever functions with a body take and return, and what is called. */
  inPart(): Unpassable {
    const all = [...this.functions.values()];
    const defined = all.filter(({ entry, hasBody }) => hasBody && !entry).map(({ signature }) => signature);
    return unpassable([...defined, ...this.usedBy(all)]);
  }

  /** What a whole program cannot pass: what is called, or has its address taken, by kernels and what they use. */
  inWhole(): Unpassable {
    const kernels = [...this.functions.values()].filter(({ entry }) => entry);
    return unpassable(this.usedBy(this.reachedFrom(kernels)));
  }

  /** The functions with both CTA groups, as relocatable code. */
  mixedInPart(): readonly string[] {
    return [...this.functions].filter(([, { ctaGroups }]) => ctaGroups.size > 1).map(([name]) => name);
  }

  /** The kernels that have both CTA groups together with what they call. */
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
