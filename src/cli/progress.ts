/** A progress bar on stderr, if stderr is a terminal. */
export interface Progress {
  readonly add: (inputs: number) => void;
  readonly end: () => void;
}

const none: Progress = { add: () => undefined, end: () => undefined };

/** Very short tasks need no progress bar. */
const worthShowing = 2 ** 23;

/** Whether a stream is a terminal on which a line can be redrawn. */
export function canRedraw(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** `total` and the added amounts are numbers of inputs; the rate is in millions a second. */
export async function progressBar(title: string, total: number, quiet: boolean): Promise<Progress> {
  if (quiet || !canRedraw(process.stderr, process.env) || total < worthShowing) return none;
  const { SingleBar, Presets } = await import('cli-progress');
  const options = {
    format: `${title} {bar} {percentage}% {rate} M/s, {eta_formatted} left`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  const start = performance.now();
  let done = 0;
  bar.start(total, 0, { rate: '0' });
  return {
    add: (inputs) => {
      done += inputs;
      bar.update(done, { rate: (done / (performance.now() - start) / 1000).toFixed(0) });
    },
    end: () => bar.stop(),
  };
}
