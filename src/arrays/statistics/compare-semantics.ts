/** Compares how the stacks convert a value, and explains why their results differ. */
import { type Bits, hex } from '../../base/bits.ts';
import { elementAt, lastOf } from '../../base/element-at.ts';
import { PtxlabError } from '../../base/error.ts';
import { requireArgument, requireOptions } from '../../base/require.ts';
import { anything, flag, number, oneOf, type RulesFor } from '../../base/rules.ts';
import { joinWords } from '../../base/join-words.ts';
import { plainConversion, type Rounding } from '../../numerics/conversion.ts';
import { convert } from '../../numerics/convert.ts';
import { formatValue } from '../../numerics/describe.ts';
import { explainConversion } from '../../numerics/explain-conversion.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { numberBits } from '../../numerics/number-bits.ts';
import { requireFormat } from '../names.ts';
import type { FormatSpelling } from '../spellings.ts';
import { allSemantics, type Semantics, semanticRules } from '../semantics/semantic-rules.ts';
import type { ConversionStage, ConversionStages } from '../../numerics/conversion-stages.ts';
import { conversionOf, planConverter, replacementOf, saturatesByItself } from '../semantics/semantics.ts';

export interface CompareOptions {
  /** The destination format, in any of its spellings. */
  readonly to: FormatSpelling;
  /**
   * The source format of the conversion; f32 by default. Before the conversion, the value is rounded to this format:
   * down if the format is ue8m0, to nearest otherwise.
   */
  readonly from?: FormatSpelling | undefined;
  /**
   * The rounding mode of the `ptx` stack; it does not affect the other stacks. `rs` is not allowed. PTX has no default
   * rounding for ue8m0; this function rounds up by default, as is usual for NVIDIA's scales.
   */
  readonly rounding?: Exclude<Rounding, 'rs'> | undefined;
  /**
   * Whether out-of-range values are clamped to the largest value of the format. A stack that cannot convert in the
   * requested way is listed without a result. If this option is absent, each stack behaves as it does by default.
   */
  readonly saturate?: boolean | undefined;
}

const rules: RulesFor<CompareOptions> = {
  // The names of formats are checked when they are looked up.
  to: anything(),
  from: anything(),
  // `rs` is excluded because its result depends on random bits.
  rounding: oneOf('rn', 'rz', 'rm', 'rp', 'rna'),
  saturate: flag,
};

export interface StackCause {
  /**
   * The id of a rule in `semanticRules`, one of the causes that `explainConversion` finds (`tie-to-even`, `overflow`,
   * …), or `rounded-twice`.
   */
  readonly name: string;
  readonly rule: string;
  readonly evidence: string;
}

export interface StackResult {
  readonly semantics: Semantics;
  /** The bits of the result. Null if the stack does not support the conversion; in that case, `cause` explains why. */
  readonly bits: Bits | null;
  /** The result as text, such as `NaN (0x7f)` or `448`; empty if there is no result. */
  readonly value: string;
  readonly cause: StackCause;
}

export interface SemanticsComparison {
  readonly from: FormatName;
  readonly to: FormatName;
  /** The value after rounding to `from`. */
  readonly source: { readonly bits: Bits; readonly value: string };
  readonly results: readonly StackResult[];
  /** Whether all stacks that support the conversion produce the same bits. */
  readonly agree: boolean;
  /** A one-sentence summary for human readers. */
  readonly sentence: string;
}

/**
 * How each stack converts a value.
 *
 * @throws PtxlabError with the same codes as `convert` if the name of a format is unknown; with `not-a-float` if a
 *   format is an integer format; with `bad-option` for invalid options
 */
export function compareSemantics(value: number, options: CompareOptions): SemanticsComparison {
  requireArgument('the value', value, number, 'bad-option');
  requireOptions(options, rules, 'compareSemantics');
  const from = requireFormat(options.from ?? 'f32');
  const to = requireFormat(options.to);
  if (formats[from].kind !== 'float' || formats[to].kind !== 'float') {
    throw new PtxlabError(
      'not-a-float',
      `only conversions between floats can be compared; ${from} to ${to} is not one of them`,
    );
  }
  const wide = numberBits('f64', value);
  const held = plainConversion('f64', from);
  const source = convert({ ...held, rounding: from === 'ue8m0' ? 'rz' : 'rn' }, wide);
  const results = allSemantics.map((semantics) => resultOf(semantics, source, from, to, options));
  const different = new Set(results.flatMap(({ bits }) => (bits === null ? [] : [bits])));
  return {
    from,
    to,
    source: { bits: source, value: formatValue(from, source) },
    results,
    agree: different.size <= 1,
    sentence: sentenceOf(to, results, different.size <= 1),
  };
}

