/**
 * Measures how the work grows with the size of a text. For each shape, it measures the CPU time for checking and
 * loading the text, for launching its kernel, and for the requests that editors make about the text. Each time is
 * measured at one size and at 16 times that size. Times that grow more than the limit allows are measured again at the
 * end, each in a process of its own. Garbage and code from earlier measurements might otherwise slow down the work,
 * especially on the larger input. Exits with 1 if the time of some work still grows too much.
 *
 * tsx test/fuzz/growth.ts [--only PARTS OF NAMES] [--phase PARTS] [--seconds TIMEOUT PER MEASUREMENT] [--limit RATIO]
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PtxlabError } from '../../src/device.ts';
import { type Phase, phases } from './growth-phases.ts';
import { fresh, registers, type Shape, shapes } from './growth-shapes.ts';

const factor = 16;

/** The CPU time in milliseconds, and the outcome of the work. */
interface Figure {
  readonly time: number;
  readonly outcome: string;
}

let runs = 0;

/**
 * The text with an additional condition, which is never true and is different in each run. Without it, the compiled
 * kernel would come from a cache, because kernels are cached by their text, and V8 caches the code of WebAssembly
 * modules by their bytes. Unknown words are different in each run, too, because advice on them is cached.
 */
function varied(text: string, run: number): string {
  const test = `mov.u32 %r7, %tid.x; setp.eq.u32 %p3, %r7, ${100_000 + run}; @%p3 trap;`;
  const named = text.replaceAll(fresh, `w${run}`);
  return `${named.replace(registers, (declared) => `${declared} ${test}`)}// ${run}`;
}

async function figureOf(phase: Phase, shape: Shape, size: number): Promise<Figure> {
  const text = varied(shape.text(size), runs++);
  const before = process.cpuUsage();
  const outcome = await outcomeOf(phase, text, shape);
  const { user, system } = process.cpuUsage(before);
  return { time: (user + system) / 1000, outcome };
}

async function outcomeOf(phase: Phase, text: string, shape: Shape): Promise<string> {
  try {
    return await phase(text, shape);
  } catch (error) {
    return error instanceof PtxlabError ? error.code : String(error).slice(0, 60);
  }
}

interface Line {
  readonly shape: string;
  readonly size: number;
  readonly phase: string;
  readonly small: Figure;
  readonly large: Figure;
}

/**
 * Duration of the warm-up, in milliseconds, in a process that performs only one measurement. During the warm-up, V8
 * optimizes the code.
 */
const warmUp = 1000;

/**
 * Returns the mean time of several runs. There are at least two warm-up runs, which are not counted, followed by enough
 * runs for the total time to be measurable.
 */
async function meanFigure(phase: Phase, shape: Shape): Promise<Figure> {
  const begun = performance.now();
  for (let i = 0; i < 2 || (values.alone && performance.now() - begun < warmUp); i++) {
    await figureOf(phase, shape, shape.size);
  }
  const figures = [await figureOf(phase, shape, shape.size)];
  const total = (): number => figures.reduce((sum, { time }) => sum + time, 0);
  while (total() < 60) figures.push(await figureOf(phase, shape, shape.size));
  return { time: total() / figures.length, outcome: figures[0]?.outcome ?? '' };
}

/**
 * The shortest time of several runs, or the time of the first run if it is short enough. The shortest time is used
 * because garbage collection and other processes can only make a run slower.
 */
async function leastFigure(phase: Phase, shape: Shape, enough: number): Promise<Figure> {
  const size = shape.size * factor;
  let least = await figureOf(phase, shape, size);
  for (let i = 0; i < 2 && least.time > enough && least.time < 5000; i++) {
    const again = await figureOf(phase, shape, size);
    if (again.time < least.time) least = again;
  }
  return least;
}

/**
 * Prints a line for each phase of a shape. It is called in a separate process, so that a measurement that takes too
 * long can be killed.
 */
async function measure(shape: Shape): Promise<void> {
  for (const [phase, run] of Object.entries(phases)) {
    if (!wanted(values.phase, phase)) continue;
    let line = await lineOf(phase, run, shape);
    // Other processes disturb only some of the measurements, so real growth exceeds the limit every time.
    for (let i = 0; i < 2 && isTooMuch(line); i++) {
      const again = await lineOf(phase, run, shape);
      if (ratioOf(again) < ratioOf(line)) line = again;
    }
    console.log(JSON.stringify(line));
  }
}

