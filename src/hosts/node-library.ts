/**
 * Opens tensor files by path, in Node. `ptxlab/tensors` does the rest:
 *
 * ```ts
 * const a = await openTensors('a.safetensors');
 * const b = await openTensors('b.gguf');
 * const values = await readTensor(a.file, 'weight');
 * const { pairs } = await compareFiles(a.file, b.file);
 * await a.close();
 * await b.close();
 * ```
 *
 * @module
 */
export { openBeside, openFile, type OpenFile } from './node-open-file.ts';
export { createFile, type NewFile, type PendingFile } from './node-pending-file.ts';
export { openTensors, type OpenTensors } from './node-tensors.ts';
