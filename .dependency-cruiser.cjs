/**
 * The house plan: which folder may import which. Everything may use base and diagnostics, but wasm, which uses base
 * alone. What is not listed is refused.
 */
const may = {
  base: [],
  diagnostics: ['base'],
  numerics: [],
  isa: ['numerics'],
  syntax: [],
  check: ['syntax', 'isa'],
  embedded: ['check', 'isa'],
  program: ['check', 'isa', 'syntax'],
  machine: ['program', 'isa', 'numerics'],
  interp: ['program', 'machine', 'isa', 'numerics', 'check'],
  wasm: [],
  jit: ['program', 'machine', 'isa', 'wasm', 'check', 'numerics'],
  evaluation: ['explain', 'interp', 'check', 'isa', 'numerics'],
  explain: ['check', 'isa', 'numerics', 'syntax'],
  analysis: ['program', 'explain', 'check', 'isa', 'syntax', 'numerics'],
  lsp: ['analysis', 'embedded', 'explain', 'check', 'isa'],
  arrays: ['isa', 'numerics', 'jit'],
  tensors: ['arrays', 'numerics'],
  device: ['arrays', 'interp', 'jit', 'machine', 'program', 'check', 'isa', 'numerics'],
  debug: ['device', 'interp', 'machine'],
  hosts: ['jit', 'machine', 'tensors'],
  cli: ['lsp', 'embedded', 'evaluation', 'explain', 'interp', 'tensors', 'arrays', 'check', 'isa', 'numerics', 'hosts'],
};

/** The public doors and what stands right behind them: they open every room, and only these rooms go through them. */
const doors = '^src/[^/]+[.]ts$';
const mayUseDoors = { hosts: true, cli: true };

/**
 * Data that a folder may import from another: the parser uses the list of directives, and job files use the rules of
 * launch options.
 */
const dataFor = {
  syntax: ['^src/isa/directives[.]ts$'],
  cli: ['^src/device/check-options[.]ts$'],
};

const everywhere = ['base', 'diagnostics'];
const everywhereFor = { base: [], wasm: ['base'] };
/** Of numerics the fast engine takes data only: arithmetic is written twice, so that comparing the engines tests it. */
const numericsData =
  '(conversion|conversion-stages|dot-arithmetic|formats|mufu-tables|packed-blocks|policy|operations)[.]ts$';

/** Libraries of the tensor files; they touch no platform. */
const tensorLibraries = ['fflate'];

const layers = Object.entries(may).map(([folder, allowed]) => {
  const reach = [...new Set([folder, ...(everywhereFor[folder] ?? everywhere), ...allowed])];
  return {
    name: `${folder}-reaches-only`,
    comment: `${folder} may import ${reach.join(', ')}`,
    severity: 'error',
    from: { path: `^src/${folder}/`, pathNot: '[.]test[.]ts$' },
    to: {
      path: '^src/',
      pathNot: [
        `^src/(${reach.join('|')})/`,
        ...(dataFor[folder] ?? []),
        ...(mayUseDoors[folder] === true ? [doors] : []),
      ],
    },
  };
});

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'doors-know-no-platform',
      comment: 'what is public runs wherever JavaScript runs',
      severity: 'error',
      from: { path: doors, pathNot: '[.]test[.]ts$' },
      to: { path: '^src/(cli|hosts)/' },
    },
    {
      name: 'every-file-has-a-room',
      comment: 'a new folder needs a line in the plan',
      severity: 'error',
      from: { path: '^src/', pathNot: [doors, `^src/(${Object.keys(may).join('|')})/`] },
      to: {},
    },
    {
      name: 'jit-computes-itself',
      comment: 'the fast engine shares no arithmetic with the reference engine',
      severity: 'error',
      from: { path: '^src/jit/', pathNot: '[.]test[.]ts$' },
      to: { path: '^src/numerics/', pathNot: `^src/numerics/${numericsData}` },
    },
    {
      name: 'apps-use-the-doors',
      comment: 'applications use the package as its users do',
      severity: 'error',
      from: { path: '^apps/' },
      to: { path: '^(src|test|tools)/' },
    },
    {
      name: 'no-cycle',
      comment: 'a cycle means two files are one',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'node-stays-outside',
      comment: 'the core runs wherever JavaScript runs',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|hosts)/|[.]test[.]ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: `node_modules/(${tensorLibraries.join('|')})/` },
    },
    {
      name: 'tensor-libraries-stay-there',
      comment: 'what reads foreign files runs wherever JavaScript runs, and only tensors needs it',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/tensors/|[.]test[.]ts$' },
      to: { path: `node_modules/(${tensorLibraries.join('|')})/` },
    },
  ],
  options: {
    // What a build leaves behind.
    exclude: { path: '^apps/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.core.json' },
    enhancedResolveOptions: { extensions: ['.ts'] },
    doNotFollow: { path: 'node_modules' },
  },
};
