/** The arguments of a launch, and the textures, surfaces and samplers that variables are bound to. */
import { either, listOf, memberPath, objectOf, type Rule } from '../../base/rules.ts';
import {
  type Argument,
  type DeviceBuffer,
  type DeviceTexture,
  type LoadedModule,
  type SamplerOptions,
  tensorMap,
  type TensorMapOptions,
  type TexelOptions,
  type TextureOptions,
} from '../../device.ts';
import { boxRules, samplerRules, texelRules, textureRules } from '../../device/check-options.ts';
import { structSize } from '../run/job-rules.ts';
import { structBytes, type StructPart } from '../run/struct-bytes.ts';
import { hexBytes, isScalarType, scalarBytes, scalarTypes } from '../run/values.ts';
import { found, type OpenDevice } from './device-table.ts';
import { RequestError } from './errors.ts';
import { count, type DataSource, required, sourceRule, text } from './method.ts';

/** A tensor map. `buffer` is the handle of the buffer that contains the tensor. */
interface LaunchTensorMap extends Omit<TensorMapOptions, 'tensor'> {
  readonly buffer?: number;
}

/** A structure. `bytes` is its size, or its bytes as hex digits; the parts replace some of these bytes. */
interface LaunchStruct {
  readonly bytes?: number | string;
  readonly parts?: readonly LaunchStructPart[];
}

/** An argument at the offset `at` in a structure. The part for a buffer is its address. */
interface LaunchStructPart {
  readonly at?: number;
  readonly buffer?: number;
  readonly bytes?: string;
  readonly tensorMap?: LaunchTensorMap;
  readonly [type: string]: unknown;
}

/** A surface. `buffer` is the handle of the buffer that contains the texels. */
interface LaunchSurface extends Omit<TexelOptions, 'texels'> {
  readonly buffer?: number;
}

/** A texture; see `LaunchSurface`. */
interface LaunchTexture extends Omit<TextureOptions, 'texels'> {
  readonly buffer?: number;
}

/** The texture, surface or sampler that a variable is bound to. The object has exactly one key. */
export interface LaunchHandle {
  readonly texture?: LaunchTexture;
  readonly surface?: LaunchSurface;
  readonly sampler?: SamplerOptions;
}

/**
 * An argument, which must have exactly one key. `buffer` is the handle of a buffer, `value` is a value for a parameter
 * of any type, and `bytes` and `data` are raw bytes. `tensorMap`, `texture` and `surface` describe a tensor or texels
 * in a buffer, and `sampler` describes a sampler. `struct` describes a structure. `shared` is a number of bytes of
 * shared memory. If the key is the name of a type, such as `u32`, its value is a scalar of this type.
 */
export interface LaunchArgument extends LaunchHandle {
  readonly buffer?: number;
  readonly value?: number;
  readonly bytes?: string;
  readonly data?: DataSource;
  readonly shared?: number;
  readonly tensorMap?: LaunchTensorMap;
  readonly struct?: LaunchStruct;
  readonly [type: string]: unknown;
}

const anything: Rule<unknown> = {
  takes: 'a number or a string',
  accepts: (value) => typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean',
};

const handleRules = {
  texture: objectOf<LaunchTexture>({ buffer: count, ...textureRules }),
  surface: objectOf<LaunchSurface>({ buffer: count, ...texelRules }),
  sampler: objectOf<SamplerOptions>(samplerRules),
};

export const handleRule: Rule<LaunchHandle> = objectOf<LaunchHandle>(handleRules);

const mapRule = objectOf<LaunchTensorMap>({ buffer: count, ...boxRules });

const scalarRules = Object.fromEntries(scalarTypes.map((type) => [type, anything]));

const partRule = objectOf<LaunchStructPart>({
  at: count,
  buffer: count,
  bytes: text,
  tensorMap: mapRule,
  ...scalarRules,
});

