/**
 * Generates random modules of functions that call each other. The calls can be direct, through a register, or
 * recursive. Arguments are passed in registers, as constants or in memory. Each module comes with a model: the same
 * functions in JavaScript.
 */

type Model = (depth: number, a: number, b: number) => number;

/** How a function receives its arguments a and b, and how it returns its result. */
type Style = 'memory' | 'registers' | 'structure';

interface Generated {
  readonly source: string;
  /** The value that the kernel stores for a thread. */
  readonly expected: (thread: number) => number;
}

/** The state of a function while it runs: eight variables and four words of local memory. */
interface State {
  readonly x: number[];
  readonly local: number[];
  readonly depth: number;
}

interface Piece {
  readonly text: string;
  readonly run: (state: State) => void;
}

const operations: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ['add.u32', (a, b) => (a + b) >>> 0],
  ['sub.u32', (a, b) => (a - b) >>> 0],
  ['mul.lo.u32', (a, b) => Math.imul(a, b) >>> 0],
  ['xor.b32', (a, b) => (a ^ b) >>> 0],
];

const styles: readonly Style[] = ['memory', 'registers', 'structure'];

class Generator {
  private seed: number;
  private readonly count: number;
  private readonly styles: readonly Style[];
  private readonly models: Model[] = [];
  private labels = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.count = 3 + this.below(4);
    this.styles = Array.from({ length: this.count }, () => this.pick(styles));
  }

  generate(): Generated {
    const names = Array.from({ length: this.count }, (_, i) => i);
    const headers = names.map((i) => `${this.header(i)};`);
    const bodies = names.map((i) => this.body(i));
    const same = names.filter((i) => this.styles[i] === this.styles[0]);
    const table = `.global .u64 table[${same.length}] = {${same.map((i) => `f${i}`).join(', ')}};`;
    const kernel = `.visible .entry k(.param .u64 out) {
      .reg .b32 %x<9>; .reg .b32 %y<3>; .reg .b64 %d<4>; .reg .pred %p; .param .align 4 .b8 pair[8]; .param .b32 value;
      ${this.prototype()}
      mov.u32 %x0, %tid.x; mul.lo.u32 %x1, %x0, 7; rem.u32 %x2, %x0, 3; rem.u32 %x3, %x0, ${same.length};
      mul.wide.u32 %d0, %x3, 8; mov.u64 %d1, table; add.u64 %d0, %d0, %d1; ld.global.u64 %d1, [%d0];
      ${this.call('%d1', this.styles[0] as Style, { to: '%x4', depth: '%x2', a: '%x0', b: '%x1' }, 'P')}
      ld.param.u64 %d2, [out]; mul.wide.u32 %d3, %x0, 4; add.u64 %d2, %d2, %d3; st.global.u32 [%d2], %x4; ret; }`;
    const source = ['.version 8.0', '.target sm_80', '.address_size 64', ...headers, table, ...bodies, kernel].join(
      '\n',
    );
    const model = (thread: number): Model => this.models[same[thread % same.length] as number] as Model;
    return { source, expected: (thread) => model(thread)(thread % 3, thread, Math.imul(thread, 7) >>> 0) };
  }

  // --- functions ------------------------------------------------------------------------------------------------------

  private header(i: number): string {
    switch (this.styles[i]) {
      case 'memory':
        return `.func (.param .b32 r) f${i}(.param .b32 depth, .param .b32 a, .param .b32 b)`;
      case 'registers':
        return `.func (.reg .b32 r) f${i}(.reg .b32 depth, .reg .b32 a, .reg .b32 b)`;
      default:
        return `.func (.param .b32 r) f${i}(.param .b32 depth, .param .align 4 .b8 s[8])`;
    }
  }

  private prototype(): string {
    switch (this.styles[0]) {
      case 'memory':
        return 'P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b32 _);';
      case 'registers':
        return 'P: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b32 _, .reg .b32 _);';
      default:
        return 'P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[8]);';
    }
  }

  private body(i: number): string {
    const style = this.styles[i] as Style;
    const pieces = Array.from({ length: 4 + this.below(5) }, () => this.piece(2));
    const load = {
      memory: 'ld.param.b32 %x0, [depth]; ld.param.b32 %x1, [a]; ld.param.b32 %x2, [b];',
      registers: 'mov.b32 %x0, depth; mov.b32 %x1, a; mov.b32 %x2, b;',
      structure: 'ld.param.b32 %x0, [depth]; ld.param.b32 %x1, [s]; ld.param.b32 %x2, [s+4];',
    }[style];
    const store = style === 'registers' ? 'mov.b32 r, %x1;' : 'st.param.b32 [r], %x1;';
    this.models[i] = (depth, a, b) => {
      const state: State = { x: [depth, a, b, 0, 0, 0, 0, 0], local: [0, 0, 0, 0], depth };
      for (const piece of pieces) piece.run(state);
      return state.x[1] as number;
    };
    return `${this.header(i)} {
      .reg .b32 %x<9>; .reg .b32 %y<3>; .reg .pred %p; .local .align 4 .b8 kept[16]; .param .align 4 .b8 pair[8]; .param .b32 value;
      st.local.b32 [kept], 0; st.local.b32 [kept+4], 0; st.local.b32 [kept+8], 0; st.local.b32 [kept+12], 0;
      ${load}
      ${pieces.map(({ text }) => text).join('\n      ')}
      ${store} ret; }`;
  }

  // --- pieces of a body -----------------------------------------------------------------------------------------------

  private piece(nesting: number): Piece {
    switch (this.below(nesting > 0 ? 6 : 4)) {
      case 0:
      case 1:
        return this.compute();
      case 2:
        return this.remember();
      case 3:
      case 4:
        return this.callPiece();
      default:
        return this.branch(nesting - 1);
    }
  }

  private compute(): Piece {
    const [to, a, b] = [1 + this.below(7), this.below(8), this.below(8)];
    const [name, compute] = this.pick(operations);
    return {
      text: `${name} %x${to}, %x${a}, %x${b};`,
      run: ({ x }) => {
        x[to] = compute(x[a] as number, x[b] as number);
      },
    };
  }

  /** Copies a variable to a word of local memory, or a word of local memory to a variable. */
  private remember(): Piece {
    const [register, word] = [1 + this.below(7), this.below(4)];
    if (this.below(2) === 0) {
      return {
        text: `st.local.b32 [kept+${4 * word}], %x${register};`,
        run: ({ x, local }) => {
          local[word] = x[register] as number;
        },
      };
    }
    return {
      text: `ld.local.b32 %x${register}, [kept+${4 * word}];`,
      run: ({ x, local }) => {
        x[register] = local[word] as number;
      },
    };
  }

  /** Calls any function of the module, as long as the call depth allows it. */
  private callPiece(): Piece {
    const [to, a, b, callee] = [1 + this.below(7), this.below(8), this.below(8), this.below(this.count)];
    const label = `skip${this.labels++}`;
    const call = this.call(
      `f${callee}`,
      this.styles[callee] as Style,
      { to: `%x${to}`, depth: '%y0', a: `%x${a}`, b: `%x${b}` },
      null,
    );
    return {
      text: `setp.eq.u32 %p, %x0, 0; @%p bra ${label}; sub.u32 %y0, %x0, 1; ${call} ${label}:`,
      run: ({ x, depth }) => {
        if (depth === 0) return;
        x[to] = (this.models[callee] as Model)(depth - 1, x[a] as number, x[b] as number);
      },
    };
  }

  private branch(nesting: number): Piece {
    const on = this.below(8);
    const [yes, no] = [this.piece(nesting), this.piece(nesting)];
    const label = this.labels++;
    return {
      text: `and.b32 %y1, %x${on}, 1; setp.eq.u32 %p, %y1, 0; @%p bra else${label}; ${yes.text} bra end${label};
      else${label}: ${no.text} end${label}:`,
      run: (state) => ((state.x[on] as number) % 2 === 1 ? yes : no).run(state),
    };
  }

  /** A call in one of the styles; its result goes either to memory or directly to the register. */
  private call(
    callee: string,
    style: Style,
    { to, depth, a, b }: Readonly<Record<'to' | 'depth' | 'a' | 'b', string>>,
    prototype: string | null,
  ): string {
    const last = prototype === null ? '' : `, ${prototype}`;
    const stored = this.below(2) === 0;
    const [result, load] = stored ? ['value', `ld.param.b32 ${to}, [value];`] : [to, ''];
    const prepare = style === 'structure' ? `st.param.b32 [pair], ${a}; st.param.b32 [pair+4], ${b};` : '';
    const args = style === 'structure' ? `${depth}, pair` : `${depth}, ${a}, ${b}`;
    return `${prepare} call (${result}), ${callee}, (${args})${last}; ${load}`;
  }

  // --- chance ---------------------------------------------------------------------------------------------------------

  private below(limit: number): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.seed / 2 ** 32) * limit);
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Generates the module for a seed; the same seed always produces the same module. */
export function randomCalls(seed: number): Generated {
  return new Generator(seed).generate();
}
