/** Lets devices that load the same PTX text share one checked module. */
import { type CheckedModule, type CheckOptions, type CheckReport, loadModule } from '../check/check.ts';

interface Known {
  /** The options that were used to load the module. */
  readonly key: string;
  readonly module: CheckedModule;
  readonly report: CheckReport;
}

/**
 * Maximum number of modules to keep, and maximum number of characters in their texts. A small module takes up about 20
 * bytes for each character of its text, and a large module 2 to 5 bytes. Weak references would not help: the JavaScript
 * engine frees the modules only when the program returns to the event loop, so a loop that loads thousands of modules
 * would run out of memory.
 */
const mostModules = 64;
const mostCharacters = 16 * 2 ** 20;

/** The modules loaded most recently, the newest last. */
let recent: readonly Known[] = [];

/** Like `loadModule`, but if a module with the same text and options was loaded recently, returns that module. */
export function recentModule(source: string, options: CheckOptions): ReturnType<typeof loadModule> {
  const key = JSON.stringify([options.target, options.version, options.isa]);
  const known = recent.find(({ module, key: other }) => other === key && module.source === source);
  if (known !== undefined) {
    recent = [...recent.filter((one) => one !== known), known];
    return known;
  }
  const { module, report } = loadModule(source, options);
  if (module !== null && source.length <= mostCharacters) remember({ key, module, report });
  return { module, report };
}

function remember(newest: Known): void {
  let characters = 0;
  const kept = [newest, ...recent.toReversed()].filter(({ module }, i) => {
    characters += module.source.length;
    return i < mostModules && characters <= mostCharacters;
  });
  recent = kept.reverse();
}
