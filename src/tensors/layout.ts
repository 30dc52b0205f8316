/** Lays out a file of any container, and spells formats as each does. */
import type { FormatName } from '../numerics/formats.ts';
import type { GgufField } from './gguf-fields.ts';
import { layoutGguf } from './gguf-layout.ts';
import { ggufTypeOf } from './gguf-types.ts';
import { npyDescr } from './npy-dtypes.ts';
import { layoutNpy } from './npy-file.ts';
import { layoutNpz } from './npz-layout.ts';
import { layoutRaw } from './raw.ts';
import { safetensorsDtype } from './safetensors-dtypes.ts';
import { layoutSafetensors } from './safetensors-layout.ts';
import { TensorFileError } from './tensor-error.ts';
import { type Container, type FileLayout, fileOf, type TensorPlan } from './tensor-file.ts';

export interface LayoutOptions {
  /** For safetensors. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** For GGUF. */
  readonly fields?: readonly GgufField[];
}

/** Where everything goes in a file of these tensors. Throws TensorFileError for what the container cannot hold. */
export function layoutFile(
  container: Container,
  plans: readonly TensorPlan[],
  { metadata, fields }: LayoutOptions = {},
): FileLayout {
  switch (container) {
    case 'safetensors':
      return layoutSafetensors(plans, metadata);
    case 'gguf':
      return layoutGguf(plans, fields);
    case 'npz':
      return layoutNpz(plans);
    case 'npy':
      return layoutNpy(only(container, plans));
    case 'raw':
      return layoutRaw(only(container, plans));
  }
}

/** How a container spells plain elements of a format; null if it has no such elements. */
export function dtypeIn(container: Container, format: FormatName): string | null {
  switch (container) {
    case 'safetensors':
      return safetensorsDtype(format);
    case 'gguf':
      return ggufTypeOf(format);
    case 'npz':
    case 'npy':
      return npyDescr(format);
    case 'raw':
      return format;
  }
}

function only(container: Container, plans: readonly TensorPlan[]): TensorPlan {
  const [plan, ...more] = plans;
  if (plan === undefined || more.length > 0)
    throw new TensorFileError('unsupported', `${fileOf[container]} holds one tensor, not ${plans.length}`);
  return plan;
}
