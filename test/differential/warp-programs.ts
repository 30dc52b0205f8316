/**
 * Random programs whose threads exchange values through volatile shared memory without synchronizing, and an
 * interpreter that runs each warp of such a program in lockstep, with a mask of active lanes.
 */
import { elementAt } from '../../src/base/element-at.ts';
import { RandomSource } from './random-source.ts';

/** Number of words that a warp shares. */
export const words = 64;
const lanes = 32;
const variables = 3;

/** A function of the lane, the variables of the thread, and the counters of the loops that contain the expression. */
type Expression =
  | { readonly kind: 'lane' }
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'variable'; readonly index: number }
  | { readonly kind: 'counter'; readonly depth: number }
  | { readonly kind: 'apply'; readonly op: keyof typeof operations; readonly a: Expression; readonly b: Expression };

const operations = {
  add: (a: number, b: number) => (a + b) | 0,
  sub: (a: number, b: number) => (a - b) | 0,
  xor: (a: number, b: number) => a ^ b,
  and: (a: number, b: number) => a & b,
} as const;

type Statement =
  /** Loads and stores access the word whose index is given by the lowest bits of `at`. */
  | { readonly kind: 'load'; readonly variable: number; readonly at: Expression }
  | { readonly kind: 'store'; readonly at: Expression; readonly value: Expression }
  | { readonly kind: 'set'; readonly variable: number; readonly value: Expression }
  /**
   * Runs `yes` in the lanes in which `condition & mask` is not 0, and `no` in the other lanes. Only `yes` accesses
   * memory, because GPUs may run the two branches in either order.
   */
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly mask: number;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[];
    }
  /**
   * Repeats the body. The number of rounds is given by the three lowest bits of `times`, which each thread reads before
   * the loop. There is one more round if the loop tests its condition at the end.
   */
  | {
      readonly kind: 'loop';
      readonly times: Expression;
      readonly testsAtEnd: boolean;
      readonly body: readonly Statement[];
    }
  /** Begins the next round of the innermost loop in the lanes in which `condition & mask` is not 0. */
  | { readonly kind: 'continue'; readonly condition: Expression; readonly mask: number };

export type WarpProgram = readonly Statement[];

export function randomWarpProgram(seed: number): WarpProgram {
  return new Generator(new RandomSource(seed)).statements(8, 0);
}

class Generator {
  private readonly random: RandomSource;

  constructor(random: RandomSource) {
    this.random = random;
  }

  statements(count: number, depth: number): readonly Statement[] {
    return Array.from({ length: 1 + this.random.below(count) }, () => this.statement(depth));
  }

  private statement(depth: number): Statement {
    const { random } = this;
    const choice = random.below(depth < 3 ? 10 : 7);
    const variable = random.below(variables);
    if (choice < 3) return { kind: 'load', variable, at: this.expression(depth, 2) };
    if (choice < 6) return { kind: 'store', at: this.expression(depth, 2), value: this.expression(depth, 2) };
    if (choice < 7) return this.setting(depth);
    if (choice < 9) {
      const yes = this.statements(3, depth + 1);
      const no = random.below(2) === 0 ? [] : [this.setting(depth)];
      return { kind: 'if', condition: this.expression(depth, 1), mask: 1 << random.below(5), yes, no };
    }
    const skipping: readonly Statement[] =
      random.below(3) === 0
        ? [{ kind: 'continue', condition: this.expression(depth + 1, 1), mask: 1 << random.below(5) }]
        : [];
    const body = [...this.statements(2, depth + 1), ...skipping, ...this.statements(2, depth + 1)];
    return { kind: 'loop', times: this.expression(depth, 1), testsAtEnd: random.below(2) === 0, body };
  }

  private setting(depth: number): Statement {
    return { kind: 'set', variable: this.random.below(variables), value: this.expression(depth, 2) };
  }

  private expression(depth: number, size: number): Expression {
    const { random } = this;
    const choice = random.below(size > 0 ? 8 : 5);
    if (choice < 2) return { kind: 'lane' };
    if (choice < 3) return { kind: 'constant', value: random.below(words) };
    if (choice < 4) return { kind: 'variable', index: random.below(variables) };
    if (choice < 5) return depth === 0 ? { kind: 'lane' } : { kind: 'counter', depth: random.below(depth) };
    const op = random.pick(['add', 'sub', 'xor', 'and'] as const);
    return { kind: 'apply', op, a: this.expression(depth, size - 1), b: this.expression(depth, size - 1) };
  }
}

// --- lockstep -------------------------------------------------------------------------------------------------------

