/** `ptxlab graph`: the control flow of a function as SVG. */
import { demangle, Document, flowGraphSvg } from '../analysis.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { displayName, readInput } from './io.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';

/** If no name is given, the module must have only one function. */
export async function graphCommand(file: string, name: string | undefined, session: Session): Promise<ExitCode> {
  const { stdout, stderr } = session;
  const text = await readInput(file, session);
  if (!text.ok) {
    await write(stderr, `ptxlab: ${text.error}\n`);
    return 2;
  }
  const document = new Document(text.value);
  const functions = document.functions();
  const found = functions.filter((one) => name === undefined || one.name === name || demangle(one.name) === name);
  const [only, another] = found;
  const known = functions.map((one) => one.name).join(', ');
  if (only === undefined && name !== undefined)
    throw new UsageError(`${displayName(file)} has no function '${name}': ${known}`);
  if (only === undefined) throw new UsageError(`${displayName(file)} has no function with a body`);
  if (another !== undefined) throw new UsageError(`graph needs the name of a function; the file has ${known}`);
  const view = document.functionAt(only.selection.start);
  if (view === null)
    throw new UsageError(
      `the function '${only.name}' cannot be drawn: it has syntax errors or too many branch targets`,
    );
  await write(stdout, flowGraphSvg(view.flowGraph(), demangle(only.name) ?? only.name));
  return 0;
}
