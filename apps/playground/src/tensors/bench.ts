/**
 * The open file: its tensors, their values, and the effects of recipes on them. This code does not use the DOM, so it
 * can be tested without a browser.
 */
import {
  compareFiles,
  convertFile,
  type ByteSource,
  type Container,
  type Model,
  modelOf,
  type ModelTensor,
  openTensorFile,
  type OpenOptions,
  PtxlabError,
  summarizeTensor,
  type Summary,
  type TensorFile,
  TensorFileError,
} from 'ptxlab/tensors';
import type { Recipe } from './recipe-names.ts';
import { containerFor, partOf, planOf, recipeNamed, takesOf } from './recipes.ts';
import { type Scratch, scratchOf } from './scratch.ts';

export interface OpenedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly elements: number;
  /** The number of bytes that the tensor occupies in the file, including its scales. */
  readonly bytes: number;
}

export interface Opened {
  readonly kind: 'opened';
  readonly container: string;
  readonly tensors: readonly OpenedTensor[];
}

/**
 * The response to a request that cannot be carried out because of the file or the recipe; `message` contains the
 * reason.
 */
export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
}

export interface Measured {
  readonly kind: 'measured';
  /** The signal-to-error ratio in decibels; infinite if no element changes. */
  readonly sqnr: number;
  readonly maxAbs: number;
  readonly cosine: number;
  /** The number of bits that the file stores for each element, including its share of the scales. */
  readonly bits: number;
  /**
   * The number of elements that the conversion changes to or from NaN or infinity. Each of these elements is counted
   * once.
   */
  readonly mismatches: number;
}

export interface Saved {
  readonly kind: 'saved';
  readonly blob: Blob;
  readonly name: string;
}

/** What `save` would write. */
export interface Outlook {
  readonly kind: 'outlook';
  readonly container: Container;
  /** The size of the whole file. */
  readonly bytes: number;
  readonly converted: number;
  readonly copied: number;
}

export interface Stopped {
  readonly kind: 'stopped';
}

/** Called with the fraction of the work that is done, from 0 to 1. */
export type Progress = (share: number) => void;

interface Conversion {
  readonly file: TensorFile;
  readonly recipe: Recipe;
  /** If the result is large, it is written to a file with this name in the browser's storage. */
  readonly room: 'measured' | 'saved';
  readonly takes: (name: string) => boolean;
}

export class Bench {
  private model: Model | null = null;
  private file: TensorFile | null = null;
  private name = '';
  private work = new AbortController();
  /** A promise that settles when the most recently started work has ended. */
  private last: Promise<unknown> = Promise.resolve();

  async open(source: ByteSource, options: OpenOptions & { readonly name: string }): Promise<Opened | Refused> {
    try {
      this.file = await openTensorFile(source, options);
      this.model = modelOf(this.file);
      this.name = options.name.replace(/(\.index)?\.[^.]+$/, '');
      const { tensors } = this.model;
      return { kind: 'opened', container: this.file.container, tensors: tensors.map(described) };
    } catch (error) {
      return refusal(error);
    }
  }

  /** Ends the work in progress; the pending request is then answered with `stopped`. */
  stop(): void {
    this.work.abort();
  }

  /** Returns null if the elements of the tensor are not numbers. */
  async summarize(index: number, progress: Progress): Promise<Summary | Refused | Stopped | null> {
    const { model, tensor } = this.at(index);
    return this.limited(async (signal) => {
      const { entry } = tensor;
      return summarizeTensor(model.file, tensor, { signal, progress: sumOf(entry.elements, progress) });
    });
  }

  /** Converts one tensor with a recipe and compares it with the original. */
  async measure(index: number, recipeName: string, progress: Progress): Promise<Measured | Refused | Stopped> {
    const { tensor } = this.at(index);
    return this.limited(async (signal) => {
      const file = partOf(this.opened(), tensor.parts);
      const recipe = recipeNamed(recipeName);
      const conversion = { file, recipe, room: 'measured', takes: () => true } as const;
      const { scratch, size } = await this.converted(conversion, signal, (share) => progress(share / 2));
      try {
        const converted = await openTensorFile(scratch.place, { container: containerFor(recipe, file) });
        const { elements } = tensor.entry;
        const compared = sumOf(elements, (share) => progress(0.5 + share / 2));
        const { pairs } = await compareFiles(file, converted, { signal, worst: 0, progress: compared });
        const outcome = pairs[0]?.outcome;
        if (outcome?.kind !== 'compared') return { kind: 'refused', message: 'The elements are not numbers.' };
        const { sqnr, maxAbs, cosine, nanMismatches, infinityMismatches } = outcome.comparison;
        const bits = elements === 0 ? 0 : (8 * size) / elements;
        return { kind: 'measured', sqnr, maxAbs, cosine, bits, mismatches: nanMismatches + infinityMismatches };
      } finally {
        await scratch.drop();
      }
    });
  }