interface Lane {
  readonly lane: number;
  readonly variables: number[];
  /** The loop counters, indexed by nesting depth. */
  readonly counters: number[];
}

/** Runs one warp of the program in lockstep and returns the words that it shares. */
export function runInLockstep(program: WarpProgram): readonly number[] {
  const shared = new Array<number>(words).fill(0);
  const all = Array.from(
    { length: lanes },
    (_, lane): Lane => ({ lane, variables: [lane, 0, 1], counters: [0, 0, 0] }),
  );
  runAll(program, all, shared, 0);
  return shared.map((word) => word >>> 0);
}

function runAll(statements: readonly Statement[], all: readonly Lane[], shared: number[], depth: number): void {
  let active = all;
  for (const statement of statements) {
    if (active.length === 0) return;
    if (statement.kind !== 'continue') run(statement, active, shared, depth);
    else active = active.filter((one) => (valueOf(statement.condition, one) & statement.mask) === 0);
  }
}

function run(
  statement: Exclude<Statement, { kind: 'continue' }>,
  active: readonly Lane[],
  shared: number[],
  depth: number,
): void {
  switch (statement.kind) {
    case 'load':
      for (const one of active)
        one.variables[statement.variable] = elementAt(shared, valueOf(statement.at, one) & (words - 1));
      break;
    case 'store':
      for (const one of active) shared[valueOf(statement.at, one) & (words - 1)] = valueOf(statement.value, one);
      break;
    case 'set':
      for (const one of active) one.variables[statement.variable] = valueOf(statement.value, one);
      break;
    case 'if': {
      const holds = (one: Lane): boolean => (valueOf(statement.condition, one) & statement.mask) !== 0;
      const [yes, no] = [active.filter(holds), active.filter((one) => !holds(one))];
      runAll(statement.yes, yes, shared, depth + 1);
      runAll(statement.no, no, shared, depth + 1);
      break;
    }
    case 'loop': {
      const more = statement.testsAtEnd ? 1 : 0;
      const times = new Map(active.map((one) => [one, (valueOf(statement.times, one) & 7) + more]));
      for (let round = 0; ; round++) {
        const left = active.filter((one) => round < (times.get(one) ?? 0));
        for (const one of active) one.counters[depth] = Math.min(round, times.get(one) ?? 0);
        if (left.length === 0) break;
        runAll(statement.body, left, shared, depth + 1);
      }
      break;
    }
  }
}

function valueOf(expression: Expression, one: Lane): number {
  switch (expression.kind) {
    case 'lane':
      return one.lane;
    case 'constant':
      return expression.value;
    case 'variable':
      return elementAt(one.variables, expression.index);
    case 'counter':
      return elementAt(one.counters, expression.depth);
    case 'apply':
      return operations[expression.op](valueOf(expression.a, one), valueOf(expression.b, one));
  }
}

// --- PTX ------------------------------------------------------------------------------------------------------------

/**
 * Returns the module of a program; `order` is the modifier of its loads and stores. Each warp has `words` words of its
 * own, and copies them to `out` at the end.
 */
export function moduleOfWarps(program: WarpProgram, order = '.volatile'): string {
  const lines: string[] = [];
  const writer = new Writer(lines, order);
  writer.all(program, 0);
  return `.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred %p<${writer.predicates + 1}>; .reg .b32 %t<${writer.temporaries + 1}>; .reg .b32 %v<${variables}>;
  .reg .b32 %c<3>; .reg .b32 %n<3>; .reg .b32 %lane; .reg .b32 %warp; .reg .b32 %base; .reg .b32 %at; .reg .b32 %w;
  .reg .b64 %out; .reg .b64 %far;
  .shared .align 4 .b8 s[${words * 4 * 4}];
  ld.param.u64 %out, [out];
  mov.u32 %lane, %tid.x; shr.u32 %warp, %lane, 5; and.b32 %lane, %lane, 31;
  mov.u32 %base, s; mad.lo.u32 %base, %warp, ${words * 4}, %base;
  mad.lo.u32 %at, %lane, 4, %base; mov.u32 %w, 0; st.shared.u32 [%at], %w; st.shared.u32 [%at+128], %w;
  mov.u32 %v0, %lane; mov.u32 %v1, 0; mov.u32 %v2, 1; mov.u32 %c0, 0; mov.u32 %c1, 0; mov.u32 %c2, 0;
  bar.sync 0;
${lines.map((line) => `  ${line}`).join('\n')}
  bar.sync 0;
  mov.u32 %at, %tid.x; mul.wide.u32 %far, %at, 4; add.u64 %out, %out, %far;
  mad.lo.u32 %at, %lane, 4, %base; ld.shared.u32 %w, [%at];
  mov.u32 %t0, %tid.x; and.b32 %t0, %t0, -32; mul.wide.u32 %far, %t0, 4; add.u64 %out, %out, %far;
  st.global.u32 [%out], %w; ld.shared.u32 %w, [%at+128]; st.global.u32 [%out+128], %w;
  ret;
}
`;
}

