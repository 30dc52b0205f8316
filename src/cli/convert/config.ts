/** Adds a description of the quantized tensors to the config.json of a converted model. */
import { isObject } from '../../base/json-values.ts';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pairOf } from '../../base/tuples.ts';
import { writeFiles } from '../../hosts/node-output.ts';
import type { CheckpointLayout } from '../../tensors/checkpoints/written-layouts.ts';
import { TensorFileError } from '../../tensors/tensor-error.ts';

/**
 * Copies config.json from the input's folder to the output's folder, and adds the given `quantization_config`. If the
 * output's folder already has a config.json, it is not replaced.
 *
 * @returns lines that tell the user what was written, or what to add by hand
 */
export async function configureModel(
  from: string,
  to: string,
  layout: CheckpointLayout | undefined,
  config: object,
): Promise<string> {
  const [source, target] = pairOf([from, to].map((path) => join(dirname(resolve(path)), 'config.json')));
  const found = source === target ? null : await objectIn(source);
  const calibration =
    layout === 'modelopt'
      ? 'readers that quantize activations also need X.input_scale, which comes from calibration\n'
      : '';
  const whole = { ...found, quantization_config: config };
  if (found !== null && (await isWritten(target, whole)))
    return `${calibration}${join(dirname(to), 'config.json')} is a copy of the input's with a quantization_config added\n`;
  return `${calibration}its readers need this in config.json:\n${JSON.stringify({ quantization_config: config }, null, 2)}\n`;
}

async function objectIn(path: string): Promise<object | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isObject(value) ? value : null;
  } catch {
    // The folder has no config.json, or the file cannot be read or parsed.
    return null;
  }
}

async function isWritten(path: string, config: object): Promise<boolean> {
  try {
    await writeFiles([{ path, bytes: Buffer.from(`${JSON.stringify(config, null, 2)}\n`) }], false);
    return true;
  } catch (error) {
    if (error instanceof TensorFileError && error.code === 'exists') return false;
    throw error;
  }
}
