/** The options of ptxas 13.0, one row each, in the order of its help text. */

/** The kind of value that an option takes: none, a word, a number, `true` or `false`, or a list separated by commas. */
export type OptionValue =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly name: string }
  | { readonly kind: 'number'; readonly name: string }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'list'; readonly name: string }
  | { readonly kind: 'registers' }
  | { readonly kind: 'one of'; readonly name: string; readonly values: readonly string[] };

/** An option of ptxas. */
export interface OptionRow {
  /** Without dashes. */
  readonly long: string;
  readonly short: string;
  readonly value: OptionValue;
  /**
   * `verifies` means that the option affects the verification or its output. `ignored` means that it controls only code
   * generation, so it is accepted but has no effect.
   */
  readonly effect: 'verifies' | 'ignored';
  readonly what: string;
  readonly standard?: string;
}

const nothing: OptionValue = { kind: 'nothing' };
const boolean: OptionValue = { kind: 'boolean' };
const text = (name: string): OptionValue => ({ kind: 'text', name });
const number = (name: string): OptionValue => ({ kind: 'number', name });
const list = (name: string): OptionValue => ({ kind: 'list', name });
const oneOf = (name: string, ...values: readonly string[]): OptionValue => ({ kind: 'one of', name, values });

/** Numbers of the architectures for which ptxas 13.0 generates code, with their suffixes. */
const architectures: readonly string[] = [
  '75',
  '80',
  '86',
  '87',
  '88',
  '89',
  '90',
  '90a',
  ...['100', '103', '110', '120', '121'].flatMap((sm) => [sm, `${sm}a`, `${sm}f`]),
];

/** Values of `-arch`: real architectures, and virtual ones for which no code is generated. */
const gpuNames: readonly string[] = ['compute', 'lto', 'sm'].flatMap((kind) =>
  architectures.map((name) => `${kind}_${name}`),
);

const verifying: readonly Omit<OptionRow, 'effect'>[] = [
  {
    long: 'compile-only',
    short: 'c',
    value: nothing,
    what: 'Allow functions and variables that are defined in another module.',
  },
  { long: 'disable-warnings', short: 'w', value: nothing, what: 'Print no warnings.' },
  { long: 'entry', short: 'e', value: list('entry function'), what: 'Names of kernels that must be in the module.' },
  {
    long: 'gpu-name',
    short: 'arch',
    value: oneOf('gpu name', ...gpuNames),
    what: 'The architecture.',
    standard: 'sm_75',
  },
  { long: 'help', short: 'h', value: nothing, what: 'Print this help.' },
  { long: 'input-as-string', short: 'ias', value: list('ptx string'), what: 'Read modules from the command line.' },
  { long: 'list-version', short: 'version-ls', value: nothing, what: 'Print the supported PTX versions.' },
  { long: 'machine', short: 'm', value: oneOf('bits', '64'), what: 'Address size of the host.', standard: '64' },
  { long: 'options-file', short: 'optf', value: list('file'), what: 'Read options from files.' },
  {
    long: 'output-file',
    short: 'o',
    value: text('file'),
    what: 'Only /dev/null: this program generates no machine code.',
  },
  { long: 'verbose', short: 'v', value: nothing, what: 'Print what was verified.' },
  { long: 'version', short: 'V', value: nothing, what: 'Print the version.' },
  { long: 'warning-as-error', short: 'Werror', value: nothing, what: 'Treat warnings as errors.' },
  {
    long: 'allow-unverified',
    short: 'allow-unverified',
    value: nothing,
    what: 'Accept instructions that ptxlab cannot check yet. ptxas has no such option.',
  },
];

const generating: readonly (readonly [long: string, short: string, value: OptionValue])[] = [
  ['Ofast-compile', 'Ofc', oneOf('level', 'max', 'mid', 'min', '0')],
  ['allow-expensive-optimizations', 'allow-expensive-optimizations', boolean],
  ['compile-as-tools-patch', 'astoolspatch', nothing],
  ['compiler-annotations', 'annotate', nothing],
  ['def-load-cache', 'dlcm', text('modifier')],
  ['def-store-cache', 'dscm', text('modifier')],
  ['device-debug', 'g', nothing],
  ['device-function-maxrregcount', 'func-maxrregcount', { kind: 'registers' }],
  ['device-stack-protector', 'device-stack-protector', boolean],
  ['disable-optimizer-constants', 'disable-optimizer-consts', nothing],
  ['dont-merge-basicblocks', 'no-bb-merge', nothing],
  ['extensible-whole-program', 'ewp', nothing],
  ['fmad', 'fmad', boolean],
  ['force-load-cache', 'flcm', text('modifier')],
  ['force-store-cache', 'fscm', text('modifier')],
  ['g-tensor-memory-access-check', 'g-tmem-access-check', nothing],
  ['generate-line-info', 'lineinfo', nothing],
  ['gno-tensor-memory-access-check', 'gno-tmem-access-check', nothing],
  ['legacy-bar-warp-wide-behavior', 'legacy-bar-warp-wide-behavior', nothing],
  ['make-errors-visible-at-exit', 'make-errors-visible-at-exit', nothing],
  ['maxntid', 'maxntid', list('numbers')],
  ['maxrregcount', 'maxrregcount', { kind: 'registers' }],
  ['minnctapersm', 'minnctapersm', number('N')],
  ['opt-level', 'O', number('N')],
  ['optimize-float-atomics', 'opt-fp-atomics', nothing],
  ['override-directive-values', 'override-directive-values', nothing],
  ['position-independent-code', 'pic', boolean],
  ['preserve-relocs', 'preserve-relocs', nothing],
  ['register-usage-level', 'regUsageLevel', number('0..10')],
  ['return-at-end', 'ret-end', nothing],
  ['sanitize', 'sanitize', oneOf('string', 'memcheck', 'threadsteer')],
  ['sp-bounds-check', 'sp-bounds-check', nothing],
  ['split-compile', 'split-compile', number('N')],
  ['suppress-async-bulk-multicast-advisory-warning', 'suppress-async-bulk-multicast-advisory-warning', nothing],
  ['suppress-debug-info', 'suppress-debug-info', nothing],
  ['suppress-double-demote-warning', 'suppress-double-demote-warning', nothing],
  ['suppress-sparse-mma-advisory-info', 'suppress-sparse-mma-advisory-info', nothing],
  ['suppress-stack-size-warning', 'suppress-stack-size-warning', nothing],
  ['warn-on-double-precision-use', 'warn-double-usage', nothing],
  ['warn-on-local-memory-usage', 'warn-lmem-usage', nothing],
  ['warn-on-spills', 'warn-spills', nothing],
];

/** Every option, in the order of the help text. */
export const optionRows: readonly OptionRow[] = [
  ...verifying.map((row): OptionRow => ({ ...row, effect: 'verifies' })),
  ...generating.map(
    ([long, short, value]): OptionRow => ({ long, short, value, effect: 'ignored', what: 'Accepted, without effect.' }),
  ),
].toSorted((a, b) => (a.long < b.long ? -1 : 1));
