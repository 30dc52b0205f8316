/**
 * Textures: tex, tld4, txq and istypep (PTX ISA 9.1, section 9.7.10). Depth comparisons and multisample textures are
 * checked but not executed. Versions and targets were determined with ptxas 13.0.
 */
import type { InstructionForm } from '../../form.ts';
import {
  type CoordinatesPattern,
  type OperandPattern,
  read,
  type VectorPattern,
  write,
} from '../../operand-patterns.ts';
import { at, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { eachNeeds, row } from '../availability-rows.ts';
import { checked, type CheckedLine, executed } from '../checked.ts';
import { coordinateCounts, indirectTextures, integerCoordinates, integers, separateSamplers } from './parts.ts';
import { isOfType, queryField, type ReadOptions, readSteps, sizeOfLevel } from './texture-steps.ts';

/** A type of result that a texture instruction can return, with the types of registers that can hold it. */
interface Result {
  readonly id: ReadOptions['type'];
  readonly types: readonly TypeName[];
  readonly element: '.b16' | '.b32';
  readonly lanes: 2 | 4;
  readonly registers: readonly TypeName[];
}

const floats: Result = {
  id: 'f32',
  types: ['.f32'],
  element: '.b32',
  lanes: 4,
  registers: ['.b32', '.f32', '.u32', '.s32'],
};
const wholes: Result = {
  id: 'int',
  types: ['.s32', '.u32'],
  element: '.b32',
  lanes: 4,
  registers: [...integers, '.f16x2'],
};
const results: readonly Result[] = [
  floats,
  wholes,
  { id: 'f16', types: ['.f16'], element: '.b16', lanes: 4, registers: ['.b16', '.f16', '.u16', '.s16'] },
  { id: 'f16x2', types: ['.f16x2'], element: '.b32', lanes: 2, registers: ['.b32', '.f16x2'] },
];

/** The requirements for the result `p`, which is true if the texels are resident in memory. */
const residency = row('a predicate result', at('7.1', 60));

function resultList({ element, lanes, registers }: Result): OperandPattern {
  const elements = Array.from({ length: lanes }, (_, i) => write(`d.${i}`, element, { sink: lanes === 4 }));
  const first: VectorPattern = { kind: 'vector', name: 'd', elements, types: registers, whole: true };
  return { kind: 'pair', name: 'd|p', first, second: write('p', '.pred'), needs: residency };
}

const arrays = ['.a1d', '.a2d', '.acube', '.a2dms'];

const floatCoordinates: CoordinatesPattern = {
  kind: 'coordinates',
  name: 'c',
  least: coordinateCounts,
  types: ['.f32', ...integers],
  indexed: arrays,
};

/**
 * The operand whose elements are added to the coordinates of the texels. This operand is legal only for some
 * geometries.
 */
const offset: CoordinatesPattern = {
  kind: 'coordinates',
  name: 'e',
  least: { '.1d': 1, '.2d': 2, '.3d': 4, '.a1d': 1, '.a2d': 2, '.2dms': 2, '.a2dms': 2 },
  types: integers,
};

/** The value with which depths are compared. */
const reference = read('f', '.f32');

/** Specifies which of the two optional operands at the end of the instruction are present. */
interface Options {
  readonly offset: boolean;
  readonly depth: boolean;
}

const everyOption: readonly Options[] = [false, true].flatMap((depth) =>
  [false, true].map((shifted) => ({ offset: shifted, depth })),
);

const optionId = (options: Options): string => `${options.offset ? '.offset' : ''}${options.depth ? '.depth' : ''}`;
const optionOperands = (options: Options): readonly OperandPattern[] => [
  ...(options.offset ? [offset] : []),
  ...(options.depth ? [reference] : []),
];

type Filter = '' | '.base' | '.level' | '.grad';

const geometries: Readonly<Record<Filter, readonly string[]>> = {
  '': Object.keys(coordinateCounts),
  '.base': Object.keys(coordinateCounts),
  '.level': ['.1d', '.2d', '.3d', '.a1d', '.a2d', '.cube', '.acube'],
  '.grad': ['.1d', '.2d', '.3d', '.a1d', '.a2d', '.cube', '.acube'],
};

const cubes = ['.cube', '.acube'];

/** The geometries for which ptxas accepts a separate sampler operand only with `texmode_independent`. */
function unsampled(filter: Filter, options: Options): readonly string[] {
  if (filter === '.level') return options.offset ? [] : ['.3d'];
  return filter === '.grad' ? [...cubes, '.a1d', '.a2d'] : cubes;
}

function geometriesOf(filter: Filter, options: Options, isFloat: boolean): readonly string[] {
  return geometries[filter].filter((geometry) => {
    const isCube = geometry.endsWith('cube');
    if (isFloat === geometry.endsWith('ms')) return isFloat ? false : !isCube;
    if (!isFloat && isCube) return false;
    return !(options.offset && isCube) && !(options.depth && geometry === '.3d');
  });
}

const derivative = (name: string): CoordinatesPattern => ({
  kind: 'coordinates',
  name,
  least: { '.1d': 1, '.2d': 2, '.3d': 4, '.a1d': 1, '.a2d': 2 },
  types: ['.f32', '.b32'],
  exact: true,
});

/** The operands that select the level of detail (mipmap level) from which texels are read. */
const levelOperands: Readonly<Record<Filter, readonly OperandPattern[]>> = {
  '': [],
  '.base': [],
  '.level': [read('lod', 1)],
  '.grad': [derivative('dpdx'), derivative('dpdy')],
};

const summaries: Readonly<Record<Filter, string>> = {
  '': 'Reads a texture at the given coordinates.',
  '.base': 'Reads the finest level of a texture at the given coordinates.',
  '.level': 'Reads the given level of a texture at the given coordinates.',
  '.grad': 'Reads a texture at the given coordinates; the level follows from the given derivatives.',
};

const levels: Readonly<Record<Filter, ReadOptions['level']>> = {
  '': 'finest',
  '.base': 'finest',
  '.level': 'given',
  '.grad': 'derivatives',
};

/**
 * A form that reads a texture. A depth comparison is not executed, because its result depends on settings that CUDA
 * does not have.
 */
function reading(
  line: CheckedLine,
  { offset: hasOffset, depth }: Options,
  way: Availability,
  options: Omit<ReadOptions, 'hasOffset'>,
): InstructionForm {
  return depth ? checked(line, way) : executed(line, way, readSteps({ ...options, hasOffset }));
}

const listed = (operands: readonly OperandPattern[]): string => operands.map(({ name }) => name).join(', ');

function tex(filter: Filter, result: Result, options: Options, isFloat: boolean): InstructionForm {
  const rest = [...levelOperands[filter], ...optionOperands(options)];
  const coordinates = isFloat ? floatCoordinates : { ...integerCoordinates, indexed: arrays };
  const own = geometriesOf(filter, options, isFloat);
  const type = result.types.length === 1 ? result.types[0] : '.dtype';
  return reading(
    {
      id: `tex${filter}.${result.id}.${isFloat ? 'f32' : 's32'}${optionId(options)}`,
      section: '9.7.10.1',
      syntax: `tex${filter}.geom.v${result.lanes}${type}${isFloat ? '.f32' : '.s32'}  ${listed([resultList(result)])}, [a, c]${rest.length > 0 ? `, ${listed(rest)}` : ''}`,
      summary: summaries[filter],
      sets: { geom: own, ...(result.types.length === 1 ? {} : { dtype: result.types }) },
      rows: [
        ...eachNeeds(['.a1d', '.a2d'], at('2.3')),
        ...eachNeeds(['.cube'], filter === '.grad' ? at('4.3', 20) : at('3.0')),
        ...eachNeeds(['.acube'], filter === '.grad' ? at('4.3', 20) : at('3.0', 20)),
        ...eachNeeds(['.2dms', '.a2dms'], at('3.2', 30)),
        ...(filter === '' ? [] : [row(`tex${filter}`, at('3.1', 20))]),
        ...(options.offset || options.depth ? [row('offsets and depths', at('4.3', 30))] : []),
        ...(result.id.startsWith('f16') ? [row(`tex with ${type}`, at('4.2', 53))] : []),
      ],
      operands: [
        resultList(result),
        {
          kind: 'texture',
          name: 'a',
          of: '.texref',
          indirect: indirectTextures,
          coordinates,
          sampled: separateSamplers,
          unsampled: unsampled(filter, options),
        },
        ...rest,
      ],
    },
    options,
    at('1.0'),
    { isFloat, level: levels[filter], type: result.id },
  );
}

const filters: readonly Filter[] = ['', '.base', '.level', '.grad'];
const reads = () =>
  filters.flatMap((filter) =>
    results.flatMap((result) =>
      everyOption.flatMap((options) =>
        // An instruction that compares depths must have floating-point coordinates.
        (options.depth ? [true] : [true, false]).map((isFloat) => tex(filter, result, options, isFloat)),
      ),
    ),
  );

const gathers = () =>
  [floats, wholes].flatMap((result) =>
    everyOption.map((options) => {
      const rest = optionOperands(options);
      const type = result.types.length === 1 ? result.types[0] : '.dtype';
      return reading(
        {
          id: `tld4.${result.id}${optionId(options)}`,
          section: '9.7.10.2',
          syntax: `tld4.comp.geom.v4${type}.f32  d|p, [a, c]${rest.length > 0 ? `, ${listed(rest)}` : ''}`,
          summary: 'Reads one component of the four texels around the given coordinates.',
          sets: {
            comp: ['.r', '.g', '.b', '.a'],
            geom: options.offset ? ['.2d', '.a2d'] : ['.2d', '.a2d', '.cube', '.acube'],
            ...(result.types.length === 1 ? {} : { dtype: result.types }),
          },
          rows: [
            ...eachNeeds(['.a2d', '.cube', '.acube'], at('4.3', 30)),
            ...(options.offset || options.depth ? [row('offsets and depths', at('4.3', 30))] : []),
          ],
          operands: [
            resultList(result),
            {
              kind: 'texture',
              name: 'a',
              of: '.texref',
              indirect: indirectTextures,
              coordinates: floatCoordinates,
              sampled: separateSamplers,
              unsampled: cubes,
            },
            ...rest,
          ],
        },
        options,
        at('2.2', 20),
        { isFloat: true, level: 'finest', type: result.id },
      );
    }),
  );

// --- queries --------------------------------------------------------------------------------------------------------

const sizes = ['.width', '.height', '.depth'];
const attributes = [
  '.channel_data_type',
  '.channel_order',
  '.normalized_coords',
  '.array_size',
  '.num_mipmap_levels',
  '.num_samples',
  '.memory_layout',
];
const samplerAttributes = ['.filter_mode', '.addr_mode_0', '.addr_mode_1', '.addr_mode_2'];
const handle = { kind: 'handle', name: 'a', of: '.texref', indirect: indirectTextures } as const;

const samplerQueries = () => [
  executed(
    {
      id: 'txq.sampling',
      section: '9.7.10.3',
      syntax: 'txq.query.b32  d, [a]',
      summary: 'Returns an attribute of a sampler, or of a texture that includes its sampler.',
      sets: { query: samplerAttributes },
      operands: [write('d', '.b32'), { ...handle, separate: true }],
    },
    at('1.5'),
    (variant) => queryField('$d', variant),
  ),
  executed(
    {
      id: 'txq.sampler',
      section: '9.7.10.3',
      syntax: 'txq.force_unnormalized_coords.b32  d, [a]',
      summary: 'Returns an attribute of a sampler.',
      operands: [write('d', '.b32'), { kind: 'handle', name: 'a', of: '.samplerref', indirect: indirectTextures }],
    },
    at('3.1', 20),
    (variant) => queryField('$d', variant),
  ),
];

const queries = () => [
  executed(
    {
      id: 'txq',
      section: '9.7.10.3',
      syntax: 'txq.query.b32  d, [a]',
      summary: 'Returns an attribute of a texture or sampler.',
      sets: {
        query: [...sizes, ...attributes],
      },
      rows: [
        ...eachNeeds(['.channel_data_type', '.channel_order'], at('2.1')),
        ...eachNeeds(['.array_size'], at('4.1')),
        ...eachNeeds(['.num_mipmap_levels'], at('4.1', 20)),
        ...eachNeeds(['.num_samples'], at('4.1', 30)),
        ...eachNeeds(['.memory_layout'], at('4.2')),
      ],
      operands: [write('d', '.b32'), handle],
    },
    at('1.5'),
    (variant) => queryField('$d', variant),
  ),
  executed(
    {
      id: 'txq.level',
      section: '9.7.10.3',
      syntax: 'txq.level.query.b32  d, [a], lod',
      summary: 'Returns the width, height or depth of the given level of a texture.',
      sets: { query: sizes },
      operands: [write('d', '.b32'), handle, read('lod', '.u32', { unpacked: true })],
    },
    at('4.3', 30),
    sizeOfLevel,
  ),
  executed(
    {
      id: 'istypep',
      section: '9.7.10.4',
      syntax: 'istypep.type  p, a',
      summary: 'Tests whether a handle refers to a texture, sampler or surface.',
      sets: { type: ['.texref', '.samplerref', '.surfref'] },
      operands: [write('p', '.pred'), read('a', '.u64')],
    },
    at('4.0', 30),
    isOfType,
  ),
];

/** tex, tld4, txq and istypep. */
export const textureForms = (): readonly InstructionForm[] => [
  ...reads(),
  ...gathers(),
  ...queries(),
  ...samplerQueries(),
];
