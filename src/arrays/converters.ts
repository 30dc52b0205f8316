/**
 * Returns the converter for a conversion plan. It is created only once for each plan, and uses WebAssembly if that is
 * available, otherwise plain JavaScript.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { type ArrayPlan, planKey, stagingMemory } from '../jit/arrays/array-plan.ts';
import { ArrayConverter } from '../jit/arrays/array-converter.ts';
import { canCompile } from '../jit/simd/can-compile.ts';
import { PlainConverter } from './elements/plain-converter.ts';
import type { Bytes } from './storage.ts';
import { workspaceOf } from './workspace.ts';

export type Converter = Pick<ArrayConverter, 'run'>;

/** Maximum number of converters of each kind that are kept. */
const most = 256;

const plain = new BoundedCache<string, Converter>(most);
const compiled = new WeakMap<WebAssembly.Memory, BoundedCache<string, Converter>>();

/**
 * Returns the converter for a plan. If one of the arrays is in a workspace, the converter uses the memory of this
 * workspace, but it also accepts arrays outside that memory.
 */
export function converterOf(plan: ArrayPlan, source: Bytes, target: Bytes): Converter {
  const key = planKey(plan);
  if (!canCompile()) return plain.of(key, () => new PlainConverter(plan));
  const memory = (workspaceOf(target) ?? workspaceOf(source))?.memory ?? memoryForStaging();
  const made = compiled.get(memory) ?? new BoundedCache<string, Converter>(most);
  compiled.set(memory, made);
  return made.of(key, () => new ArrayConverter(plan, memory));
}

let ownMemory: WebAssembly.Memory | null = null;

/**
 * The memory to which arrays outside workspaces are copied for conversion. All conversions can share it, because they
 * run one after the other and keep no state in the memory.
 */
function memoryForStaging(): WebAssembly.Memory {
  ownMemory ??= stagingMemory();
  return ownMemory;
}
