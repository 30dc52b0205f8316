/**
 * Checks the files and tensors that callers pass to the library. This is necessary because a caller may have its own
 * implementation of `TensorFile`.
 */
import { requireArgument } from '../base/require.ts';
import { callback, listOf, oneOf, type Rule, shaped, text, whole } from '../base/rules.ts';
import { keysOf } from '../base/records.ts';
import { formatNames } from '../numerics/formats.ts';
import { containerRule } from './containers.ts';
import { blockRows } from './gguf/block-rows.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';

const size = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1');

const entryRule = shaped<TensorEntry>('an entry of a tensor file', {
  name: text,
  dtype: text,
  format: oneOf(...formatNames, 'opaque'),
  shape: listOf(size),
  elements: size,
  packing: oneOf('whole', 'dense', 'opaque', ...keysOf(blockRows)),
  offset: size,
  byteLength: size,
});

const fileRule = shaped<TensorFile>('a tensor file', {
  container: containerRule,
  tensors: listOf(entryRule),
  data: callback(),
  metadata: shaped('an object', {}),
});

const scalesRule: Rule<object | null> = {
  takes: 'scales of a model, or null',
  accepts: (value) => typeof value === 'object' && (value === null || ('scale' in value && 'grouping' in value)),
};

const modelTensorRule = shaped('a tensor of a model', { entry: entryRule, scales: scalesRule });

/**
 * Files that have already been accepted. Checking a file takes time, and some functions that check it are called for
 * every tensor in the file, so accepted files are not checked again.
 */
const accepted = new WeakSet<object>();

/**
 * @throws PtxlabError `argument-type` if the argument is not a tensor file, that is, if it lacks properties that the
 *   result of `openTensorFile` has
 */
export function requireTensorFile(file: unknown): void {
  const isObject = typeof file === 'object' && file !== null;
  if (isObject && accepted.has(file)) return;
  requireArgument('the file', file, fileRule);
  if (isObject) accepted.add(file);
}

/** @throws PtxlabError `argument-type` if the argument is not an entry of a tensor file */
export function requireEntry(entry: unknown): void {
  requireArgument('the tensor', entry, entryRule);
}

/**
 * @throws PtxlabError `argument-type` if the argument is not a tensor of a model; only its entry and scales are checked
 */
export function requireModelTensor(tensor: unknown): void {
  requireArgument('the tensor', tensor, modelTensorRule);
}
