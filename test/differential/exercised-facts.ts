/**
 * Checks which properties of instruction steps the random kernels exercise. Each property (a "fact") has a short name.
 */
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import type { TraceEvent } from '../../src/device.ts';
import { namedEnvironment } from '../../src/isa/environment.ts';
import { expand } from '../../src/isa/expand.ts';
import { flowOf, groupOf, looksAtOthers, memoryUses, outputsOf, uniformityOf } from '../../src/isa/steps/effects.ts';
import type { Step } from '../../src/isa/steps/step.ts';
import { allForms } from '../../src/isa/table.ts';

const environment = namedEnvironment('sm_100a', '9.1');

/** The facts that random kernels cannot cover, with the reason for each. */
export const leftOut: Readonly<Record<string, string>> = {
  'flow fault': 'a launch that ends with a fault leaves nothing to compare',
  'write const': 'a kernel cannot write to constant memory',
};

function factsOf(step: Step): readonly string[] {
  const group = groupOf(step);
  return [
    ...memoryUses(step).map(({ access, space }) => `${access} ${space}`),
    ...(group === null ? [] : [`group ${group}`]),
    ...(looksAtOthers(step) ? ['looks at others'] : []),
    ...(outputsOf(step).length === 0 ? [] : [`same for ${uniformityOf(step).among}`]),
    `flow ${flowOf(step)}`,
  ];
}

/** The facts that are true of at least one step of an instruction in the table. */
export function factsOfTable(): ReadonlySet<string> {
  const variants = [...expand(allForms(), { optional: 'one' })];
  const facts = new Set<string>();
  for (const variant of variants) {
    for (const step of variant.form.steps(variant, environment)) for (const fact of factsOf(step)) facts.add(fact);
  }
  return facts;
}

/** Counts how often each fact is true of an executed instruction. */
export class FactCounter {
  readonly counts = new Map<string, number>();
  private readonly known = new Map<string, readonly string[]>();

  add({ text }: TraceEvent): void {
    const mnemonic = /^(?:@!?\S+\s+)?([\w.:]+)/.exec(text)?.[1] ?? '';
    const facts = this.known.get(mnemonic) ?? factsOfMnemonic(mnemonic);
    this.known.set(mnemonic, facts);
    for (const fact of facts) this.counts.set(fact, (this.counts.get(fact) ?? 0) + 1);
  }

  /**
   * The facts in the instruction table that no executed instruction has exercised, although random kernels can exercise
   * them.
   */
  missing(): readonly string[] {
    return [...factsOfTable()].filter((fact) => !this.counts.has(fact) && !Object.hasOwn(leftOut, fact));
  }
}

/**
 * The facts that all variants of a mnemonic have in common. (The mnemonic alone does not determine the variant; the
 * operands do.)
 */
function factsOfMnemonic(mnemonic: string): readonly string[] {
  const resolution = resolveMnemonic(mnemonic);
  const variants = resolution.kind === 'variants' ? resolution.variants : [];
  const [first = [], ...others] = variants.map(
    (variant) => new Set(variant.form.steps(variant, environment).flatMap(factsOf)),
  );
  return [...first].filter((fact) => others.every((facts) => facts.has(fact)));
}