export const argumentRule: Rule<LaunchArgument> = objectOf<LaunchArgument>({
  buffer: count,
  value: { takes: 'a number', accepts: (value) => typeof value === 'number' },
  bytes: text,
  data: sourceRule,
  shared: count,
  tensorMap: mapRule,
  struct: objectOf<LaunchStruct>({ bytes: either(structSize, text), parts: listOf(partRule) }),
  ...handleRules,
  ...scalarRules,
});

export function argumentOf(
  argument: LaunchArgument,
  path: string,
  one: OpenDevice,
  bytesOf: (data: DataSource) => Uint8Array,
): Argument {
  const key = onlyKey(
    argument,
    path,
    ': buffer, value, bytes, data, shared, tensorMap, struct, texture, surface, sampler',
  );
  const { value, data, shared, struct } = argument;
  if (value !== undefined) return value;
  if (data !== undefined) return bytesOf(data);
  if (shared !== undefined) return { shared };
  if (struct !== undefined) return structOf(struct, `${path}.struct`, one);
  return handleOf(argument, path, one) ?? plainOf(argument, key, path, one);
}

/** The only key of an argument. `keys` names the possible ones, apart from the types. */
function onlyKey(argument: object, path: string, keys: string): string {
  const [key, ...others] = Object.keys(argument);
  if (key !== undefined && others.length === 0) return key;
  throw new RequestError('bad-params', `${path}: must have one key${keys} or a type such as u32`);
}

/** An argument that can also be a part of a structure. */
function plainOf(
  argument: LaunchStructPart,
  key: string,
  path: string,
  { buffers }: OpenDevice,
): DeviceBuffer | Uint8Array {
  const { buffer, bytes, tensorMap: map } = argument;
  if (buffer !== undefined) return found(buffers, buffer, 'buffer');
  if (bytes !== undefined) return hexBytes(bytes);
  if (map !== undefined) {
    const { buffer: handle, ...box } = map;
    return tensorMap({ ...box, tensor: found(buffers, required(handle, `${path}.tensorMap.buffer`), 'buffer') });
  }
  if (isScalarType(key)) return scalarBytes(key, argument[key]);
  throw new RequestError('bad-params', `${path}: '${key}' is not a type`);
}

function structOf({ bytes = 0, parts = [] }: LaunchStruct, path: string, one: OpenDevice): Uint8Array {
  const made = parts.map(({ at, ...part }, i): StructPart => {
    const own = `${path}.parts[${i}]`;
    const key = onlyKey(part, own, ' beside at: buffer, bytes, tensorMap');
    return { at: required(at, `${own}.at`), value: plainOf(part, key, own, one) };
  });
  return structBytes(typeof bytes === 'number' ? new Uint8Array(bytes) : hexBytes(bytes), made);
}

function handleOf(
  { texture, surface, sampler }: LaunchHandle,
  path: string,
  { device, buffers }: OpenDevice,
): DeviceTexture | null {
  const bufferOf = (handle: number | undefined, of: string): DeviceBuffer =>
    found(buffers, required(handle, `${path}.${of}.buffer`), 'buffer');
  if (texture !== undefined) {
    const { buffer, ...how } = texture;
    return device.texture({ ...how, texels: bufferOf(buffer, 'texture') });
  }
  if (surface !== undefined) {
    const { buffer, ...how } = surface;
    return device.surface({ ...how, texels: bufferOf(buffer, 'surface') });
  }
  return sampler === undefined ? null : device.sampler(sampler);
}

/**
 * Binds variables of a module to textures, surfaces and samplers. Binding copies the description to which a handle
 * refers, so each handle is freed as soon as its variable is bound.
 */
export function bindAll(bind: Readonly<Record<string, LaunchHandle>>, module: LoadedModule, one: OpenDevice): void {
  for (const [name, given] of Object.entries(bind)) {
    const path = memberPath('bind', name);
    const handle = Object.keys(given).length === 1 ? handleOf(given, path, one) : null;
    if (handle === null)
      throw new RequestError('bad-params', `${path}: must have one key: texture, surface or sampler`);
    try {
      module.bind(name, handle);
    } finally {
      handle.free();
    }
  }
}
