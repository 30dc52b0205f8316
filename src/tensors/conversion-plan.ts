/** How every tensor of a file is converted, and where it goes in the new file. */
import { type Scheme, schemeNamed } from '../arrays/quantized/block-formats.ts';
import { requireFormat } from '../arrays/names.ts';
import type { Granularity } from '../arrays/quantized/quantized-array.ts';
import { layoutOf } from '../arrays/quantized/quantized-array.ts';
import type { MxRule } from '../arrays/quantized/scale-rules.ts';
import type { Semantics } from '../arrays/semantics/semantic-rules.ts';
import { conversionOf } from '../arrays/semantics/semantics.ts';
import { PtxlabError } from '../base/error.ts';
import type { Rounding } from '../numerics/conversion.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { type Container, containers } from './containers.ts';
import { isBlockLayout, isWritableLayout, type WritableLayout, writableLayouts } from './gguf/blocks.ts';
import { dtypeOfBlocks } from './gguf/types.ts';
import { carriedOver, dtypeIn, layoutFile, type LayoutOptions } from './layout.ts';
import { layoutShards, type Sharding } from './safetensors/sharded-layout.ts';
import { quote, TensorFileError } from './tensor-error.ts';
import { type FileLayout, type TensorEntry, type TensorFile, type TensorPlan } from './tensor-file.ts';
import { type Scales, scaleNames, scalesOf } from './scales.ts';
import { isReadable } from './tensor-values.ts';
import { valueAt, elementAt } from '../base/element-at.ts';

export interface ConversionChoice {
  /**
   * A format in any spelling, or a scheme with scales in blocks: mxfp8, mxfp8_e5m2, mxfp6, mxfp6_e3m2, mxfp4, nvfp4;
   * for GGUF also q4_0, q4_1, q5_0, q5_1, q8_0. It applies to the floating-point tensors; others are copied.
   */
  readonly to: string;
  /**
   * f32 scales in addition to the codes of e4m3, e5m2, s8, s4 or s2: one for the tensor, for each row, or for 128 x 128
   * elements.
   */
  readonly scale?: Granularity | undefined;
  /** For ue8m0 scales. Default `floor`, as in OCP MX 1.0. */
  readonly scaleRule?: MxRule | undefined;
  readonly rounding?: Rounding | undefined;
  /** For `rs`; every tensor uses its own stream, which begins with its first element. */
  readonly seed?: number | bigint | undefined;
  readonly saturate?: boolean | undefined;
  readonly semantics?: Semantics | undefined;
  /** Selects floating-point tensors. Default: all. */
  readonly takes?: ((name: string) => boolean) | undefined;
  /** For safetensors: several files and an index. Default: one file. */
  readonly shards?: Sharding | undefined;
}

/**
 * The operation on a tensor; `out` and similar fields say where results go, `beside` is the scales that turn its codes
 * into values.
 */
export type TensorWork = { readonly entry: TensorEntry; readonly beside: Scales | null } & (
  | { readonly kind: 'copy'; readonly out: TensorEntry }
  | { readonly kind: 'convert'; readonly from: FormatName; readonly to: FormatName; readonly out: TensorEntry }
  /** Codes, scales, and for NVFP4 the scale of the whole tensor. */
  | {
      readonly kind: 'quantize';
      readonly scheme: Scheme;
      readonly out: TensorEntry;
      readonly scales: TensorEntry;
      readonly second: TensorEntry | null;
    }
  /** Blocks of GGUF. */
  | { readonly kind: 'blocks'; readonly layout: WritableLayout; readonly out: TensorEntry }
);

export interface ConversionPlan {
  readonly choice: ConversionChoice;
  readonly work: readonly TensorWork[];
  readonly layout: FileLayout;
}

/** The work for a tensor before positions in the file are known: tensors by the names they will have. */
type Draft = {
  readonly entry: TensorEntry;
  readonly beside: Scales | null;
  readonly plans: readonly TensorPlan[];
} & (
  | { readonly kind: 'copy' }
  | { readonly kind: 'convert'; readonly from: FormatName; readonly to: FormatName }
  | { readonly kind: 'quantize'; readonly scheme: Scheme }
  | { readonly kind: 'blocks'; readonly layout: WritableLayout }
);

