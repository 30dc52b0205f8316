/** Lets devices that load the same PTX text share one checked module. */
import { type CheckedModule, type CheckOptions, type CheckReport, loadModule } from '../check/check.ts';

interface Known {
  /** The options with which the module was loaded. */
  readonly key: string;
  readonly report: CheckReport;
}

/** Maximum number of recently loaded modules to remember. When there are more, the oldest is forgotten. */
const mostRecent = 64;

/** The modules loaded most recently. The references are weak, so that each module can still be garbage-collected. */
const recent: WeakRef<CheckedModule>[] = [];
const known = new WeakMap<CheckedModule, Known>();

/**
 * Like `loadModule`, but if there was an earlier call with the same text and options and its module still exists,
 * returns that module.
 */
export function recentModule(source: string, options: CheckOptions): ReturnType<typeof loadModule> {
  const key = JSON.stringify([options.target, options.version, options.isa]);
  for (const ref of recent) {
    const module = ref.deref();
    if (module?.source !== source) continue;
    const earlier = known.get(module);
    if (earlier?.key === key) return { module, report: earlier.report };
  }
  const loaded = loadModule(source, options);
  if (loaded.module !== null) remember(loaded.module, { key, report: loaded.report });
  return loaded;
}

function remember(module: CheckedModule, facts: Known): void {
  known.set(module, facts);
  if (recent.push(new WeakRef(module)) > mostRecent) recent.shift();
}
