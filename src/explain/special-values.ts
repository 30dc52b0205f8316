/** What the conversions of an instruction do with values that rounding alone does not decide. */
import type { Step } from '../isa/steps/step.ts';
import type { Conversion } from '../numerics/conversion.ts';
import { formats } from '../numerics/formats.ts';
import { nanPolicyOf, overflowPolicyOf } from '../numerics/policy.ts';

export interface SpecialValue {
  readonly what: string;
  readonly rule: string;
  readonly evidence: string;
}

/** The different conversions among the steps. */
export function conversionsOf(steps: readonly Step[]): readonly Conversion[] {
  const found = new Map<string, Conversion>();
  for (const step of steps) if (step.kind === 'convert') found.set(JSON.stringify(step.conversion), step.conversion);
  return [...found.values()];
}

/** NaN and overflow, where the source has them and the destination can be exceeded. */
export function specialValues(steps: readonly Step[]): readonly SpecialValue[] {
  return conversionsOf(steps).flatMap((conversion) => {
    const source = formats[conversion.from];
    const found: SpecialValue[] = [];
    if (source.kind === 'float' && source.nan !== 'none') {
      const { rule, evidence } = nanPolicyOf(conversion);
      found.push({ what: 'NaN', rule, evidence });
    }
    if (canExceed(conversion)) {
      const { rule, evidence } = overflowPolicyOf(conversion);
      found.push({ what: 'too large', rule, evidence });
    }
    return found;
  });
}

/** True where some value of the source, its infinities included, has no nearest finite value in the destination. */
function canExceed({ from, to }: Conversion): boolean {
  if (formats[from].kind !== 'float') return largestExponent(from) > largestExponent(to);
  return from !== to && (largestExponent(from) > largestExponent(to) || formats[to].kind !== 'float');
}

/** Exponent of the largest finite value, to compare ranges by. */
function largestExponent(name: Conversion['from']): number {
  const format = formats[name];
  if (format.kind !== 'float') return format.width - (format.signed ? 2 : 1) - format.fractionBits;
  const top = 2 ** format.exponentBits - 1 - format.bias;
  return format.infinity ? top - 1 : top;
}
