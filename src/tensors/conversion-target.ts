/** The format or scheme that the floating-point tensors of a file are converted to. */
import { requireFormat } from '../arrays/names.ts';
import { type Scheme, schemeNamed, schemes, schemeSpellings } from '../arrays/quantized/block-formats.ts';
import type { Granularity } from '../arrays/quantized/quantized-array.ts';
import { PtxlabError } from '../base/error.ts';
import { elementAt } from '../base/element-at.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { type WrittenForm, writtenForm } from './checkpoints/written-layouts.ts';
import { type Container, containers } from './containers.ts';
import type { ConversionChoice, ConversionName } from './conversion-choice.ts';
import { isBlockLayout, isWritableLayout, type WritableLayout, writableLayouts } from './gguf/blocks.ts';

export type Target =
  | { readonly kind: 'format'; readonly format: FormatName }
  | {
      readonly kind: 'scheme';
      readonly scheme: Scheme;
      readonly form: WrittenForm;
      /** Which elements share a scale; undefined for schemes that prescribe the size of blocks. */
      readonly granularity: Granularity | undefined;
    }
  | { readonly kind: 'blocks'; readonly layout: WritableLayout };

/**
 * Finds the format or scheme with the given name, in any spelling.
 *
 * @throws PtxlabError `unknown-format` or `unknown-scheme`; `bad-choice` for block types that can be read but not
 *   written
 */
export function requireConversion(text: string): ConversionName {
  const name = text.trim().toLowerCase();
  if (isWritableLayout(name)) return name;
  refuseGgufType(name);
  return isBlockScheme(name) ? schemeNamed(name).name : requireFormat(text, others);
}

/** The names of the conversion targets that are not number formats: schemes and block types. */
const others: readonly string[] = [...new Set([...schemeSpellings.filter(isBlockScheme), ...writableLayouts])];

function isBlockScheme(name: string): boolean {
  return /^(?:mx|nv)fp\d/.test(name);
}

/** @throws PtxlabError for an impossible choice */
export function targetOf(choice: ConversionChoice, container: Container): Target {
  const { to, scale, scaleRule, rounding = 'rn', layout } = choice;
  const name = to.trim().toLowerCase();
  const { scales, title } = containers[container];
  refuseIf(layout !== undefined && container !== 'safetensors', `${layout} is a layout of safetensors files`);
  if (scales === 'in blocks' && isWritableLayout(name)) {
    const isPlain = scale === undefined && scaleRule === undefined && rounding === 'rn';
    refuseIf(!isPlain, 'GGUF blocks have their own scales and rounding');
    refuseIf(choice.saturate === false, 'codes with scales always saturate');
    refuseIf((choice.semantics ?? 'ptx') !== 'ptx', 'codes with scales follow the rules of GGUF');
    return { kind: 'blocks', layout: name };
  }
  refuseGgufType(name);
  const isBlocks = isBlockScheme(name);
  refuseIf(!isBlocks && scaleRule !== undefined, `${to} has no choice of scale rule; only mx schemes have one`);
  const chosen = scale ?? (isBlocks ? undefined : usualScale(requireFormat(to), choice, container));
  if (!isBlocks && (chosen === undefined || chosen === 'none')) {
    refuseIf(layout !== undefined, `${layout} requires scales for ${to}: omit 'none'`);
    return { kind: 'format', format: requireFormat(to) };
  }
  const scheme = schemeNamed(isBlocks ? name : requireFormat(to));
  refuseIf(isBlocks && scale !== undefined, `${scheme.name} has its own scales`);
  refuseIf(rounding !== 'rn' && rounding !== 'rs', 'codes with scales are rounded with rn or rs');
  refuseIf(choice.saturate === false, 'codes with scales always saturate');
  refuseIf((choice.semantics ?? 'ptx') !== 'ptx', 'codes with scales follow the rules of PTX');
  refuseIf(scaleRule !== undefined && scheme.scale !== 'ue8m0', `${scheme.name} has no choice of scale rule`);
  refuseIf(scales === 'in blocks', `${title} cannot hold ${to} with separate scales`);
  const granularity = chosen === 'none' ? undefined : chosen;
  return { kind: 'scheme', scheme, form: writtenForm(layout, scheme, granularity), granularity };
}

/**
 * The default for `scale`. For integer formats, the default is to use scales, because weights are usually smaller than
 * 1 and would otherwise become zero.
 */
function usualScale(format: FormatName, { layout }: ConversionChoice, container: Container): Granularity | undefined {
  const scheme = [...schemes.values()].find(({ element, block }) => element === format && block === null);
  if (layout !== undefined && scheme !== undefined) {
    const form = writtenForm(layout, scheme, undefined);
    return form.granularities.length === 0 ? undefined : elementAt(form.granularities, 0);
  }
  if (scheme === undefined || formats[format].kind !== 'integer') return undefined;
  const { holdsOne, scales, words } = containers[container];
  const advice = scales === 'in blocks' ? 'use q8_0 or q4_0' : 'use .safetensors or .npz';
  refuseIf(
    holdsOne || scales === 'in blocks',
    `without scales, most weights become 0 in ${format}, and ${words} has no room for scales: ${advice}, ` +
      'or --scale none for values that are already integers',
  );
  return 'row';
}

function refuseGgufType(name: string): void {
  const isOwn = isBlockLayout(name) && name !== 'mxfp4' && name !== 'nvfp4';
  refuseIf(
    isOwn && !isWritableLayout(name),
    `GGUF blocks of ${name} can be read, but not written: use ${writableLayouts.join(', ')}`,
  );
  refuseIf(isOwn, `only GGUF files can hold ${name}, so the new file must be GGUF`);
}

export function refuseIf(isRefused: boolean, why: string): void {
  if (isRefused) throw new PtxlabError('bad-choice', why);
}
