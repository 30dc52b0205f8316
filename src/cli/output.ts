/** Writing to stdout and stderr. Data goes to stdout, everything else to stderr. */

/** Writes to stdout and waits until the reader has room again. */
export function writeOut(text: string): Promise<void> {
  return write(process.stdout, text);
}

export function writeError(text: string): Promise<void> {
  return write(process.stderr, text);
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text === '' || stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => stream.once('drain', resolve));
}

/**
 * A reader that closed the pipe (`| head`) ends the process silently. Any other failure to write, such as a full disk,
 * is reported on stderr and exits with 2.
 */
export function guardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    process.stderr.write(`ptxlab: cannot write the output: ${error.code ?? error.message}\n`);
    process.exit(2);
  });
  process.stderr.on('error', () => process.exit(2));
}
