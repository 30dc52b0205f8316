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
  program: ['check', 'isa', 'syntax'],
  machine: ['isa'],
  interp: ['program', 'machine', 'isa', 'numerics', 'check'],
  explain: ['check', 'isa', 'numerics', 'syntax'],
  tensors: ['arrays'],
};

const everywhere = ['base', 'diagnostics'];

const layers = Object.entries(may).map(([folder, allowed]) => {
  const reach = [...new Set([folder, ...(folder === 'base' ? [] : everywhere), ...allowed])];
  return {
    name: `${folder}-reaches-only`,
    comment: `${folder} may import ${reach.join(', ')}`,
    severity: 'error',
    from: { path: `^src/${folder}/`, pathNot: '[.]test[.]ts$' },
    to: { path: '^src/', pathNot: `^src/(${reach.join('|')})/` },
  };
});

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'no-cycle',
      comment: 'a cycle means two files are one',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'node-stays-outside',
      comment: 'the core runs wherever JavaScript runs',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|hosts)/|[.]test[.]ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.core.json' },
    enhancedResolveOptions: { extensions: ['.ts'] },
    doNotFollow: { path: 'node_modules' },
  },
};
