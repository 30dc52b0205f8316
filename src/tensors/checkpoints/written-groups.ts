/**
 * Checks that a new file will be read as intended. Readers recognize codes and scales by their names, types and shapes.
 * If a tensor is converted to a narrow type, readers could combine it with an unrelated tensor whose name looks like
 * that of its scales.
 */
import { PtxlabError } from '../../base/error.ts';
import type { FormatName } from '../../numerics/formats.ts';
import { outputsOf, type TensorWork } from '../tensor-work.ts';
import { quote } from '../tensor-error.ts';
import type { TensorEntry, TensorFile } from '../tensor-file.ts';
import { noHints } from './hints.ts';
import { codedTensors, modelOf } from './model-tensors.ts';

/**
 * @throws PtxlabError `bad-choice` if readers would combine codes and scales of the new file differently than intended
 */
export function requireOwnScales(work: readonly TensorWork[], file: TensorFile): void {
  const written = codedTensors(work.flatMap(writtenBy), file.hints ?? noHints);
  const found = [...written.values()].map(({ parts }) => parts);
  const made = work.filter(({ kind }) => kind === 'quantize').map(outputsOf);
  const kept = modelOf(file).tensors.map(({ parts }) => parts);
  const meant = new Set([...made, ...kept].map(keyOf));
  const chance = found.find((parts) => !meant.has(keyOf(parts)));
  if (chance !== undefined) throw chanceError(chance);
  const keys = new Set(found.map(keyOf));
  const lost = made.find((parts) => !keys.has(keyOf(parts)));
  if (lost !== undefined) throw lostError(lost);
}

/**
 * The new tensors that are written for one tensor. In .npy files, narrow elements may be stored without their type. The
 * returned entries always contain the type, because readers must be told which type to assume.
 */
function writtenBy(work: TensorWork): readonly TensorEntry[] {
  if (work.kind === 'convert') return [typed(work.out, work.to)];
  if (work.kind !== 'quantize') return [work.out];
  const [, , ...second] = outputsOf(work);
  return [typed(work.out, work.scheme.element), typed(work.scales, work.scheme.scale), ...second];
}

function typed(entry: TensorEntry, format: FormatName): TensorEntry {
  return entry.format === 'opaque' ? { ...entry, format, packing: 'whole' } : entry;
}

function keyOf(parts: readonly TensorEntry[]): string {
  return JSON.stringify(parts.map(({ name }) => name).sort());
}

function chanceError([codes, ...scales]: readonly TensorEntry[]): PtxlabError {
  const name = codes?.name ?? '';
  const beside = scales.map((one) => quote(one.name)).join(', ');
  return new PtxlabError(
    'bad-choice',
    `in the new file, ${quote(name)} (${codes?.dtype}) would be multiplied by ${beside}, because their names say that ` +
      `they are codes and scales; --keep leaves a tensor as it is`,
  );
}

function lostError([codes, scales]: readonly TensorEntry[]): PtxlabError {
  return new PtxlabError(
    'bad-choice',
    `in the new file, ${quote(scales?.name ?? '')} would not be read as the scales of ${quote(codes?.name ?? '')}, ` +
      `because of other tensors with similar names; --keep leaves a tensor as it is`,
  );
}
