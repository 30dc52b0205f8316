/**
 * How quantized tensors are written for ptxlab itself and for readers of two checkpoint layouts, and what such readers
 * expect in `config.json`. The table has one row for each layout and scheme.
 */
import type { Scheme, SchemeName } from '../../arrays/quantized/block-formats.ts';
import type { Granularity } from '../../arrays/quantized/quantized-array.ts';
import { PtxlabError } from '../../base/error.ts';
import { keysOf } from '../../base/records.ts';

export type CheckpointLayout = 'modelopt' | 'compressed-tensors';

export interface WrittenForm {
  /**
   * The suffix that is appended to the name of the tensor to form the name of its codes. The scales of a tensor X are
   * called `X_scale`.
   */
  readonly codes: '' | '_packed';
  /** Whether e2m1 and ue8m0 are stored in u8 tensors: two e2m1 codes per byte, or one ue8m0 scale per byte. */
  readonly asBytes: boolean;
  readonly second: {
    readonly suffix: string;
    /** With `divide`, the file stores the reciprocal of the second scale. */
    readonly rule: 'multiply' | 'divide';
    readonly shape: readonly number[];
  };
  /** The supported granularities of an f32 scale (such as one per row), starting with the default. */
  readonly granularities: readonly Granularity[];
  /** The shape of the scale tensor if there is only one scale. */
  readonly oneShape: readonly number[];
  /** Fields of `quantization_config` in config.json; null if no known reader supports tensors written in this form. */
  readonly config: ((granularity: Granularity | undefined) => object) | null;
}

const own: WrittenForm = {
  codes: '',
  asBytes: false,
  second: { suffix: '_scale_2', rule: 'multiply', shape: [] },
  granularities: ['row', 'tensor', 'tile'],
  oneShape: [],
  config: null,
};

const packed: WrittenForm = {
  ...own,
  codes: '_packed',
  asBytes: true,
  second: { suffix: '_global_scale', rule: 'divide', shape: [1] },
};

const modelopt: Partial<Record<SchemeName, WrittenForm>> = {
  nvfp4: { ...own, asBytes: true, config: () => ({ quant_method: 'modelopt', quant_algo: 'NVFP4', group_size: 16 }) },
  e4m3: { ...own, granularities: ['tensor'], config: () => ({ quant_method: 'modelopt', quant_algo: 'FP8' }) },
};

/** The name that compressed-tensors uses for a granularity of scales. */
const strategies: Readonly<Record<Granularity, object>> = {
  tensor: { strategy: 'tensor' },
  row: { strategy: 'channel' },
  tile: { strategy: 'block', block_structure: [128, 128] },
};

const compressedTensors: Partial<Record<SchemeName, WrittenForm>> = {
  nvfp4: {
    ...packed,
    config: () => compressed('nvfp4-pack-quantized', 4, 'float', { strategy: 'tensor_group', group_size: 16 }),
  },
  mxfp4: {
    ...packed,
    config: () => compressed('mxfp4-pack-quantized', 4, 'float', { strategy: 'group', group_size: 32 }),
  },
  e4m3: {
    ...own,
    oneShape: [1],
    config: (granularity = 'row') => compressed('float-quantized', 8, 'float', strategies[granularity], granularity),
  },
  s8: {
    ...own,
    granularities: ['row', 'tensor'],
    oneShape: [1],
    config: (granularity = 'row') => compressed('int-quantized', 8, 'int', strategies[granularity], granularity),
  },
};

/**
 * @param granularity the granularity of the weights' scales, which determines how activations are quantized; null if
 *   activations are not quantized
 */
function compressed(
  format: string,
  bits: number,
  type: 'float' | 'int',
  sharing: object,
  granularity: Granularity | null = null,
): object {
  const numbers = { num_bits: bits, type, symmetric: true };
  const perToken = granularity === 'tile' ? { strategy: 'group', group_size: 128 } : { strategy: 'token' };
  const input_activations = granularity === null ? null : { ...numbers, ...perToken, dynamic: true };
  const weights = { ...numbers, ...sharing, dynamic: false };
  return {
    quant_method: 'compressed-tensors',
    format,
    quantization_status: 'compressed',
    config_groups: { group_0: { targets: ['Linear'], weights, input_activations, output_activations: null } },
  };
}

const forms: Readonly<Record<CheckpointLayout, Partial<Record<SchemeName, WrittenForm>>>> = {
  modelopt,
  'compressed-tensors': compressedTensors,
};

export const checkpointLayouts: readonly CheckpointLayout[] = keysOf(forms);

/**
 * How a layout stores tensors that are quantized with a scheme.
 *
 * @throws PtxlabError `bad-choice` if the layout does not support the scheme
 */
export function writtenForm(
  layout: CheckpointLayout | undefined,
  { name }: Scheme,
  granularity: Granularity | undefined,
): WrittenForm {
  if (layout === undefined) return own;
  const form = forms[layout][name];
  if (form === undefined) {
    const known = Object.keys(forms[layout]).join(', ');
    throw new PtxlabError(
      'bad-choice',
      `ptxlab does not know how ${layout} stores ${name}; for this layout, it knows ${known}`,
    );
  }
  if (granularity !== undefined && !form.granularities.includes(granularity)) {
    const known = form.granularities.map((one) => (one === 'tile' ? 'block' : one)).join(', ');
    throw new PtxlabError('bad-choice', `${layout} supports ${name} only with one scale per ${known}`);
  }
  return form;
}

/**
 * Whether readers of these layouts expect a tensor with this name to be quantized. They expect the weights of linear
 * layers to be quantized, but not embeddings, norms, heads and other parameters.
 */
export function isLinearWeight(name: string): boolean {
  return /(?:^|\.)weight$/.test(name) && !/embed|lm_head|(?:^|\.)(?:wte|wpe)\.|norm/i.test(name);
}

/**
 * The module to which a tensor belongs, if readers might expect its weights to be quantized; otherwise null. Parameters
 * with more than two axes that are not called `weight` are usually the experts of a layer.
 */
export function moduleOf({ name, shape }: { readonly name: string; readonly shape: readonly number[] }): string | null {
  const [, module = null, last] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
  const isWeight = last === 'weight' && shape.length >= 2;
  return isWeight || shape.length > 2 ? module : null;
}

/** The `quantization_config` for config.json; `ignore` lists the modules that are not quantized. */
export function quantizationConfig(
  { config }: WrittenForm,
  granularity: Granularity | undefined,
  ignore: readonly string[],
): object | null {
  return config === null ? null : { ...config(granularity), ignore };
}
