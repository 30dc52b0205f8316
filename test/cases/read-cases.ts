/** Reads test cases from text: `# Title`, an input, `==>` and the expected output. */

export interface Case {
  readonly title: string;
  readonly input: string;
  readonly expected: string;
}

/**
 * Reads a file of test cases. The first line of the file specifies how each input is turned into complete PTX source;
 * each case has a title, an input and the expected output.
 */
export function readCases(text: string): { readonly frame: string; readonly cases: readonly Case[] } {
  const [first = '', ...rest] = text.split(/^# /m);
  const cases = rest.map((part) => {
    const end = part.indexOf('\n');
    const [input = '', expected = ''] = part.slice(end + 1).split(/^==>\n/m);
    return { title: part.slice(0, end), input: input.trimEnd(), expected: expected.trim() };
  });
  return { frame: first.replace('%%', '').trim(), cases };
}
