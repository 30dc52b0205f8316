/**
 * Formats the output of `ptxlab eval`: the bits and values of inputs, results and lanes, and the reasons for each
 * result.
 */
import { chop, hex } from '../../base/bits.ts';
import type { Style } from '../../diagnostics/renderers/style.ts';
import { range } from '../../explain/bit-origins.ts';
import type { LanePicture } from '../../explain/lanes.ts';
import { conversionText } from '../../explain/step-text.ts';
import { table } from '../../explain/table.ts';
import { formatValue } from '../../numerics/describe.ts';
import { type Encoding } from '../../numerics/explain-conversion.ts';
import { type FormatName, formats } from '../../numerics/formats.ts';
import type { LaneExplanation } from '../../evaluation/conversion-lanes.ts';
import { type EvaluatedOperand, lanesOf, valueOf } from '../../evaluation/operands.ts';

export interface Evaluated {
  readonly mnemonic: string;
  readonly inputs: readonly EvaluatedOperand[];
  readonly outputs: readonly EvaluatedOperand[];
  readonly pictures: readonly LanePicture[];
}

/** The evaluation as lines: one row for each operand, followed by one row for each field of the results. */
export function evaluatedText(evaluated: Evaluated, width: number, style: Style): readonly string[] {
  const rows = [...evaluated.inputs, ...evaluated.outputs].map((operand) => [
    operand.name,
    `0x${hex(operand.bits, operand.type.width)}`,
    operand.type.name,
    valueOf(operand) + (operand.rounded ? ', rounded' : ''),
  ]);
  const parts = evaluated.outputs.flatMap((operand) => partRows(operand, evaluated.pictures));
  return [style.accent(evaluated.mnemonic), ...table([...rows, ...parts], width)];
}

/**
 * Returns one row for each field of a result. If the type has lanes, the row shows the value of the field; otherwise,
 * it shows where the bits of the field come from.
 */
function partRows(operand: EvaluatedOperand, pictures: readonly LanePicture[]): readonly (readonly string[])[] {
  const { name, type, bits } = operand;
  const row = (high: number, low: number, kind: string, value: string): readonly string[] => {
    const part = chop(BigInt(bits) >> BigInt(low), high - low + 1);
    return [name + range(high, low), `0x${hex(part, high - low + 1)}`, kind, value];
  };
  if (type.lanes > 1) {
    return lanesOf(operand).map((lane) =>
      row(lane.high, lane.low, `.${lane.format}`, formatValue(lane.format, lane.bits)),
    );
  }
  const fields = pictures.find((picture) => picture.operand === name)?.fields ?? [];
  return fields.length < 2 ? [] : fields.map(({ high, low, label }) => row(high, low, '', label));
}

/**
 * For each conversion, lines that show the source, its neighbors in the destination format, the result, and the reasons
 * for the result.
 */
export function lanesText(lanes: readonly LaneExplanation[], width: number, style: Style): readonly string[] {
  return lanes.flatMap(({ result, conversion, explanation, random, scale }) => {
    const { from, to } = conversion;
    const row = (what: string, format: FormatName, encoding: Encoding | null): string[][] =>
      encoding === null ? [] : [[what, `0x${hex(encoding.bits, formats[format].width)}`, encoding.value]];
    const rows = [
      ...row('source', from, explanation.source),
      ...(scale === null ? [] : row('scale', 'ue8m0', { bits: scale, value: formatValue('ue8m0', scale) })),
      ...(random === null
        ? []
        : [['random', `0x${hex(random, conversion.randomBits)}`, `${conversion.randomBits} bits`]]),
      ...row('below', to, explanation.below),
      ...row('above', to, explanation.above),
      ...row('result', to, explanation.result),
    ];
    const reasons = explanation.reasons.map(({ rule }, i) => [i === 0 ? 'because' : '', rule]);
    const heading = `${style.strong(result)} ${conversionText(conversion)}`;
    return ['', heading, ...table([...rows, ...reasons], width)];
  });
}

/** The evaluation as JSON. Explanations of the lanes are included only if they were requested. */
export function evaluatedJson(evaluated: Evaluated, lanes: readonly LaneExplanation[] | null): object {
  return {
    inst: evaluated.mnemonic,
    inputs: evaluated.inputs.map(operandJson),
    outputs: evaluated.outputs.map(operandJson),
    ...(lanes === null ? {} : { explanation: lanes.map(laneJson) }),
  };
}

function operandJson(operand: EvaluatedOperand): object {
  const { name, type, bits } = operand;
  const lanes = lanesOf(operand).map((lane) => ({
    high: lane.high,
    low: lane.low,
    format: lane.format,
    bits: hex(lane.bits, formats[lane.format].width),
    value: formatValue(lane.format, lane.bits),
  }));
  return { name, type: type.name, bits: hex(bits, type.width), value: valueOf(operand), lanes };
}

function laneJson({ result, conversion, explanation, random, scale }: LaneExplanation): object {
  const { from, to, randomBits } = conversion;
  const encoding = (format: FormatName, found: Encoding | null): object | null =>
    found === null ? null : { bits: hex(found.bits, formats[format].width), value: found.value };
  return {
    result,
    from,
    to,
    source: encoding(from, explanation.source),
    exact: explanation.exact,
    random: random === null ? null : hex(random, randomBits),
    scale: scale === null ? null : hex(scale, 8),
    below: encoding(to, explanation.below),
    above: encoding(to, explanation.above),
    value: encoding(to, explanation.result),
    reasons: explanation.reasons,
  };
}
