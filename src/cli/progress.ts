/** A progress bar on stderr, if stderr is a terminal. */
import type { Environment, Screen, Session } from './session.ts';

export interface Progress {
  readonly add: (inputs: number) => void;
  readonly end: () => void;
}

const none: Progress = { add: () => undefined, end: () => undefined };

/** A progress bar is shown if there are at least this many inputs. */
const worthShowing = 2 ** 23;

/** Whether a stream is a terminal on which a line can be redrawn. */
export function canRedraw(stream: Screen, env: Environment): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/**
 * `total` and the amounts passed to `add` are numbers of inputs. The rate is shown in millions of inputs per second.
 */
export async function progressBar(
  title: string,
  total: number,
  { stderr, env }: Session,
  quiet: boolean,
): Promise<Progress> {
  if (quiet || !canRedraw(stderr, env) || total < worthShowing) return none;
  const { SingleBar, Presets } = await import('cli-progress');
  const options = {
    format: `${title} {bar} {percentage}% {rate} M/s{left}`,
    stream: stderr,
    clearOnComplete: true,
    hideCursor: true,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  const start = performance.now();
  let done = 0;
  bar.start(total, 0, { rate: '0', left: '' });
  return {
    add: (inputs) => {
      done += inputs;
      const passed = performance.now() - start;
      bar.update(done, { rate: (done / passed / 1000).toFixed(0), left: leftText(done, total, passed) });
    },
    end: () => bar.stop(),
  };
}

/** The number of milliseconds before the first estimate is shown. An earlier estimate would be inaccurate. */
const guessAfter = 1000;

/**
 * The remaining time, such as `, 1m5s left`. Empty if it is too early for an estimate, or if the work is done. `passed`
 * is in milliseconds.
 */
export function leftText(done: number, total: number, passed: number): string {
  if (done === 0 || done >= total || passed < guessAfter) return '';
  const seconds = Math.ceil((passed * (total - done)) / done / 1000);
  return `, ${seconds < 60 ? '' : `${Math.floor(seconds / 60)}m`}${seconds % 60}s left`;
}