function resultOf(
  semantics: Semantics,
  source: Bits,
  from: FormatName,
  to: FormatName,
  { rounding, saturate }: CompareOptions,
): StackResult {
  const own = semantics === 'ptx' ? (rounding ?? (to === 'ue8m0' ? 'rp' : undefined)) : undefined;
  if (!canBeTold(semantics, to, saturate)) {
    const kind = saturate === true ? 'saturating' : 'overflowing';
    return missing(semantics, `${semantics} has no ${kind} conversion to ${to}`);
  }
  const plan = conversionOf({ from, to, semantics, saturate, rounding: own });
  if (!plan.ok) return missing(semantics, plan.error.message);
  const bits = planConverter(plan.value)(source);
  return { semantics, bits, value: formatValue(to, bits), cause: causeOf(plan.value, source) };
}

function missing(semantics: Semantics, rule: string): StackResult {
  return { semantics, bits: null, value: '', cause: { name: 'not-offered', rule, evidence: 'semantics of ptxlab' } };
}

/**
 * Whether a stack can convert with the requested saturation; for `ptx`, this is checked elsewhere. OCP defines
 * conversions to fp8 both with and without saturation. Other conversions of OCP, and all conversions of the other
 * stacks, either always saturate or never do.
 */
function canBeTold(semantics: Semantics, to: FormatName, saturate: boolean | undefined): boolean {
  if (semantics === 'ptx' || saturate === undefined) return true;
  if (semantics === 'ocp' && (to === 'e4m3' || to === 'e5m2')) return true;
  return saturate === saturatesByItself(semantics, to);
}

const twice: StackCause = {
  name: 'rounded-twice',
  rule: 'the value is rounded twice, first to f32 and then to the destination format',
  evidence: 'measured',
};

function causeOf(stages: ConversionStages, source: Bits): StackCause {
  const [first, second] = stages;
  if (second === undefined) return stageCause(first, source);
  const middle = planConverter([first])(source);
  const direct = convert({ ...second.conversion, from: first.conversion.from }, source);
  const replaced = replacementOf(second.conversion, second.replacements, middle) !== null;
  return replaced || convert(second.conversion, middle) === direct ? stageCause(second, middle) : twice;
}

function stageCause({ conversion, replacements }: ConversionStage, source: Bits): StackCause {
  const replaced = replacementOf(conversion, replacements, source);
  const row = semanticRules.find(({ id }) => id === replaced?.rule);
  if (row !== undefined) return { name: row.id, rule: row.rule, evidence: row.evidence };
  return lastOf(explainConversion(conversion, source).reasons);
}

function sentenceOf(to: FormatName, results: readonly StackResult[], agree: boolean): string {
  const offered = results.filter(({ bits }) => bits !== null);
  const [first, second] = offered;
  if (first === undefined) return 'No stack has this conversion.';
  if (second === undefined) {
    return `Only ${first.semantics} has this conversion, and gives ${patternText(to, first)}: ${first.cause.rule}.`;
  }
  if (agree && offered.length === results.length)
    return `All agree on ${patternText(to, first)}: ${rulesText(offered)}.`;
  const distinct = [...new Set(offered.map(({ bits }) => bits))];
  const groups = distinct.map((bits) => offered.filter((result) => result.bits === bits));
  return `${groups.map((group) => groupText(to, group)).join('; ')}.`;
}

function groupText(to: FormatName, group: readonly StackResult[]): string {
  const names = group.map(({ semantics }) => semantics);
  const verb = names.length === 1 ? 'gives' : 'give';
  return `${joinWords(names, 'and')} ${verb} ${patternText(to, elementAt(group, 0))}: ${rulesText(group)}`;
}

function rulesText(group: readonly StackResult[]): string {
  return [...new Set(group.map(({ cause }) => cause.rule))].join(', or ');
}

function patternText(to: FormatName, { bits, value }: StackResult): string {
  if (bits === null) return value;
  const pattern = `0x${hex(bits, formats[to].width)}`;
  return value.includes(pattern) ? value : `${value} (${pattern})`;
}
