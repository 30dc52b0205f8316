/**
 * Measures how long it takes to open a document of 300,000 lines and to check it again after an edit, and how much
 * memory is needed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Document } from '../../src/analysis/document.ts';
import { check } from '../../src/check/check.ts';
import type { Row } from './run-kernels.ts';

const folder = new URL('../kernels/cuda/', import.meta.url);
const source = new URL('integers.sm_90_debug.ptx', folder);
const script = fileURLToPath(import.meta.url);
const lines = 300_000;
const edits = 40;
const functions = 3_000;

interface Shape {
  readonly what: string;
  readonly text: string;
}

/**
 * Returns two documents with different structures. One has a single large kernel, made by repeating the lines of a
 * kernel that nvcc compiled for debugging; the other has many kernels.
 */
function shapes(): readonly Shape[] {
  const text = readFileSync(source, 'latin1').replace(', debug', '');
  const start = text.indexOf('.visible .entry');
  const open = text.indexOf('{', start) + 1;
  const close = text.indexOf('\n}', open);
  const [header, head, body] = [text.slice(0, start), text.slice(start, open), text.slice(open, close)];
  const declared = body.indexOf('.loc');
  const code = body.slice(declared).replaceAll('\nret;', '\n');
  const copies = Math.ceil(lines / code.split('\n').length);
  const one = Array.from({ length: copies }, (_, i) => code.replaceAll('$L__', `$L${i}__`));
  return [
    { what: 'as one function', text: `${header}${head}${body.slice(0, declared)}${one.join('\n')}\n}\n` },
    { what: `as ${functions} functions`, text: manyFunctions() },
  ];
}

/**
 * Returns a document made of copies of example kernels. Only kernels that have about 100 lines and need no other
 * declarations are used.
 */
function manyFunctions(): string {
  const header = '.version 9.0\n.target sm_90\n.address_size 64\n';
  const kernels = readdirSync(folder)
    .filter((name) => name.endsWith('.ptx'))
    .flatMap((name) => readFileSync(new URL(name, folder), 'latin1').match(/^\.visible \.entry[^]*?^}\n/gm) ?? [])
    .filter((kernel) => Math.abs(kernel.split('\n').length - 100) < 12)
    .filter((kernel) => check(header + kernel).diagnostics.length === 0);
  const copies = Array.from({ length: functions }, (_, i) =>
    (kernels[i % kernels.length] as string).replace(/(\.entry \w+)/, `$1_${i}`),
  );
  return header + copies.join('');
}

interface Times {
  readonly cpu: number;
  readonly wall: number;
}

function timed(work: () => void): Times {
  const started = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - started };
}

function timesText({ cpu, wall }: Times): string {
  return `${wall.toFixed(1)} ms, ${cpu.toFixed(1)} ms of CPU time`;
}

function slowest(times: readonly Times[], share: number): Times {
  const sorted = times.toSorted((a, b) => a.wall - b.wall);
  return sorted[Math.floor((sorted.length - 1) * share)] as Times;
}

/** Inserts a line and removes it again, at positions that are spread over the whole text. */
function editTimes(document: Document, inserted: string): readonly Times[] {
  return Array.from({ length: edits }, (_, i) => {
    const { line } = document.position(Math.floor((document.length * (((i * 37) % edits) + 0.5)) / edits));
    const start = document.offset({ line, column: 1 });
    const times = timed(() => {
      document.edit(start, start, inserted);
      document.diagnostics();
    });
    document.edit(start, start + inserted.length, '');
    document.diagnostics();
    return times;
  });
}

/** Measures each document in a process of its own. */
export function documentRows(): readonly Row[] {
  return shapes().flatMap((_, i): readonly Row[] => {
    const run = spawnSync(process.execPath, ['--import', 'tsx', script, String(i)], { encoding: 'utf8' });
    return JSON.parse(run.stdout) as readonly Row[];
  });
}

function rowsOf(shape: Shape): readonly Row[] {
  let document = new Document('');
  const opened = timed(() => {
    document = new Document(shape.text);
    document.diagnostics();
  });
  const count = shape.text.split('\n').length;
  const rows: Row[] = [{ what: `open ${count} lines ${shape.what}`, figure: timesText(opened), beside: 'limit 2 s' }];
  const typed = {
    'an instruction': '\tadd.s32 %r1, %r2, %r3;\n',
    'a label': '$Lnew:\n',
    'a register': '.reg .b32 %zz;\n',
  };
  for (const [what, inserted] of Object.entries(typed)) {
    editTimes(document, inserted);
    const times = editTimes(document, inserted);
    const beside = `limit 15 ms; 95% within ${timesText(slowest(times, 0.95))}`;
    rows.push({ what: `type ${what}, median of ${edits} places`, figure: timesText(slowest(times, 0.5)), beside });
  }
  const { maxRSS } = process.resourceUsage();
  const checked = timed(() => check(shape.text));
  return [
    ...rows,
    { what: 'peak memory of that process', figure: `${(maxRSS / 1024).toFixed(0)} MiB`, beside: 'limit 500 MB' },
    { what: 'check of the same text', figure: timesText(checked), beside: 'after these edits' },
  ];
}

const index = process.argv[1] === script ? process.argv[2] : undefined;
const chosen = index === undefined ? undefined : shapes()[Number(index)];
if (chosen !== undefined) console.log(JSON.stringify(rowsOf(chosen)));
