/** Lays out tensor files in any container format, and finds the type name that a container uses for a number format. */
import { requireArgument, requireOptions } from '../base/require.ts';
import { list, listOf, mapOf, type RulesFor, shaped, text } from '../base/rules.ts';
import { type FormatName, isFormatName } from '../numerics/formats.ts';
import { type Container, containerRule, containers } from './containers.ts';
import type { GgufFile } from './gguf/gguf.ts';
import type { GgufField } from './gguf/fields.ts';
import { layoutGguf } from './gguf/layout.ts';
import { ggufTypeOf } from './gguf/types.ts';
import { npyDescr } from './npy/dtypes.ts';
import { layoutNpy } from './npy/file.ts';
import { layoutNpz } from './npz/layout.ts';
import { layoutRaw } from './raw.ts';
import { safetensorsDtype } from './safetensors/dtypes.ts';
import { layoutSafetensors } from './safetensors/layout.ts';
import { TensorFileError } from './tensor-error.ts';
import type { FileLayout, Metadata, TensorFile, TensorPlan } from './tensor-file.ts';

export interface LayoutOptions {
  /** The metadata of a safetensors file. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The metadata fields of a GGUF file. */
  readonly fields?: readonly GgufField[];
}

const plansRule = listOf(
  shaped<TensorPlan>('a plan with name, dtype and shape', { name: text, dtype: text, shape: list }),
);

const rules: RulesFor<LayoutOptions> = {
  metadata: mapOf(text),
  fields: listOf(shaped<GgufField>('a field with key, type and value', { key: text, type: text })),
};

/** Lays out a file that contains the given tensors. Throws TensorFileError if the container cannot hold one of them. */
export function layoutFile(
  container: Container,
  plans: readonly TensorPlan[],
  options: LayoutOptions = {},
): FileLayout {
  requireArgument('the container', container, containerRule);
  requireArgument('the tensors', plans, plansRule);
  requireOptions(options, rules, 'layoutFile');
  return layouts[container](plans, options);
}

const layouts: Readonly<Record<Container, (plans: readonly TensorPlan[], options: LayoutOptions) => FileLayout>> = {
  safetensors: (plans, { metadata }) => layoutSafetensors(plans, metadata),
  gguf: (plans, { fields }) => layoutGguf(plans, fields),
  npz: (plans) => layoutNpz(plans),
  npy: (plans) => layoutNpy(only('npy', plans)),
  raw: (plans) => layoutRaw(only('raw', plans)),
};

const spellings: Readonly<Record<Container, (format: FormatName) => string | null>> = {
  safetensors: safetensorsDtype,
  gguf: ggufTypeOf,
  npz: npyDescr,
  npy: npyDescr,
  raw: (format) => format,
};

/**
 * The container's type name for elements of the given format, if they are not stored in blocks; null if the container
 * cannot hold such elements.
 */
export function dtypeIn(container: Container, format: FormatName): string | null {
  requireArgument('the container', container, containerRule);
  return isFormatName(format) ? spellings[container](format) : null;
}

/** Types that several containers support although no PTX format corresponds to them: booleans and complex numbers. */
const commonTypes: readonly Partial<Record<Container, string>>[] = [
  { safetensors: 'BOOL', npz: '|b1', npy: '|b1' },
  { safetensors: 'C64', npz: '<c8', npy: '<c8' },
];

/**
 * Given a type that another container supports but PTX does not, returns the type's name in `container`; null if
 * `container` does not support the type. The bytes of the elements are the same in both containers.
 */
export function sameDtypeIn(container: Container, { container: from, dtype }: OpaqueType): string | null {
  const common = commonTypes.find((names) => names[from] === dtype);
  return common?.[container] ?? null;
}

interface OpaqueType {
  readonly container: Container;
  readonly dtype: string;
}

/**
 * The key of a GGUF field that specifies the type of most tensors in the file. The field is not copied, because the
 * tensors of the new file have different types. If the field is missing, programs look at the types of the tensors
 * themselves.
 */
const fileType = 'general.file_type';

const carried: Readonly<Record<Container, ((file: TensorFile) => LayoutOptions) | null>> = {
  safetensors: ({ metadata }) => ({ metadata: stringsOf(metadata) }),
  gguf: (file) => ({ fields: isGguf(file) ? file.fields.filter(({ key }) => key !== fileType) : [] }),
  npz: null,
  npy: null,
  raw: null,
};

/** Metadata is copied only to a file of the same container. */
export function carriedOver(file: TensorFile, container: Container): LayoutOptions {
  return file.container === container ? (carried[container]?.(file) ?? {}) : {};
}

function isGguf(file: TensorFile): file is GgufFile {
  return file.container === 'gguf';
}

function stringsOf(metadata: Metadata): Readonly<Record<string, string>> {
  const strings = Object.entries(metadata).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return Object.fromEntries(strings);
}

function only(container: Container, plans: readonly TensorPlan[]): TensorPlan {
  const [plan, ...more] = plans;
  if (plan === undefined || more.length > 0)
    throw new TensorFileError('unsupported', `${containers[container].words} holds one tensor, not ${plans.length}`);
  return plan;
}