/**
 * Plans a conversion into a container. Scales are stored as tensors next to their codes: `X_scale`, and for NVFP4
 * `X_scale_2`, as `diff` reads them; a value is code * scale * second scale.
 *
 * @throws PtxlabError for an impossible choice, TensorFileError for tensors that the container cannot hold
 */
export function planConversion(file: TensorFile, container: Container, choice: ConversionChoice): ConversionPlan {
  const target = targetOf(choice, container);
  const { taken, applied } = takenOf(file, choice);
  const drafts = file.tensors
    .filter(({ name }) => !applied.has(name))
    .map((entry) => {
      const beside = taken.get(entry);
      return beside === undefined
        ? keepDraft(entry, file, container)
        : convertDraft(entry, container, choice, target, beside);
    });
  const layout = layoutOfDrafts(drafts, container, choice, carriedOver(file, container));
  const byName = new Map(layout.tensors.map((entry) => [entry.name, entry]));
  return { choice, work: drafts.map((draft) => placed(draft, byName)), layout };
}

/** A tensor and its scales stay in one file. */
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
  return { ...work, out, scales: elementAt(places, 1), second: places[2] ?? null };
}

/** The target of floating-point tensors. */
type Target =
  | { readonly kind: 'format'; readonly format: FormatName }
  | { readonly kind: 'scheme'; readonly scheme: Scheme }
  | { readonly kind: 'blocks'; readonly layout: WritableLayout };

function targetOf(choice: ConversionChoice, container: Container): Target {
  const { to, scale, scaleRule, rounding = 'rn' } = choice;
  const name = to.trim().toLowerCase();
  const { scales, title } = containers[container];
  if (scales === 'in blocks' && isWritableLayout(name)) {
    const isPlain = scale === undefined && scaleRule === undefined && rounding === 'rn';
    refuseIf(!isPlain, 'GGUF blocks have their own scales and rounding');
    refuseIf(choice.saturate === false, 'codes with scales always saturate');
    refuseIf((choice.semantics ?? 'ptx') !== 'ptx', 'codes with scales follow the rules of GGUF');
    return { kind: 'blocks', layout: name };
  }
  const isOwn = isBlockLayout(name) && name !== 'mxfp4' && name !== 'nvfp4';
  refuseIf(
    isOwn && !isWritableLayout(name),
    `GGUF blocks of ${name} can be read, but not written: use ${writableLayouts.join(', ')}`,
  );
  refuseIf(isOwn, `${name} is a type of GGUF, so the new file must be GGUF`);
  const isBlocks = /^(?:mx|nv)fp\d/.test(name);
  refuseIf(!isBlocks && scaleRule !== undefined, `${to} has no choice of scale rule: only mx schemes do`);
  if (!isBlocks && scale === undefined) return { kind: 'format', format: requireFormat(to) };
  const scheme = schemeNamed(isBlocks ? name : requireFormat(to));
  refuseIf(isBlocks && scale !== undefined, `${scheme.name} has its own scales`);
  refuseIf(rounding !== 'rn' && rounding !== 'rs', 'codes with scales are rounded with rn or rs');
  refuseIf(choice.saturate === false, 'codes with scales always saturate');
  refuseIf((choice.semantics ?? 'ptx') !== 'ptx', 'codes with scales follow the rules of PTX');
  refuseIf(scaleRule !== undefined && scheme.scale !== 'ue8m0', `${scheme.name} has no choice of scale rule`);
  refuseIf(scales === 'in blocks', `${title} has no ${to} with separate scales`);
  return { kind: 'scheme', scheme };
}

function refuseIf(isRefused: boolean, why: string): void {
  if (isRefused) throw new PtxlabError('bad-choice', why);
}

/**
 * The tensors to convert, with their scales if they have any, and the names of those scales, which are not written
 * again.
 */
