/** Writes test reports in JUnit's XML format, which Jenkins, GitLab and other systems can read. */

export interface JUnitSuite {
  readonly name: string;
  readonly cases: readonly JUnitCase[];
}

export interface JUnitCase {
  readonly name: string;
  /** Programs that read the report group the test cases by this name. ptxlab uses the name of the file. */
  readonly classname: string;
  readonly seconds: number;
  readonly problem: JUnitProblem | null;
  /** Lines of output that are not part of a failure's description. */
  readonly output: readonly string[];
}

export interface JUnitProblem {
  readonly kind: 'failed' | 'error';
  /** The first line is the summary. */
  readonly lines: readonly string[];
}

export function renderJUnit(suites: readonly JUnitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'ptxlab', ...totals(all) })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines({ name, cases }: JUnitSuite): readonly string[] {
  return [`  <testsuite${attributes({ name, ...totals(cases) })}>`, ...cases.flatMap(caseLines), '  </testsuite>'];
}

function caseLines({ name, classname, seconds, problem, output }: JUnitCase): readonly string[] {
  const open = `    <testcase${attributes({ name, classname, time: seconds.toFixed(3) })}`;
  if (problem === null && output.length === 0) return [`${open}/>`];
  const lines = [`${open}>`];
  if (problem !== null) {
    const tag = problem.kind === 'error' ? 'error' : 'failure';
    const text = escaped(problem.lines.join('\n'));
    lines.push(`      <${tag}${attributes({ message: problem.lines[0] ?? '' })}>${text}</${tag}>`);
  }
  if (output.length > 0) lines.push(`      <system-out>${escaped(output.join('\n'))}</system-out>`);
  return [...lines, '    </testcase>'];
}

function totals(cases: readonly JUnitCase[]): Readonly<Record<string, string>> {
  const count = (kind: JUnitProblem['kind']): string =>
    String(cases.filter(({ problem }) => problem?.kind === kind).length);
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  return { tests: String(cases.length), failures: count('failed'), errors: count('error'), time: seconds.toFixed(3) };
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll('\n', '&#10;')}"`)
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// oxlint-disable-next-line no-control-regex -- XML cannot contain these characters, even escaped
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Escapes text for XML, and replaces the characters that XML 1.0 cannot contain. */
function escaped(text: string): string {
  return text.replace(notXml, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
