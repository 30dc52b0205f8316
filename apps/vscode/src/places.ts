/** Finds what is under the cursor by looking only at the text. */

/** The instruction on a line, without its guard, label or comment; null if the line has no instruction. */
export function instructionOn(line: string): string | null {
  const code = line
    .replace(/\/\/.*$/, '')
    .replace(/^\s*[\w$%]+\s*:(?!:)/, '')
    .replace(/^\s*@!?[\w$%]+/, '')
    .trim();
  return /^[a-z][\w.:]*(\s|;|$)/.test(code) ? code : null;
}

/** A kernel and the types of its parameters. */
interface Kernel {
  readonly name: string;
  readonly parameterTypes: readonly string[];
}

/**
 * The last kernel that begins on or before the line of the given offset. If there is none, the module's first kernel;
 * null if the module has no kernels.
 */
export function kernelAt(text: string, offset: number): Kernel | null {
  const entries = [...text.matchAll(/\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?/g)];
  const entry = entries.findLast(({ index }) => text.lastIndexOf('\n', index) < offset) ?? entries[0];
  if (entry === undefined) return null;
  const [, name = '', parameters = ''] = entry;
  const types = parameters.matchAll(/\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)/g);
  return { name, parameterTypes: [...types].map(([, type = '']) => type) };
}

/**
 * The options of `ptxlab run` that are suggested to the user. Each 64-bit parameter gets a buffer of zeros, and every
 * other parameter gets the number 1.
 */
export function suggestedLaunch({ parameterTypes }: Kernel): string {
  const values = parameterTypes.map((type) => (/^[bu]64$/.test(type) ? 'zeros:4096' : '1'));
  return ['--grid 1 --block 32', ...values.map((value) => `--arg ${value}`)].join(' ');
}

/** The target that the module declares; null if it declares none. */
export function targetOf(text: string): string | null {
  return /^\s*\.target\s+(\w+)/m.exec(text)?.[1] ?? null;
}
