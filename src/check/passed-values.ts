/**
 * Finds calls that ptxas 13.0 cannot compile: it passes predicates and integers of 8 and 16 bits neither to functions
 * nor back, unless their types are bit-size types.
 */
import type { FunctionItem, PrototypeDirective } from '../syntax/tree.ts';
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
}

/** Collects the functions of one module, and what they call. */
export class PassedValues {
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
    const reached = new Set([...this.functions.values()].filter(({ entry }) => entry));
    for (const { used } of reached) {
      for (const name of used) {
        const found = this.functions.get(name);
        if (found !== undefined) reached.add(found);
      }
    }
    return unpassable(this.usedBy(reached));
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
