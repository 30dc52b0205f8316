/** Converters by what they do, each made once: WebAssembly where it is to be had, else plain JavaScript. */
import type { ArrayPlan } from '../jit/array-kernel.ts';
import { ArrayConverter } from './array-converter.ts';
import { PlainConverter } from './plain-converter.ts';

export type Converter = Pick<ArrayConverter, 'run'>;

const made = new Map<string, Converter>();

/** Converters that are kept; the oldest goes first. */
const mostMade = 256;

export function converterOf(plan: ArrayPlan): Converter {
  const key = JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  const known = made.get(key);
  if (known !== undefined) return known;
  const [oldest] = made.keys();
  if (made.size >= mostMade && oldest !== undefined) made.delete(oldest);
  const converter = canCompile() ? new ArrayConverter(plan) : new PlainConverter(plan);
  made.set(key, converter);
  return converter;
}

let compiles: boolean | null = null;

/** The smallest module: pages may forbid compiling by their content security policy, and then throw here. */
const nothing = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

function canCompile(): boolean {
  if (compiles === null) {
    try {
      compiles = new WebAssembly.Module(nothing) instanceof WebAssembly.Module;
    } catch {
      compiles = false;
    }
  }
  return compiles;
}