  outlook(recipeName: string): Outlook | Refused {
    try {
      const [file, recipe] = [this.opened(), recipeNamed(recipeName)];
      const { work, layout } = planOf(file, recipe, takesOf(file, recipe));
      const copied = work.filter(({ kind }) => kind === 'copy').length;
      const container = containerFor(recipe, file);
      return { kind: 'outlook', container, bytes: layout.size, converted: work.length - copied, copied };
    } catch (error) {
      return refusal(error);
    }
  }

  /** Converts the matrices in the file and returns the converted file. */
  async save(recipeName: string, progress: Progress): Promise<Saved | Refused | Stopped> {
    return this.limited(async (signal) => {
      const [file, recipe] = [this.opened(), recipeNamed(recipeName)];
      const conversion = { file, recipe, room: 'saved', takes: takesOf(file, recipe) } as const;
      const { scratch } = await this.converted(conversion, signal, progress);
      const ending = containerFor(recipe, file);
      return {
        kind: 'saved',
        blob: await scratch.finish(),
        name: `${this.name}-${recipeName.replaceAll(' ', '-')}.${ending}`,
      };
    });
  }

  private async converted(
    { file, recipe, room, takes }: Conversion,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<{ readonly scratch: Scratch; readonly size: number }> {
    const plan = planOf(file, recipe, takes);
    // A tensor is copied unchanged if its elements are not floating-point numbers, or if they already have the format
    // that the recipe produces. All other tensors are converted. If every tensor would be copied and none of them has
    // the recipe's format, the recipe cannot be used for this file.
    if (plan.work.every(({ kind, out }) => kind === 'copy' && out.format !== recipe.plain))
      throw new TensorFileError(
        'unsupported',
        'recipes convert only floating-point numbers, but these elements are of another type',
      );
    const scratch = await scratchOf(plan.layout.size, room);
    const total = plan.work.reduce((sum, { entry }) => sum + entry.byteLength, 0);
    const read = sumOf(total, progress);
    try {
      await convertFile(plan, file, scratch.place, { signal, onProgress: (_, bytes) => read(bytes) });
    } catch (error) {
      await scratch.drop();
      throw error;
    }
    return { scratch, size: plan.layout.tensors.reduce((sum, { byteLength }) => sum + byteLength, 0) };
  }

  /** Stops the work in progress, waits until its files are closed, and then starts new work. */
  private limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | Refused | Stopped> {
    this.work.abort();
    this.work = new AbortController();
    const { signal } = this.work;
    const answer = this.last.then(() => answerOf(work, signal));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private opened(): TensorFile {
    if (this.file === null) throw new Error('no file is open');
    return this.file;
  }

  private at(index: number): { readonly model: Model; readonly tensor: ModelTensor } {
    const { model } = this;
    const tensor = model?.tensors[index];
    if (model === null || tensor === undefined) throw new Error(`the file has no tensor ${index}`);
    return { model, tensor };
  }
}

async function answerOf<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T | Refused | Stopped> {
  try {
    if (signal.aborted) return { kind: 'stopped' };
    const answer = await work(signal);
    return signal.aborted ? { kind: 'stopped' } : answer;
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : refusal(error);
  }
}

function described({ entry, parts }: ModelTensor): OpenedTensor {
  const { name, dtype, shape, elements } = entry;
  return { name, dtype, shape, elements, bytes: parts.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/**
 * Returns a function that is called with the amount of work just done. Each call adds the amount to a running sum and
 * reports this sum as a fraction of the total.
 */
function sumOf(total: number, progress: Progress): (count: number) => void {
  let done = 0;
  return (count) => {
    done += count;
    progress(total === 0 ? 1 : Math.min(1, done / total));
  };
}

function refusal(error: unknown): Refused {
  if (!(error instanceof PtxlabError)) throw error;
  const { message } = error;
  return { kind: 'refused', message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` };
}