class Writer {
  predicates = 0;
  temporaries = 0;
  private labels = 0;
  /**
   * For each loop that contains the current statement, the lines that begin its next round. The innermost loop is last.
   */
  private readonly repeats: (readonly string[])[] = [];
  private readonly lines: string[];
  private readonly order: string;

  constructor(lines: string[], order: string) {
    this.lines = lines;
    this.order = order;
  }

  all(statements: readonly Statement[], depth: number): void {
    for (const statement of statements) this.statement(statement, depth);
  }

  private statement(statement: Statement, depth: number): void {
    switch (statement.kind) {
      case 'load':
        this.put(`ld${this.order}.shared.u32 %v${statement.variable}, [${this.address(statement.at)}];`);
        break;
      case 'store': {
        const value = this.value(statement.value);
        this.put(`st${this.order}.shared.u32 [${this.address(statement.at)}], ${value};`);
        break;
      }
      case 'set':
        this.put(`mov.u32 %v${statement.variable}, ${this.value(statement.value)};`);
        break;
      case 'if': {
        const [no, end] = [this.label(), this.label()];
        const bits = this.temporary();
        this.put(`and.b32 ${bits}, ${this.value(statement.condition)}, ${statement.mask};`);
        this.branchIf(`eq.u32`, bits, '0', no);
        this.all(statement.yes, depth + 1);
        this.put(`bra ${end};`, `${no}:`);
        this.all(statement.no, depth + 1);
        this.put(`${end}:`);
        break;
      }
      case 'loop': {
        const [start, end] = [this.label(), this.label()];
        this.put(`and.b32 %n${depth}, ${this.value(statement.times)}, 7;`, `mov.u32 %c${depth}, 0;`, `${start}:`);
        if (!statement.testsAtEnd) this.branchIf('ge.u32', `%c${depth}`, `%n${depth}`, end);
        const next = `add.u32 %c${depth}, %c${depth}, 1;`;
        const test = this.label();
        this.repeats.push(statement.testsAtEnd ? [`bra ${test};`] : [next, `bra ${start};`]);
        this.all(statement.body, depth + 1);
        this.repeats.pop();
        this.put(`${test}:`, next);
        if (statement.testsAtEnd) this.branchIf('le.u32', `%c${depth}`, `%n${depth}`, start);
        else this.put(`bra ${start};`);
        this.put(`${end}:`);
        break;
      }
      case 'continue': {
        const [bits, stay] = [this.temporary(), this.label()];
        this.put(`and.b32 ${bits}, ${this.value(statement.condition)}, ${statement.mask};`);
        this.branchIf('eq.u32', bits, '0', stay);
        this.put(...(this.repeats.at(-1) ?? []));
        this.put(`${stay}:`);
        break;
      }
    }
  }

  private branchIf(comparison: string, a: string, b: string, label: string): void {
    const predicate = `%p${this.predicates++}`;
    this.put(`setp.${comparison} ${predicate}, ${a}, ${b};`, `@${predicate} bra ${label};`);
  }

  private address(at: Expression): string {
    const [index, address] = [this.temporary(), this.temporary()];
    this.put(`and.b32 ${index}, ${this.value(at)}, ${words - 1};`, `mad.lo.u32 ${address}, ${index}, 4, %base;`);
    return address;
  }

  /** Computes an expression and returns the register that holds it. */
  private value(expression: Expression): string {
    switch (expression.kind) {
      case 'lane':
        return '%lane';
      case 'variable':
        return `%v${expression.index}`;
      case 'counter':
        return `%c${expression.depth}`;
      case 'constant': {
        const to = this.temporary();
        this.put(`mov.u32 ${to}, ${expression.value};`);
        return to;
      }
      case 'apply': {
        const [a, b, to] = [this.value(expression.a), this.value(expression.b), this.temporary()];
        const type = expression.op === 'add' || expression.op === 'sub' ? 'u32' : 'b32';
        this.put(`${expression.op}.${type} ${to}, ${a}, ${b};`);
        return to;
      }
    }
  }

  private temporary(): string {
    return `%t${++this.temporaries}`;
  }

  private label(): string {
    return `L${this.labels++}`;
  }

  private put(...lines: readonly string[]): void {
    this.lines.push(...lines);
  }
}
