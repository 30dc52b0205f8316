/** Converters by what they do, each made once: WebAssembly where it is to be had, else plain JavaScript. */
import { type ArrayPlan, planKey, staging } from '../jit/arrays/array-kernel.ts';
import { ArrayConverter } from '../jit/arrays/array-converter.ts';
import { PlainConverter } from './plain-converter.ts';
import type { Bytes } from './storage.ts';
import { pageSize, workspaceOf } from './workspace.ts';

export type Converter = Pick<ArrayConverter, 'run'>;

type Made = Map<string, Converter>;

const plain: Made = new Map();
const compiled = new WeakMap<WebAssembly.Memory, Made>();

/** Converters that are kept of a kind; the oldest goes first. */
const mostMade = 256;

/** The converter for arrays that lie there; in any case it takes others too. */
export function converterOf(plan: ArrayPlan, source: Bytes, target: Bytes): Converter {
  if (!canCompile()) return kept(plain, plan, () => new PlainConverter(plan));
  const memory = (workspaceOf(target) ?? workspaceOf(source))?.memory ?? stagingMemory();
  const made = compiled.get(memory) ?? new Map<string, Converter>();
  compiled.set(memory, made);
  return kept(made, plan, () => new ArrayConverter(plan, memory));
}

function kept(made: Made, plan: ArrayPlan, make: () => Converter): Converter {
  const key = planKey(plan);
  const known = made.get(key);
  if (known !== undefined) return known;
  const [oldest] = made.keys();
  if (made.size >= mostMade && oldest !== undefined) made.delete(oldest);
  const converter = make();
  made.set(key, converter);
  return converter;
}

let memoryForStaging: WebAssembly.Memory | null = null;

/** One for all arrays outside workspaces: conversions run one after the other, and leave nothing in it. */
function stagingMemory(): WebAssembly.Memory {
  memoryForStaging ??= new WebAssembly.Memory({ initial: Math.ceil(staging.bytes / pageSize) });
  return memoryForStaging;
}

let compiles: boolean | null = null;

/** The smallest module: pages may forbid compiling by their content security policy, and then throw here. */
const nothing = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** Whether WebAssembly is to be had. */
export function canCompile(): boolean {
  if (compiles === null) {
    try {
      compiles = new WebAssembly.Module(nothing) instanceof WebAssembly.Module;
    } catch {
      compiles = false;
    }
  }
  return compiles;
}