function takenOf(
  file: TensorFile,
  { takes }: ConversionChoice,
): { readonly taken: ReadonlyMap<TensorEntry, Scales | null>; readonly applied: ReadonlySet<string> } {
  const scales = scalesOf(file);
  // Scales of tensors that are copied are copied too: without them the codes would mean something else.
  const areScales = scaleNames(scales);
  const taken = new Map<TensorEntry, Scales | null>();
  const used = new Map<string, Scales>();
  for (const entry of file.tensors) {
    const own = valueScales(entry, scales);
    if (areScales.has(entry.name) || (own === null && !isValue(entry))) continue;
    if (takes !== undefined && !takes(entry.name)) continue;
    taken.set(entry, own);
    if (own !== null) used.set(entry.name, own);
  }
  return { taken, applied: scaleNames(used) };
}

/**
 * The scales that turn a tensor's codes into numbers, by the convention of `X_scale` for `X`. Null if there are none,
 * or if elements are unsigned: other tools use these for packed data.
 */
function valueScales(entry: TensorEntry, all: ReadonlyMap<string, Scales>): Scales | null {
  const { format, name } = entry;
  return format !== 'opaque' && formats[format].signed && !isBlockLayout(entry.packing)
    ? (all.get(name) ?? null)
    : null;
}

function isValue(entry: TensorEntry): boolean {
  if (!isReadable(entry) || entry.format === 'opaque') return false;
  // Elements in blocks are values, whatever their codes are.
  return isBlockLayout(entry.packing) || (formats[entry.format].kind === 'float' && entry.format !== 'ue8m0');
}

function convertDraft(
  entry: TensorEntry,
  container: Container,
  choice: ConversionChoice,
  target: Target,
  beside: Scales | null,
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
    case 'scheme': {
      const { scheme } = target;
      return { entry, beside, kind: 'quantize', scheme, plans: quantizedPlans(entry, container, scheme, choice.scale) };
    }
  }
}

/** Throws the error that `convert` would throw later. */
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
  // Elements of a byte or more are stored alike everywhere.
  if (beside === null && format === to && packing === 'whole' && formats[to].width >= 8)
    return { entry, beside, kind: 'copy', plans };
  // Blocks are read with their scales applied.
  const from = beside !== null || isBlockLayout(packing) ? 'f32' : format;
  if (from === 'opaque') throw new Error(`the elements of ${name} are not numbers`);
  return { entry, beside, kind: 'convert', from, to, plans };
}

function quantizedPlans(
  { name, shape, elements }: TensorEntry,
  container: Container,
  scheme: Scheme,
  granularity: Granularity | undefined,
): readonly TensorPlan[] {
  const layout = layoutOf(scheme, elements, shape, granularity);
  const scaleFormat = scheme.scale;
  const leading = shape.slice(0, -1);
  const scaleShape =
    layout.granularity === 'tile' ? [layout.scaleRows, layout.scaleColumns] : [...leading, layout.scaleColumns];
  const isOne = scheme.block === null && layout.granularity === 'tensor';
  const plans: TensorPlan[] = [
    { name, dtype: requireDtype(container, scheme.element, name), shape },
    { name: `${name}_scale`, dtype: requireDtype(container, scaleFormat, name), shape: isOne ? [] : scaleShape },
  ];
  if (scaleFormat === 'e4m3')
    plans.push({ name: `${name}_scale_2`, dtype: requireDtype(container, 'f32', name), shape: [] });
  return plans;
}

function requireDtype(container: Container, format: FormatName, name: string): string {
  const dtype = dtypeIn(container, format);
  if (dtype !== null) return dtype;
  throw new TensorFileError('unsupported', `${quote(name)}: ${containers[container].words} cannot hold ${format}`);
}

/**
 * A tensor that is not converted: copied byte for byte in the same container, else stored as elements of the same
 * format.
 */
function keepDraft(entry: TensorEntry, file: TensorFile, container: Container): Draft {
  const { name, shape, dtype, format } = entry;
  if (file.container === container) return { entry, beside: null, kind: 'copy', plans: [{ name, dtype, shape }] };
  if (format === 'opaque' || isBlockLayout(entry.packing)) {
    throw new TensorFileError(
      'unsupported',
      `${quote(name)}: ${containers[container].words} cannot hold elements of type ${dtype}`,
    );
  }
  return plainDraft(entry, container, format, null);
}