async function lineOf(phase: string, run: Phase, shape: Shape): Promise<Line> {
  const small = await meanFigure(run, shape);
  const large = await leastFigure(run, shape, Math.max(100, Number(values.limit) * small.time));
  return { shape: shape.name, size: shape.size * factor, phase, small, large };
}

function ratioOf({ small, large }: Line): number {
  return large.time / small.time;
}

/** Whether the time grows too much. The result is false for times that are too short to be measured reliably. */
function isTooMuch(line: Line): boolean {
  return ratioOf(line) > Number(values.limit) && line.large.time > 100;
}

const marks = { figures: 0, marked: 0 };

function print(line: Line): void {
  const { shape, size, phase, small, large } = line;
  const times = `${small.time.toFixed(0).padStart(6)} ms ${large.time.toFixed(0).padStart(7)} ms  x ${ratioOf(line).toFixed(1).padStart(5)}`;
  const text = `${shape.padEnd(40)} ${String(size).padStart(8)} ${phase.padEnd(7)} ${times}  ${large.outcome}`;
  console.log(isTooMuch(line) ? `${text} <--` : text);
}

/** What a process measures: all shapes starting at the index `first`, or only one phase of the shape at this index. */
interface Task {
  readonly first: number;
  readonly phase: string | null;
}

/**
 * Measures shapes in another process. Returns the number of shapes that have been measured. If the process ended or was
 * killed before it completed all shapes, the shape at which it stopped is counted, too.
 */
async function measureFrom(
  { first, phase }: Task,
  chosen: readonly Shape[],
  take: (line: Line) => void,
): Promise<number> {
  const args = [
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    '--child',
    String(first),
    '--only',
    values.only,
    '--phase',
    phase ?? values.phase,
    '--limit',
    values.limit,
    ...(phase === null ? [] : ['--alone']),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const left = chosen.slice(first, phase === null ? undefined : first + 1);
  let done = 0;
  let last = 'start';
  const patience = (): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), 1000 * Number(values.seconds));
  let timer = patience();
  for await (const text of createInterface({ input: child.stdout })) {
    clearTimeout(timer);
    timer = patience();
    if (text === 'done') {
      done++;
      last = 'start';
      continue;
    }
    const line = JSON.parse(text) as Line;
    last = line.phase;
    print(line);
    take(line);
  }
  clearTimeout(timer);
  const open = left[done];
  if (open === undefined) return done;
  marks.figures++;
  marks.marked++;
  console.log(`${open.name.padEnd(40)} ${String(open.size * factor).padStart(8)} ended after ${last} <--`);
  return done + 1;
}

const { values } = parseArgs({
  options: {
    child: { type: 'string' },
    only: { type: 'string', default: '' },
    phase: { type: 'string', default: '' },
    seconds: { type: 'string', default: '60' },
    limit: { type: 'string', default: '20' },
    alone: { type: 'boolean', default: false },
  },
});

function wanted(parts: string, name: string): boolean {
  return parts.split(',').some((part) => name.includes(part));
}

const chosen = shapes.filter(({ name }) => wanted(values.only, name));

async function measureAll(): Promise<void> {
  /** Times that grew too much, but were measured in a process that had already measured other work. */
  const doubtful: Line[] = [];
  const first = (line: Line): void => {
    marks.figures++;
    if (isTooMuch(line)) doubtful.push(line);
  };
  for (let at = 0; at < chosen.length; ) at += await measureFrom({ first: at, phase: null }, chosen, first);
  if (doubtful.length > 0) console.log('measured again, each alone:');
  for (const { shape, phase } of doubtful) {
    const index = chosen.findIndex(({ name }) => name === shape);
    await measureFrom({ first: index, phase }, chosen, (line) => {
      if (isTooMuch(line)) marks.marked++;
    });
  }
  console.log(`${marks.marked} of ${marks.figures} times grew more than ${values.limit} times`);
  if (marks.marked > 0 || marks.figures === 0) process.exitCode = 1;
}

if (values.child === undefined) await measureAll();
else {
  const start = Number(values.child);
  for (const shape of chosen.slice(start, values.alone ? start + 1 : undefined)) {
    await measure(shape);
    console.log('done');
  }
}
