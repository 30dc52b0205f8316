/** Plans how every tensor of a file is converted, and where the results are stored in the new file. */
import type { Scheme } from '../arrays/quantized/block-formats.ts';
import type { Granularity } from '../arrays/quantized/quantized-array.ts';
import { type Layout, layoutOf } from '../arrays/quantized/quantized-array.ts';
import { conversionOf } from '../arrays/semantics/semantics.ts';
import { elementAt, valueAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { requireArgument, requireOptions } from '../base/require.ts';
import { bytes, list, type Rule, shaped, text } from '../base/rules.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { modelOf, type ModelTensor } from './checkpoints/model-tensors.ts';
import { isLinearWeight, moduleOf, quantizationConfig, type WrittenForm } from './checkpoints/written-layouts.ts';
import { type Container, containerRule, containers } from './containers.ts';
import { choiceRules, type ConversionChoice } from './conversion-choice.ts';
import { refuseIf, type Target, targetOf } from './conversion-target.ts';
import { isBlockLayout, type WritableLayout } from './gguf/blocks.ts';
import { dtypeOfBlocks } from './gguf/types.ts';
import { carriedOver, dtypeIn, layoutFile, type LayoutOptions, sameDtypeIn } from './layout.ts';
import { layoutShards } from './safetensors/sharded-layout.ts';
import type { Scales } from './scales.ts';
import { quote, TensorFileError } from './tensor-error.ts';
import type { TensorWork } from './tensor-work.ts';
import { requireTensorFile } from './require-file.ts';
import { requireOwnScales } from './checkpoints/written-groups.ts';
import type { FileLayout, TensorEntry, TensorFile, TensorPlan } from './tensor-file.ts';
import { isReadable } from './tensor-values.ts';

export interface ConversionPlan {
  readonly choice: ConversionChoice;
  readonly work: readonly TensorWork[];
  readonly layout: FileLayout;
  /** The `quantization_config` to be added to the model's config.json; null unless a `layout` was chosen. */
  readonly quantizationConfig: object | null;
}

const layoutRule = shaped<FileLayout>('a layout', {
  header: bytes,
  tensors: list,
});

/** What `planConversion` returns. */
export const planRule: Rule<ConversionPlan> = shaped<ConversionPlan>('a plan from planConversion', {
  choice: shaped('a choice', { to: text }),
  work: list,
  layout: layoutRule,
});

/**
 * Describes what will be done with a tensor. A draft is made before the layout of the new file is known, so it refers
 * to the new tensors by name.
 */
type Draft = {
  readonly entry: TensorEntry;
  readonly beside: Scales | null;
  readonly plans: readonly TensorPlan[];
} & (
  | { readonly kind: 'copy' }
  | { readonly kind: 'convert'; readonly from: FormatName; readonly to: FormatName }
  | {
      readonly kind: 'quantize';
      readonly scheme: Scheme;
      readonly form: WrittenForm;
      readonly granularity: Granularity | undefined;
    }
  | { readonly kind: 'blocks'; readonly layout: WritableLayout }
);

/**
 * Plans the conversion of a file into a new file of the given container. The scales of a tensor X are stored in a
 * separate tensor `X_scale`. NVFP4 also has a second scale, in `X_scale_2`. The value of an element is code * scale *
 * second scale. `diff` reads scales with these names, too.
 *
 * @throws PtxlabError if the choice is impossible, TensorFileError if the container cannot hold one of the tensors
 */
export function planConversion(file: TensorFile, container: Container, choice: ConversionChoice): ConversionPlan {
  requireTensorFile(file);
  requireArgument('the container', container, containerRule);
  requireOptions(choice, choiceRules, 'planConversion');
  requireArgument('the format or scheme `to`', choice.to, text);
  const target = targetOf(choice, container);
  const taken = takenOf(file, choice, target);
  const applied = new Set([...taken.values()].flatMap(({ parts }) => parts.slice(1)));
  const drafts = file.tensors
    .filter((entry) => !applied.has(entry))
    .map((entry) => {
      const tensor = taken.get(entry);
      return tensor === undefined ? keepDraft(entry, file, container) : convertDraft(tensor, container, choice, target);
    });
  const layout = layoutOfDrafts(drafts, container, choice, carriedOver(file, container));
  const byName = new Map(layout.tensors.map((entry) => [entry.name, entry]));
  const config = configOf(
    target,
    file.tensors.filter((entry) => !taken.has(entry) && !applied.has(entry)),
  );
  const work = drafts.map((draft) => placed(draft, byName));
  requireOwnScales(work, file);
  return { choice, work, layout, quantizationConfig: config };
}

/**
 * The `quantization_config`. The configuration lists the modules that are not quantized, because readers assume that
 * all other modules are quantized.
 */
function configOf(target: Target, kept: readonly TensorEntry[]): object | null {
  if (target.kind !== 'scheme') return null;
  const ignore = new Set(kept.map(moduleOf).filter((module) => module !== null));
  return quantizationConfig(target.form, target.granularity, [...ignore]);
}

/** Lays out the new file or files. A tensor and its scales are always in the same file. */
function layoutOfDrafts(
  drafts: readonly Draft[],
  container: Container,
  { shards }: ConversionChoice,
  carried: LayoutOptions,
): FileLayout {
  const groups = drafts.map(({ plans }) => plans);
  if (shards === undefined) return layoutFile(container, groups.flat(), carried);
  refuseIf(!containers[container].sharded, `${containers[container].words} cannot be split into several files`);
  return layoutShards(groups, shards, carried.metadata);
}

function placed(draft: Draft, byName: ReadonlyMap<string, TensorEntry>): TensorWork {
  const { plans, ...work } = draft;
  const places = plans.map(({ name }) => valueAt(byName, name));
  const out = elementAt(places, 0);
  if (work.kind !== 'quantize') return { ...work, out };
  const { form, ...rest } = work;
  const [, , second] = places;
  return {
    ...rest,
    out,
    scales: elementAt(places, 1),
    second: second === undefined ? null : { entry: second, rule: form.second.rule },
    packing: out.packing === 'dense' || (form.asBytes && formats[work.scheme.element].width < 8) ? 'dense' : 'whole',
  };
}

/** The tensors that are converted. Each key is the entry of the stored tensor that contains the elements or codes. */
function takenOf(
  file: TensorFile,
  { takes, layout, anyFormat = false }: ConversionChoice,
  target: Target,
): ReadonlyMap<TensorEntry, ModelTensor> {
  const isWanted = takes ?? (layout === undefined ? (): boolean => true : isLinearWeight);
  const isPossible = (entry: TensorEntry): boolean => layout === undefined || isMatrixOf(entry, target);
  const { tensors, lookAlikes } = modelOf(file);
  // Codes and scales in unknown layouts are copied unchanged, because only other tools can interpret them.
  const unknown = new Set(lookAlikes.flatMap(({ name, codes }) => (codes === null ? [name] : [name, codes])));
  const taken = tensors.filter(({ entry, scales, isActivationScale }) => {
    const hasValues = scales !== null || (isValue(entry, anyFormat) && !isActivationScale);
    return hasValues && !unknown.has(entry.name) && isWanted(entry.name) && isPossible(entry);
  });
  return new Map(taken.map((tensor) => [elementAt(tensor.parts, 0), tensor]));
}

/**
 * Whether a tensor can be quantized in a checkpoint layout. Only the weights of linear layers are quantized in such
 * layouts. These weights are matrices, and their rows must consist of whole blocks.
 */
function isMatrixOf({ shape }: TensorEntry, target: Target): boolean {
  const block = target.kind === 'scheme' ? (target.scheme.block ?? 1) : 1;
  return shape.length === 2 && (shape.at(-1) ?? 1) % block === 0;
}

function isValue(entry: TensorEntry, anyFormat: boolean): boolean {
  if (!isReadable(entry) || entry.format === 'opaque') return false;
  if (anyFormat) return true;
  // Elements that are stored in blocks represent floating-point values, so they are always converted, regardless of the
  // format of their codes.
  return isBlockLayout(entry.packing) || (formats[entry.format].kind === 'float' && entry.format !== 'ue8m0');
}

function convertDraft(
  { entry, scales: beside }: ModelTensor,
  container: Container,
  choice: ConversionChoice,
  target: Target,
): Draft {
  const { name, shape } = entry;
  switch (target.kind) {
    case 'format': {
      const draft = plainDraft(entry, container, target.format, beside);
      if (draft.kind === 'convert') requireConversion(draft.from, draft.to, choice);
      return draft;
    }
    case 'blocks':
      return {
        entry,
        beside,
        kind: 'blocks',
        layout: target.layout,
        plans: [{ name, dtype: dtypeOfBlocks(target.layout), shape }],
      };
    case 'scheme':
      return { entry, beside, ...target, kind: 'quantize', plans: quantizedPlans(entry, container, target) };
  }
}

/**
 * Throws the error that `convert` would throw, so that an impossible choice is reported before the conversion begins.
 */
function requireConversion(
  from: FormatName,
  to: FormatName,
  { rounding, saturate, semantics }: ConversionChoice,
): void {
  const found = conversionOf({ from, to, rounding, saturate, semantics });
  if (!found.ok) throw new PtxlabError(found.error.code, found.error.message);
}

function plainDraft(entry: TensorEntry, container: Container, to: FormatName, beside: Scales | null): Draft {
  const { name, shape, packing, format } = entry;
  const plans = [{ name, dtype: requireDtype(container, to, name), shape }];
  // Elements that are at least one byte wide are stored identically in all containers, so they can be copied.
  if (beside === null && format === to && packing === 'whole' && formats[to].width >= 8)
    return { entry, beside, kind: 'copy', plans };
  // Elements that have scales are multiplied by them when they are read, which produces f32 values.
  const from = beside !== null || isBlockLayout(packing) ? 'f32' : format;
  if (from === 'opaque') throw new Error(`the elements of ${name} are not numbers`);
  return { entry, beside, kind: 'convert', from, to, plans };
}

function quantizedPlans(
  { name, shape, elements }: TensorEntry,
  container: Container,
  { scheme, form, granularity }: Target & { kind: 'scheme' },
): readonly TensorPlan[] {
  const layout = layoutOf(scheme, elements, shape, granularity);
  refuseIf(
    layout.granularity === 'tile' && isCutAcross(shape, layout),
    `${quote(name)} (${shape.join(' x ')}) has several matrices, and their number of rows is not a multiple of ` +
      `${layout.tileRows}, so some tiles would contain rows of two matrices; --keep leaves a tensor as it is`,
  );
  const { element, scale } = scheme;
  const { second, asBytes } = form;
  const leading = shape.slice(0, -1);
  const scaleShape =
    layout.granularity === 'tile' ? [layout.scaleRows, layout.scaleColumns] : [...leading, layout.scaleColumns];
  const isOne = scheme.block === null && layout.granularity === 'tensor';
  const isPacked = asBytes && formats[element].width < 8;
  const dtypeOf = (format: FormatName): string => requireDtype(container, format, name);
  const plans: TensorPlan[] = [
    {
      name: name + form.codes,
      dtype: dtypeOf(isPacked ? 'u8' : element),
      shape: isPacked ? [...leading, (shape.at(-1) ?? 1) / 2] : shape,
    },
    {
      name: `${name}_scale`,
      dtype: dtypeOf(asBytes && scale === 'ue8m0' ? 'u8' : scale),
      shape: isOne ? form.oneShape : scaleShape,
    },
  ];
  if (scale === 'e4m3') plans.push({ name: name + second.suffix, dtype: dtypeOf('f32'), shape: second.shape });
  return plans;
}

/**
 * Whether some tiles contain rows of several matrices. All matrices of the tensor are divided into tiles as if they
 * formed a single matrix, so a tile can extend from one matrix into the next.
 */
function isCutAcross(shape: readonly number[], { rows, tileRows }: Layout): boolean {
  const matrixRows = shape.at(-2) ?? 1;
  return matrixRows < rows && matrixRows % tileRows !== 0;
}

function requireDtype(container: Container, format: FormatName, name: string): string {
  const dtype = dtypeIn(container, format);
  if (dtype !== null) return dtype;
  throw new TensorFileError('unsupported', `${quote(name)}: ${containers[container].words} cannot hold ${format}`);
}

/**
 * The draft for a tensor that is not converted. The bytes are copied if the container does not change, or if the new
 * container supports the same type. Otherwise, the elements are stored in the same format.
 */
function keepDraft(entry: TensorEntry, file: TensorFile, container: Container): Draft {
  const { name, shape, dtype, format } = entry;
  if (file.container === container) return { entry, beside: null, kind: 'copy', plans: [{ name, dtype, shape }] };
  const common = format === 'opaque' ? sameDtypeIn(container, { container: file.container, dtype }) : null;
  if (common !== null) return { entry, beside: null, kind: 'copy', plans: [{ name, dtype: common, shape }] };
  if (format === 'opaque' || isBlockLayout(entry.packing)) {
    throw new TensorFileError(
      'unsupported',
      `${quote(name)}: ${containers[container].words} cannot hold elements of type ${dtype}`,
    );
  }
  return plainDraft(entry, container, format, null);
}
