/**
 * The rules for the contents of a suite of kernel tests. A test is a job of `run` with additional keys for the results
 * that are expected.
 */
import { either, listOf, mapOf, objectOf, oneOf, type Rule, type RulesFor, text, whole } from '../../base/rules.ts';
import { contentsRules, type JobContents, type JobFile, jobRules } from '../run/job-rules.ts';

/** `exactly`, `{"ulps": 2}`, or `{"abs": 1e-6, "rel": 1e-5}`. */
export type TestTolerance = 'exactly' | ToleranceLimits;

export interface ToleranceLimits {
  readonly ulps?: number;
  readonly abs?: number;
  readonly rel?: number;
}

export interface ReferenceContext {
  readonly test: string;
  readonly gpu: string | null;
  readonly target: string | null;
}

/**
 * Computes the expected elements of a buffer from the contents of all buffers before the launches. It returns either a
 * typed array with exactly the expected bytes, or a list of numbers.
 */
export type Reference = (inputs: Readonly<Record<string, ArrayBufferView>>, context: ReferenceContext) => unknown;

/**
 * The expected contents of a buffer or variable. They are specified by exactly one key: `function`, `command`, or one
 * of the keys that specify the contents of a buffer in a job.
 */
export interface Expectation extends JobContents {
  /**
   * A function in a module, as in `reference.mjs#name`. If the suite itself is a module, the value can also be the
   * function itself.
   */
  readonly function?: string | Reference;
  /**
   * A program and its arguments. `{x}` is replaced by the path of a file with the contents of buffer `x`, and `{out}`
   * by the path of the file that the program must write.
   */
  readonly command?: readonly string[];
  /**
   * The type of the elements. By default, it is the type of the expected contents or, if they have no type, the type of
   * the buffer.
   */
  readonly type?: string;
  readonly tolerance?: TestTolerance;
}

type TestJob = Omit<JobFile, 'repeat' | 'gpu' | 'target' | 'read' | 'trace'>;

export interface KernelTest extends TestJob {
  readonly name?: string;
  /**
   * The test runs once for each combination of these GPUs and targets. By default, it runs once, for the module's own
   * target, with the arithmetic of that target.
   */
  readonly gpus?: readonly string[];
  readonly targets?: readonly string[];
  /** Expected contents after the last launch. Each key is the name of a buffer or of a variable of the module. */
  readonly expect?: Readonly<Record<string, Expectation>>;
  /** Everything that the kernels print. */
  readonly prints?: string;
  /** The code of the fault with which the launches are expected to end. */
  readonly fault?: string;
  /** The tolerance for all expectations that do not specify one. Default `exactly`. */
  readonly tolerance?: TestTolerance;
}

/** All keys of the file other than `tests` are defaults for the tests in that list. */
export interface SuiteFile extends Omit<KernelTest, 'name'> {
  /** The URL or path of the JSON schema, which only editors use. */
  readonly $schema?: string;
  readonly tests?: readonly KernelTest[];
}

const reference: Rule<string | Reference> = {
  takes: "a string such as 'reference.mjs#name'",
  accepts: (value) => typeof value === 'string' || typeof value === 'function',
};

const limit: Rule<number> = {
  takes: 'a number that is not negative',
  accepts: (value) => typeof value === 'number' && value >= 0,
};

const tolerance: Rule<TestTolerance> = either(
  oneOf('exactly'),
  objectOf<ToleranceLimits>({ ulps: whole(Number.MAX_SAFE_INTEGER, '2^53 - 1'), abs: limit, rel: limit }),
);

const names = listOf(text, 'a list of names');

const expectation: Rule<Expectation> = objectOf<Expectation>({
  ...contentsRules,
  function: reference,
  command: names,
  type: text,
  tolerance,
});

const { repeat: _repeat, gpu: _gpu, target: _target, read: _read, trace: _trace, ...kept } = jobRules;

const suiteKeys: RulesFor<Omit<KernelTest, 'name'>> = {
  ...kept,
  gpus: names,
  targets: names,
  expect: mapOf(expectation),
  prints: text,
  fault: text,
  tolerance,
};

const test: Rule<KernelTest> = objectOf<KernelTest>({ ...suiteKeys, name: text });

export const suiteRule: Rule<SuiteFile> = objectOf<SuiteFile>({
  ...suiteKeys,
  $schema: text,
  tests: listOf(test, 'a list of tests'),
});
