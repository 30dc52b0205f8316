/**
 * Checks the limits on constant operands and on the offsets in addresses. Values are not part of a shape, so they are
 * checked for every instruction.
 */
import { typeOf } from '../../isa/types.ts';
import { floatBits } from '../binding/constant-bits.ts';
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import type { ModuleEnvironment } from '../availability.ts';
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { Variant } from '../../isa/form.ts';
import type { OperandPattern, ValuePattern } from '../../isa/operand-patterns.ts';
import { parseVersion, type Version } from '../../isa/targets.ts';
import type { FloatOperand, Instruction, IntegerOperand } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';

type HandlePattern = Extract<OperandPattern, { readonly kind: 'handle' }>;

/** True if the operand accepts only some of the constants of the right type. */
function limitsConstants(pattern: ValuePattern, version: Version): boolean {
  const { later, multiple, oneOf, atMost, fraction } = pattern;
  return [rangeIn(pattern, version), later, multiple, oneOf, atMost, fraction].some((limit) => limit !== undefined);
}

function rangeIn({ range, rangeSince }: ValuePattern, version: Version): ValuePattern['range'] {
  return rangeSince === undefined || version >= parseVersion(rangeSince) ? range : undefined;
}

/** True if an operand, or an element of an operand, accepts only some constants or no offset. */
export function isLimited({ form }: Variant, { version }: ModuleEnvironment): boolean {
  return form.operands.some((pattern) => {
    if (pattern.kind === 'handle') return true;
    if (pattern.kind === 'vector') return pattern.elements.some((element) => limitsConstants(element, version));
    return pattern.kind === 'value' && limitsConstants(pattern, version);
  });
}

/** The opcode and the variant of an instruction, as determined by the checker. */
interface Meant {
  readonly opcode: string;
  readonly variant: Variant | null;
}

/** The module's version, and the functions that `checkLimits` calls to report its findings. */
export interface LimitContext {
  readonly version: Version;
  readonly report: Report;
  /** Records the version and target requirements of a constant, and reports them if the module does not meet them. */
  readonly needs: (row: AvailabilityRow, span: Span) => void;
}

/** Reports constants and offsets that the variant does not accept. */
export function checkLimits(node: Instruction, { opcode, variant }: Meant, context: LimitContext): void {
  const { report } = context;
  const patterns = variant?.form.operands ?? [];
  patterns.forEach((pattern, i) => {
    const operand = node.operands[i];
    const place = { opcode, index: i, section: variant?.form.section ?? null };
    if (pattern.kind === 'vector' && operand?.kind === 'vector') {
      pattern.elements.forEach((element, j) => {
        const own = operand.elements[j];
        if (own?.kind === 'integer') checkInteger(element, own, place, context);
      });
    }
    if (pattern.kind === 'handle' && operand?.kind === 'address' && operand.offset !== 0n)
      report(diagnose('PTX5015', operand, { ...handleOf(pattern), what: opcode, opcode, found: 'an offset' }));
    if (pattern.kind !== 'value' || operand === undefined) return;
    if (operand.kind === 'float' && pattern.fraction === true) checkFraction(pattern, operand, opcode, report);
    if (operand.kind !== 'integer') return;
    checkInteger(pattern, operand, place, context);
    const other = node.operands[patterns.findIndex(({ name }) => name === pattern.atMost)];
    if (other?.kind === 'integer') checkAtMost(pattern, operand, other.value, opcode, report);
  });
}

function handleOf({ name, of }: HandlePattern): { readonly name: string; readonly expected: string } {
  return { name, expected: `a ${of} variable or a 64-bit register alone` };
}

/** An operand of an instruction: its index, and the section of the ISA that describes the instruction. */
interface OperandPlace {
  readonly opcode: string;
  readonly index: number;
  readonly section: string | null;
}

function checkInteger(
  pattern: ValuePattern,
  operand: IntegerOperand,
  { opcode, index, section }: OperandPlace,
  { version, report, needs }: LimitContext,
): void {
  const { value } = operand;
  const { name, later, multiple = 1, oneOf } = pattern;
  const parameters = { value: String(value), name, what: opcode, opcode };
  const [min, max] = rangeIn(pattern, version) ?? [value, value];
  if (value < BigInt(min) || value > BigInt(max)) {
    report(diagnose('PTX3011', operand, { ...parameters, ...rangeOf(min, max) }));
  }
  if (later !== undefined && value >= BigInt(later.from) && value <= BigInt(max))
    needs(later.needs, { start: operand.start, end: operand.end });
  if (value % BigInt(multiple) !== 0n) {
    const ptxas = opcode.startsWith('bar')
      ? 'Number of threads participating in barrier must be in multiple of warp size'
      : `Argument ${index} of instruction '${opcode}': unexpected value '${value}', expected to be multiple of ${multiple}`;
    report(diagnose('PTX3012', operand, { ...parameters, multiple: String(multiple), ptxas }, { section }));
  }
  if (oneOf?.some((allowed) => BigInt(allowed) === value) === false) {
    report(diagnose('PTX3013', operand, { ...parameters, allowed: oneOf.join(' or ') }));
  }
}

function checkAtMost(
  { name }: ValuePattern,
  operand: IntegerOperand,
  limit: bigint,
  opcode: string,
  report: Report,
): void {
  if (BigInt.asUintN(32, operand.value) <= BigInt.asUintN(32, limit)) return;
  const parameters = { value: String(operand.value), ...rangeOf(0, limit), name, what: opcode, opcode };
  report(diagnose('PTX3011', operand, parameters));
}

interface Range {
  readonly min: string;
  readonly max: string;
  /** The range in words. */
  readonly expected: string;
}

function rangeOf(min: number | bigint, max: number | bigint): Range {
  const ends = { min: `${min}`, max: `${max}` };
  return { ...ends, expected: ends.min === ends.max ? ends.min : `from ${ends.min} to ${ends.max}` };
}

function checkFraction({ name }: ValuePattern, operand: FloatOperand, opcode: string, report: Report): void {
  const value = valueAsF32(operand);
  if (value > 0 && value <= 1) return;
  const parameters = {
    value: String(value),
    min: '(0',
    max: '1',
    expected: 'greater than 0 and at most 1',
    name,
    what: opcode,
    opcode,
  };
  report(diagnose('PTX3011', operand, parameters));
}

/** The value of a constant as an f32 operand; a NaN remains a NaN. */
function valueAsF32(constant: FloatOperand): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number(floatBits(typeOf('.f32'), constant)));
  return view.getFloat32(0);
}
