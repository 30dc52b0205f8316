/** Steps in the notation of the ISA's pseudo-code. */
import { assertNever } from '../base/assert-never.ts';
import type { Conversion } from '../numerics/conversion.ts';
import type { Step } from '../isa/steps.ts';
import type { FloatMode } from '../numerics/operations.ts';

/** One step as a line. */
export function stepText(step: Step): string {
  switch (step.kind) {
    case 'convert':
      return `${step.to} = ${convertText(step.conversion, step.from, step.random, step.scale)}`;
    case 'clamp':
      return `${step.to} = clamp to ${step.type}(${step.from})`;
    case 'unpack':
      return `{${step.to.join(', ')}} = lanes of ${step.from}, ${lanes(step)}`;
    case 'pack':
      return `${step.to} = lanes {${step.from.join(', ')}}, ${lanes(step)}`;
    case 'extract':
      return `${step.to} = ${step.from}[${step.low + step.width - 1}:${step.low}]`;
    case 'join':
      return `${step.to} = low ${step.width} bits of ${step.high} << ${step.shift} | ${step.low}`;
    case 'copy':
      return `${step.to} = ${step.from}`;
    case 'constant':
      return `${step.to} = ${step.value}`;
    case 'float':
      return `${step.to} = ${step.fn}.${step.format}${modeText(step.mode)}(${step.from.join(', ')})`;
    case 'integer':
      return `${step.to} = ${step.fn}.${step.type}${step.sat ? '.sat' : ''}(${step.from.join(', ')})`;
    case 'bits':
      return `${step.to} = ${step.fn}(${step.from.join(', ')}), ${step.width} bits`;
    case 'compare':
      return `${step.to} = ${step.from[0]} ${step.comparison} ${step.from[1]}, as ${step.type}`;
    case 'select':
      return `${step.to} = ${step.condition} ? ${step.from[0]} : ${step.from[1]}`;
    case 'load':
      return `{${step.to.join(', ')}} = ${step.width} bits each of ${step.space} memory at ${step.address}`;
    case 'store':
      return `${step.space} memory at ${step.address} = {${step.from.join(', ')}}, ${step.width} bits each`;
    case 'transfer':
      return `${step.size} bytes of ${step.space} memory at ${step.address} = ${step.count} bytes of ${step.sourceSpace} memory at ${step.source}, then zeros`;
    case 'window':
      return step.direction === 'to-generic'
        ? `${step.to} = ${step.from} + base of the ${step.space} window`
        : `${step.to} = ${step.from} - base of the ${step.space} window`;
    case 'in-window':
      return `${step.to} = ${step.from} lies in the ${step.space} window`;
    case 'branch':
      return `go to ${step.target}`;
    case 'switch':
      return `go to target ${step.index} of ${step.targets}`;
    case 'call':
      return step.indirect ? `call the function at ${step.callee}` : `call ${step.callee}`;
    case 'return':
      return 'return';
    case 'exit':
      return 'end the thread';
    case 'barrier':
      return `wait at barrier ${step.barrier} for ${step.count ?? 'all'} threads of the block`;
    case 'collective':
      return `${step.to.join(', ')} = ${step.fn}(${step.from.join(', ')}) over ${step.mask ?? 'the threads that come together'}`;
    case 'atomic':
      return `${step.old.join(', ')} = what was at [${step.address}], then there ${step.steps.map(stepText).join(', ')}`;
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

function lanes({ lane, stride }: { readonly lane: number; readonly stride: number }): string {
  const apart = stride === lane ? '' : ` in ${stride}`;
  return `${lane} bits${apart} each, topmost first`;
}

function convertText(c: Conversion, from: string, random: string | null, scale: string | null): string {
  const source = scale !== null && c.scaled === 'divide' ? `${from} / ${scale}` : from;
  const last = random === null ? '' : `, ${random}`;
  const product = scale !== null && c.scaled === 'multiply' ? ` * ${scale}` : '';
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
