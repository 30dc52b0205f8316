/** Steps in the notation of the ISA's pseudo-code. */
import { assertNever } from '../base/assert-never.ts';
import type { Conversion } from '../numerics/conversion.ts';
import { keyOf } from '../isa/collective.ts';
import { type Ref, refName } from '../isa/steps/ref.ts';
import type { Step, StepOf } from '../isa/steps/step.ts';
import type { FloatMode } from '../numerics/operations.ts';

/** One step as a line. */
export function stepText(step: Step): string {
  switch (step.kind) {
    case 'convert':
      return `${refName(step.to)} = ${convertText(step)}`;
    case 'clamp':
      return `${refName(step.to)} = clamp to ${step.type}(${refName(step.from)})`;
    case 'unpack':
      return `{${names(step.to)}} = lanes of ${refName(step.from)}, ${lanes(step)}`;
    case 'pack':
      return `${refName(step.to)} = lanes {${names(step.from)}}, ${lanes(step)}`;
    case 'extract':
      return `${refName(step.to)} = ${refName(step.from)}[${step.low + step.width - 1}:${step.low}]`;
    case 'join':
      return `${refName(step.to)} = low ${step.width} bits of ${refName(step.high)} << ${step.shift} | ${refName(step.low)}`;
    case 'copy':
      return `${refName(step.to)} = ${refName(step.from)}`;
    case 'constant':
      return `${refName(step.to)} = ${step.value}`;
    case 'float':
      return `${refName(step.to)} = ${step.fn}.${step.format}${modeText(step.mode)}(${names(step.from)})`;
    case 'integer':
      return `${refName(step.to)} = ${step.fn}.${step.type}${step.sat ? '.sat' : ''}(${names(step.from)})`;
    case 'bits':
      return `${refName(step.to)} = ${step.fn}(${names(step.from)}), ${step.width} bits`;
    case 'compare':
      return `${refName(step.to)} = ${refName(step.from[0])} ${step.comparison} ${refName(step.from[1])}, as ${step.type}`;
    case 'select':
      return `${refName(step.to)} = ${refName(step.condition)} ? ${refName(step.from[0])} : ${refName(step.from[1])}`;
    case 'load':
      return `{${names(step.to)}} = ${step.width} bits each of ${step.space} memory at ${refName(step.address)}`;
    case 'store':
      return `${step.space} memory at ${refName(step.address)} = {${names(step.from)}}, ${step.width} bits each`;
    case 'transfer':
      return `${refName(step.size)} bytes of ${step.space} memory at ${refName(step.address)} = ${refName(step.count)} bytes of ${step.sourceSpace} memory at ${refName(step.source)}, then zeros`;
    case 'window':
      return step.direction === 'to-generic'
        ? `${refName(step.to)} = ${refName(step.from)} + base of the ${step.space} window`
        : `${refName(step.to)} = ${refName(step.from)} - base of the ${step.space} window`;
    case 'in-window':
      return `${refName(step.to)} = ${refName(step.from)} lies in the ${step.space} window`;
    case 'branch':
      return `go to ${step.target}`;
    case 'switch':
      return `go to target ${refName(step.index)} of ${step.targets}`;
    case 'call':
      return step.indirect ? `call the function at ${step.callee}` : `call ${step.callee}`;
    case 'return':
      return 'return';
    case 'exit':
      return 'end the thread';
    case 'barrier':
      return `wait at barrier ${refName(step.barrier)} for ${step.count === null ? 'all' : refName(step.count)} threads of the block`;
    case 'collective':
      return `${names(step.to)} = ${keyOf(step.fn)}(${names(step.from)}) over ${step.mask === null ? 'the threads that come together' : refName(step.mask)}`;
    case 'atomic':
      return `${names(step.old)} = what was at [${refName(step.address)}], then there ${step.steps.map(stepText).join(', ')}`;
    case 'trap':
      return 'end the launch with a fault';
    case 'yield':
      return 'let other threads run';
    case 'unsupported':
      return `${step.what}: checked, not executed`;
    default:
      return assertNever(step);
  }
}

function names(refs: readonly Ref[]): string {
  return refs.map(refName).join(', ');
}

function lanes({ lane, stride }: { readonly lane: number; readonly stride: number }): string {
  const apart = stride === lane ? '' : ` in ${stride}`;
  return `${lane} bits${apart} each, topmost first`;
}

function convertText({ conversion: c, from, random, scale }: StepOf<'convert'>): string {
  const source = scale !== null && c.scaled === 'divide' ? `${refName(from)} / ${refName(scale)}` : refName(from);
  const last = random === null ? '' : `, ${refName(random)}`;
  const product = scale !== null && c.scaled === 'multiply' ? ` * ${refName(scale)}` : '';
  return `${conversionText(c)}(${source}${last})${product}`;
}

/** A conversion with its rounding and clamping: `f32 to e4m3.rn.satfinite`. */
export function conversionText(c: Conversion): string {
  const words = [
    c.rounding === null ? '' : `.${c.rounding}${c.integral ? 'i' : ''}`,
    c.flush ? '.ftz' : '',
    c.sat ? '.sat' : '',
    c.satfinite ? '.satfinite' : '',
    c.relu ? '.relu' : '',
  ];
  return `${c.from} to ${c.to}${words.join('')}`;
}

function modeText({ rounding, flush, sat, approximate, nan, xorSign }: FloatMode): string {
  const words = [
    approximate ? '.approx' : `.${rounding}`,
    flush ? '.ftz' : '',
    sat ? '.sat' : '',
    nan ? '.NaN' : '',
    xorSign ? '.xorsign.abs' : '',
  ];
  return words.join('');
}
