/**
 * Writes a PTX module of about the given size to stdout, for benchmarks. It consists of copies of the kernels in
 * examples/kernels, in which names are made unique. The same size always produces the same text.
 *
 *     tsx test/bench/make-module.ts 10000000 > module.ptx
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const kernels: URL = new URL('../../examples/kernels/', import.meta.url);
const header = '.version 9.0\n.target sm_100a\n.address_size 64\n';

interface Template {
  readonly text: string;
  /** Matches every name that must be different in each copy. */
  readonly names: RegExp;
}

/**
 * Yields the text in pieces: first the header, and then copies of the templates, one template after the other, until
 * the text has at least `bytes` characters.
 */
export function* makeModule(bytes: number): Generator<string> {
  const templates = readTemplates();
  yield header;
  let size = header.length;
  for (let copy = 0; size < bytes; ) {
    for (const template of templates) {
      if (size >= bytes) return;
      const text = template.text.replace(template.names, (name) => `${name}_${copy}`);
      size += text.length;
      copy++;
      yield text;
    }
  }
}

function readTemplates(): readonly Template[] {
  const files = readdirSync(kernels).filter((name) => name.endsWith('.ptx'));
  return files.sort().map((name) => toTemplate(readFileSync(new URL(name, kernels), 'utf8')));
}

/**
 * Turns a module into a template: the text after the module's `.address_size`, together with the names that this text
 * declares.
 */
function toTemplate(source: string): Template {
  const text = source.slice(source.indexOf('\n', source.indexOf('.address_size')) + 1);
  const functions = [...text.matchAll(/\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)/g)];
  const globals = [
    ...text.matchAll(/^\.(?:visible |extern |weak )?\.?(?:global|const|shared)[^;=]*?([\w$]+)(?=\s*[[;=])/gm),
  ];
  const names = [...new Set([...functions, ...globals].map((match) => match[1] ?? ''))];
  const written = names.map((name) => name.replaceAll('$', String.raw`\$`));
  return { text, names: new RegExp(String.raw`(?<![\w$])(?:${written.join('|')})(?![\w$])`, 'g') };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await pipeline(Readable.from(makeModule(Number(process.argv[2] ?? 10_000_000))), process.stdout);
}
