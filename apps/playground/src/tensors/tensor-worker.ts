/** The worker that reads, measures and converts tensor files, so that the page never blocks. */
import { expose } from 'comlink';
import { type Summary, TensorFileError } from 'ptxlab/tensors';
import {
  Bench,
  type Measured,
  type Opened,
  type Outlook,
  type Progress,
  type Refused,
  type Saved,
  type Stopped,
} from './bench.ts';
import { blobSource } from './blob-source.ts';
import { sampleName, sampleSource } from './sample.ts';

const bench = new Bench();

const service = {
  openSample: (): Promise<Opened | Refused> => bench.open(sampleSource(), { name: sampleName }),

  /** If the index of a sharded model is among the files, opens that model; otherwise, opens the first file. */
  async open(files: readonly File[]): Promise<Opened | Refused> {
    const main = files.find(({ name }) => name.endsWith('.index.json')) ?? files[0];
    if (main === undefined) return { kind: 'refused', message: 'No file was chosen.' };
    const beside = (name: string): File | undefined => files.find((file) => file.name === name);
    return bench.open(blobSource(main), {
      name: main.name,
      openBeside: async (name) => {
        const file = beside(name);
        if (file === undefined)
          throw new TensorFileError(
            'not-found',
            `the index refers to ${name}, but this file was not chosen together with the index`,
          );
        return blobSource(file);
      },
      readBeside: async (name) => {
        const file = beside(name);
        return file === undefined ? null : new Uint8Array(await file.arrayBuffer());
      },
    });
  },

  stop: (): void => bench.stop(),
  summarize: (index: number, progress: Progress): Promise<Summary | Refused | Stopped | null> =>
    bench.summarize(index, progress),
  measure: (index: number, recipe: string, progress: Progress): Promise<Measured | Refused | Stopped> =>
    bench.measure(index, recipe, progress),
  outlook: (recipe: string): Outlook | Refused => bench.outlook(recipe),
  save: (recipe: string, progress: Progress): Promise<Saved | Refused | Stopped> => bench.save(recipe, progress),
};

export type TensorService = typeof service;

expose(service);
