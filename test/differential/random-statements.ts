/**
 * Generates the statements of random kernels, which form a tree. If a statement is removed, the remaining statements
 * still form a kernel that terminates.
 */
import { registers } from './random-instructions.ts';
import type { RandomSource } from './random-source.ts';

export interface Statement {
  readonly before: readonly string[];
  readonly body: readonly Statement[];
  readonly after: readonly string[];
  /**
   * If true, this statement must not be removed, for example because other statements jump into it. The statements in
   * its body may still be removed.
   */
  readonly fixed?: boolean;
}

interface Sources {
  /** Generates an instruction that only reads and writes registers. */
  readonly instruction: () => string;
  /** Generates an instruction that the threads in the mask `members` execute together. */
  readonly collective: (members: string) => string;
  /** True if all threads reach this point, so that barriers and collective instructions may be used. */
  readonly meets: boolean;
  /** True if threads never wait for each other in this kernel, so that a thread may exit anywhere. */
  readonly exits: boolean;
  /** Whether the kernel has allocated tensor memory. */
  readonly usesTensorMemory: boolean;
  /** Functions that may be called. */
  readonly callees: readonly Callee[];
}

export interface Callee {
  readonly name: string;
  /** Whether parameters and results are in `.param` rather than in registers. */
  readonly inMemory: boolean;
  /** Whether the function contains barriers or collective instructions. */
  readonly meets: boolean;
}

/** The state space and address of a load or store, and the lines that compute the address. */
interface Place {
  readonly lines: readonly string[];
  readonly space: string;
  readonly address: string;
}

/** After a thread has entered this many blocks in a group of blocks that jump to each other, it leaves the group. */
const mostJumps = 6;

const plain = (...lines: readonly string[]): Statement => ({ before: lines, body: [], after: [] });

export class StatementMaker {
  private readonly random: RandomSource;
  private readonly sources: Sources;
  private labels = 0;
  private counters = 0;

  constructor(random: RandomSource, sources: Sources) {
    this.random = random;
    this.sources = sources;
  }

  body(count: number): readonly Statement[] {
    return this.list(count, 0, this.sources.meets);
  }

  /**
   * Generates a list of statements. If `together` is true, all threads of the block execute the list the same number of
   * times.
   */
  private list(count: number, depth: number, together: boolean): readonly Statement[] {
    return Array.from({ length: count }, () => this.statement(depth, together));
  }

  private statement(depth: number, together: boolean): Statement {
    const { random } = this;
    const choices: (readonly [weight: number, make: () => Statement])[] = [
      [12, () => this.straight()],
      [3, () => this.memory()],
      [1, () => this.special()],
      [0.5, () => this.texture()],
      [1, () => this.carryChain()],
      [2, () => this.alike()],
      [2, () => this.atomic()],
      [depth < 3 ? 1 : 0, () => this.group()],
      [this.sources.exits ? 0.4 : 0, () => plain(`${this.guard()}exit;`)],
    ];
    const callees = this.sources.callees.filter(({ meets }) => together || !meets);
    if (callees.length > 0) choices.push([2, () => this.call(random.pick(callees))]);
    if (depth < 3) {
      choices.push([2, () => this.branch(depth)], [1, () => this.loop(depth, together)], [1, () => this.jumps(depth)]);
    }
    if (together) {
      const collective = (): Statement => plain(this.sources.collective('-1'));
      choices.push([1, () => this.barrier()]);
      choices.push([2, () => this.exchange()], [1, () => this.uniformBranch(depth)], [3, collective]);
      choices.push([1, () => this.tiles()], [1, () => this.apartAlike()]);
      if (this.sources.usesTensorMemory) choices.push([1, () => this.tensorMemory()]);
    }
    let at = random.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) {
      at -= weight;
      if (at < 0) return make();
    }
    return this.straight();
  }

  private straight(): Statement {
    return plain(`${this.random.percent(20) ? this.guard() : ''}${this.sources.instruction()}`);
  }

  /**
   * An instruction that uses registers whose values are computed only from constants. Such a register has the same
   * value in all threads that have taken the same path.
   */
  private alike(): Statement {
    const { random } = this;
    const alike = (): string => `%u${random.below(4)}`;
    const register = this.register(32);
    switch (random.below(4)) {
      case 0:
        return plain(`mad.lo.u32 ${alike()}, ${alike()}, ${random.below(9)}, ${random.below(99)};`);
      case 1:
        return plain(`mov.u32 ${alike()}, ${random.below(99)};`);
      case 2:
        return plain(
          `setp.lt.u32 %q, ${alike()}, ${random.below(99)}; @%q xor.b32 ${register}, ${register}, ${alike()};`,
        );
      default:
        return plain(
          `and.b32 %at, ${alike()}, 28; cvt.u64.u32 %wide, %at; mov.u64 %generic, constants;`,
          `add.u64 %wide, %wide, %generic; ld.const.b32 ${register}, [%wide];`,
        );
    }
  }

  private guard(): string {
    return `@${this.random.percent(50) ? '' : '!'}${this.register(1)} `;
  }

  private register(width: number): string {
    return this.random.pick(registers[width] as readonly string[]);
  }

  private label(): string {
    return `L${this.labels++}`;
  }

  private special(): Statement {
    const names = ['%tid.x', '%ntid.x', '%ctaid.x', '%nctaid.x', '%laneid', '%lanemask_lt', '%lanemask_ge'];
    return plain(`mov.u32 ${this.register(32)}, ${this.random.pick(names)};`);
  }

  // --- memory -------------------------------------------------------------------------------------------------------

  /**
   * A load or store in one of the 32-byte areas that each thread has in several state spaces, at an address computed
   * from data.
   */
  private memory(): Statement {
    const { random } = this;
    const bytes = random.pick([1, 2, 4, 8]);
    const lanes = random.pick([1, 1, 2, 4].filter((count) => count * bytes <= 16));
    const kind = random.pick(bytes === 1 ? ['b', 'u', 's'] : bytes === 2 ? ['b', 'u', 's'] : ['b', 'u', 's', 'f']);
    const type = `${lanes > 1 ? `.v${lanes}` : ''}.${kind}${8 * bytes}`;
    const load = random.percent(50);
    const widths = kind === 'f' ? [8 * bytes] : [16, 32, 64].filter((width) => width >= 8 * bytes);
    const values = random.sample(registers[random.pick(widths)] as readonly string[], lanes);
    const value = lanes === 1 ? values[0] : `{${values.join(', ')}}`;
    const { lines, space, address } =
      load && random.percent(15) ? this.constant(bytes * lanes) : this.place(bytes * lanes);
    return plain(
      ...lines,
      load ? `ld${space}${type} ${value}, ${address};` : `st${space}${type} ${address}, ${value};`,
    );
  }

  private constant(size: number): Place {
    const low = `and.b32 %at, ${this.register(32)}, ${32 - Math.max(16, size)};`;
    const wide = 'cvt.u64.u32 %wide, %at; mov.u64 %generic, constants; add.u64 %wide, %wide, %generic;';
    return { lines: [low, wide], space: '.const', address: '[%wide]' };
  }

  private place(size: number): Place {
    const { random } = this;
    const low = `and.b32 %at, ${this.register(32)}, ${32 - Math.max(16, size)};`;
    const offset = size >= 16 ? '' : `+${size * random.below(16 / size)}`;
    const inWide = (base: string): string => `cvt.u64.u32 %wide, %at; add.u64 %wide, %wide, ${base};`;
    switch (random.pick(['.shared', '.local', '.global', ''])) {
      case '.shared':
        return { lines: [low, 'add.u32 %at, %at, %own;'], space: '.shared', address: `[%at${offset}]` };
      case '.local':
        return { lines: [low, inWide('%local')], space: '.local', address: `[%wide${offset}]` };
      case '.global':
        return { lines: [low, inWide('%piece')], space: '.global', address: `[%wide${offset}]` };
      default: {
        const [space, base] = random.pick([
          ['shared', '%own'],
          ['local', '%local'],
          ['global', '%piece'],
        ] as const);
        const whole = base === '%own' ? 'cvt.u64.u32 %generic, %own;' : `mov.u64 %generic, ${base};`;
        return {
          lines: [low, `${whole} cvta.${space}.u64 %generic, %generic;`, inWide('%generic')],
          space: '',
          address: `[%wide${offset}]`,
        };
      }
    }
  }

  /**
   * An atomic operation, either on the thread's own slot or on a counter that several threads share. All operations on
   * the same counter are of the same kind, so their order does not affect the result.
   */
  private atomic(): Statement {
    const { random } = this;
    const operations = ['add.u32', 'min.u32', 'max.s32', 'and.b32', 'or.b32', 'xor.b32', 'inc.u32', 'max.u32'];
    const which = random.below(operations.length);
    const value = operations[which] === 'inc.u32' ? '5' : this.register(32);
    const own = random.pick(['exch.b32', 'add.u32', 'min.s32', 'xor.b32', 'dec.u32', 'exch.b64', 'add.u64', 'max.s64']);
    const width = own.endsWith('64') ? 64 : 32;
    const offset = (width / 8) * random.below(256 / width);
    const operands = (address: string): string =>
      `${this.register(width)}, [${address}+${offset}], ${this.register(width)}`;
    switch (random.below(4)) {
      case 0:
        return plain(`red.global.${operations[which]} [%count+${4 * which}], ${value};`);
      case 1:
        return plain(`red.shared.${operations[which]} [tally+${4 * which}], ${value};`);
      case 2:
        return plain(
          'cvt.u64.u32 %generic, %own; cvta.shared.u64 %generic, %generic;',
          `atom.${own} ${operands('%generic')};`,
        );
      default:
        return plain(`atom.shared.${own} ${operands('%own')};`);
    }
  }

  private carryChain(): Statement {
    const { random } = this;
    const width = random.pick([32, 64]);
    const type = `${random.pick(['u', 's'])}${width}`;
    const direction = random.pick(['add', 'sub']);
    const operands = (): string => `${this.register(width)}, ${this.register(width)}, ${this.register(width)}`;
    const middle = Array.from({ length: random.below(3) }, () => `${direction}c.cc.${type} ${operands()};`);
    return plain(`${direction}.cc.${type} ${operands()};`, ...middle, `${direction}c.${type} ${operands()};`);
  }

  // --- control flow -------------------------------------------------------------------------------------------------

  private branch(depth: number): Statement {
    const { random } = this;
    const [otherwise, end] = [this.label(), this.label()];
    const condition = this.guard();
    const then = this.list(1 + random.below(4), depth + 1, false);
    if (random.percent(50)) return { before: [`${condition}bra ${end};`], body: then, after: [`${end}:`] };
    return {
      before: [`${condition}bra ${otherwise};`],
      body: [
        { before: [], body: then, after: [`bra ${end};`, `${otherwise}:`], fixed: true },
        ...this.list(1 + random.below(4), depth + 1, false),
      ],
      after: [`${end}:`],
    };
  }

  /**
   * A branch that is taken either by all threads of a block or by none of them, so that barriers are allowed in its
   * body.
   */
  private uniformBranch(depth: number): Statement {
    const end = this.label();
    const test = `setp.${this.random.pick(['eq', 'ne'])}.u32 %q, %block, ${this.random.below(2)};`;
    return { before: [`${test} @%q bra ${end};`], body: this.list(2, depth + 1, true), after: [`${end}:`] };
  }

  /**
   * A loop of up to 3 rounds. If `together` is true, all threads execute the same number of rounds; otherwise, the
   * number depends on data, and threads may leave the loop early.
   */
  private loop(depth: number, together: boolean): Statement {
    const { random } = this;
    const [start, end] = [this.label(), this.label()];
    const counter = `%n${this.counters++}`;
    const turns = together
      ? `mov.u32 ${counter}, ${1 + random.below(3)};`
      : `and.b32 ${counter}, ${this.register(32)}, 3;`;
    const leave = !together && random.percent(40) ? [plain(`${this.guard()}bra ${end};`)] : [];
    return {
      before: [turns, `${start}:`, `setp.eq.u32 %q, ${counter}, 0; @%q bra ${end}; sub.u32 ${counter}, ${counter}, 1;`],
      body: [
        ...this.list(1 + random.below(4), depth + 1, together),
        ...leave,
        ...this.list(random.below(2), depth + 1, together),
      ],
      after: [`bra ${start};`, `${end}:`],
    };
  }

  /**
   * A group of blocks, each of which can jump to any block of the group. This creates loops that can be entered at
   * several places. The loops end because the number of jumps is limited.
   */
  private jumps(depth: number): Statement {
    const { random } = this;
    const end = this.label();
    const fuel = `%n${this.counters++}`;
    const entries = Array.from({ length: 2 + random.below(4) }, () => this.label());
    const jump = (): string => (random.percent(85) ? `bra ${random.pick(entries)};` : this.tableJump(entries));
    const body = entries.map((entry): Statement => {
      const spend = `${entry}: sub.u32 ${fuel}, ${fuel}, 1; setp.eq.u32 %q, ${fuel}, 0; @%q bra ${end};`;
      return {
        fixed: true,
        before: [spend],
        body: this.list(1 + random.below(3), depth + 1, false),
        after: [`${this.guard()}bra ${random.pick(entries)};`, ...(random.percent(60) ? [jump()] : [])],
      };
    });
    const start = random.percent(50) ? [`${this.guard()}bra ${random.pick(entries)};`] : [];
    return { before: [`mov.u32 ${fuel}, ${mostJumps};`, ...start], body, after: [`${end}:`] };
  }

  private tableJump(entries: readonly string[]): string {
    const [table, register] = [this.label(), this.register(32)];
    const list = Array.from({ length: 1 + this.random.below(5) }, () => this.random.pick(entries));
    const index = `rem.u32 %at, ${register}, ${list.length};`;
    return `${index} ${table}: .branchtargets ${list.join(', ')}; brx.idx %at, ${table};`;
  }

  private call({ name, inMemory, meets }: Callee): Statement {
    const [word, wide, x, y] = [this.register(32), this.register(64), this.register(32), this.register(64)];
    const guard = !meets && this.random.percent(20) ? this.guard() : '';
    if (!inMemory)
      return plain(`${guard}call (${x}, ${y}), ${name}, (${word}, ${wide}, %piece, %count, %texture, %surface);`);
    const given = { word, wide, piece: '%piece', count: '%count', texture: '%texture', surface: '%surface' };
    return plain(
      '{ .param .b32 give_word; .param .b64 give_wide, give_piece, give_count, give_texture, give_surface, taken;',
      ...Object.entries(given).map(([to, from]) => `st.param.b${to === 'word' ? 32 : 64} [give_${to}], ${from};`),
      `call.uni (taken), ${name}, (give_word, give_wide, give_piece, give_count, give_texture, give_surface);`,
      `ld.param.b64 ${y}, [taken]; }`,
    );
  }

  // --- groups within a warp -----------------------------------------------------------------------------------------

  /**
   * Statements for the threads that reach this point together. Some of the statements are executed only by subsets of
   * these threads.
   */
  private group(): Statement {
    const members = this.counter();
    return { before: [`activemask.b32 ${members};`], body: this.inGroup(members, 0), after: [] };
  }

  private counter(): string {
    return `%n${this.counters++}`;
  }

  /** Statements for a group of threads. All members of the group execute the statements the same number of times. */
  private inGroup(members: string, depth: number): readonly Statement[] {
    const { random } = this;
    return Array.from({ length: 1 + random.below(4) }, () => {
      const kind = random.below(depth < 2 ? 8 : 6);
      if (kind < 2) return this.straight();
      if (kind < 6) return plain(this.sources.collective(members));
      return kind === 6 ? this.partOf(members, depth) : this.rounds(members, depth);
    });
  }

  /** A branch that only some members of the group take. */
  private partOf(members: string, depth: number): Statement {
    const [end, part, condition] = [this.label(), this.counter(), this.register(1)];
    const choose = `vote.sync.ballot.b32 ${part}, ${condition}, ${members}; @!${condition} bra ${end};`;
    return { before: [choose], body: this.inGroup(part, depth + 1), after: [`${end}:`] };
  }

  /**
   * A loop that the members of a group leave at different times; the members that remain in it form a smaller group.
   */
  private rounds(members: string, depth: number): Statement {
    const [start, end] = [this.label(), this.label()];
    const [left, part] = [this.counter(), this.counter()];
    const isLeft = `setp.ne.u32 %q, ${left}, 0; vote.sync.ballot.b32 ${part}, %q, ${part}; @!%q bra ${end};`;
    return {
      before: [
        `and.b32 ${left}, ${this.register(32)}, 3; mov.b32 ${part}, ${members};`,
        `${start}: ${isLeft} sub.u32 ${left}, ${left}, 1;`,
      ],
      body: this.inGroup(part, depth + 1),
      after: [`bra ${start};`, `${end}:`],
    };
  }

  /**
   * Statements for groups ("tiles") of 1 to 16 adjacent lanes. Some of the statements have different code for the even
   * and the odd tiles.
   */
  private tiles(): Statement {
    const { random } = this;
    const size = random.pick([1, 2, 4, 8, 16]);
    const [members, otherwise, end] = [this.counter(), this.label(), this.label()];
    const lanes = `mov.u32 %at, %laneid; and.b32 %at, %at, ${32 - size}; shl.b32 ${members}, ${2 ** size - 1}, %at;`;
    return {
      before: [lanes],
      body: [
        ...this.inGroup(members, 1),
        {
          before: [`mov.u32 %at, %laneid; and.b32 %at, %at, ${size};`],
          body: [
            {
              fixed: true,
              before: [`setp.eq.u32 %q, %at, 0; @%q bra ${otherwise};`],
              body: this.inGroup(members, 1),
              after: [`bra ${end};`, `${otherwise}:`],
            },
            ...this.inGroup(members, 1),
          ],
          after: [`${end}:`],
        },
      ],
      after: [],
    };
  }

  /** An operation that all lanes execute, some of them at one place in the code and the others at another. */
  private apartAlike(): Statement {
    const { random } = this;
    const [otherwise, end] = [this.label(), this.label()];
    const mode = random.pick(['up', 'down', 'bfly', 'idx']);
    const word = (): string => this.register(32);
    const does = random.pick([
      () => `shfl.sync.${mode}.b32 ${word()}|${this.register(1)}, ${word()}, ${random.below(32)}, ${word()}, -1;`,
      () => `vote.sync.ballot.b32 ${word()}, ${this.register(1)}, -1;`,
      () => `match.any.sync.b64 ${word()}, ${this.register(64)}, -1;`,
      () => `match.all.sync.b32 ${word()}|${this.register(1)}, ${word()}, -1;`,
    ]);
    return plain(`${this.guard()}bra ${otherwise};`, `${does()} bra ${end};`, `${otherwise}: ${does()}`, `${end}:`);
  }

  // --- meetings -----------------------------------------------------------------------------------------------------

  private barrier(): Statement {
    const { random } = this;
    const [p, q, d] = [this.register(1), this.register(1), this.register(32)];
    const id = 1 + random.below(15);
    const choices = [
      `bar.sync ${id}, %threads;`,
      `barrier.sync ${id};`,
      'bar.warp.sync -1;',
      `bar.red.popc.u32 ${d}, ${id}, ${p};`,
      `bar.red.${random.pick(['and', 'or'])}.pred ${q}, ${id}, ${random.percent(50) ? '!' : ''}${p};`,
    ];
    return plain(random.pick(choices));
  }

  /** Each warp stores registers in its lanes of tensor memory, and loads them in another shape. */
  private tensorMemory(): Statement {
    const names = registers[32] as readonly string[];
    const first = this.random.below(names.length - 1);
    const [low, high] = [names[first], names[first + 1]];
    const shape = this.random.pick(['16x64b.x2', '32x32b.x2', '16x128b.x1']);
    return plain(
      'shr.u32 %at, %thread, 5; shl.b32 %at, %at, 21; ld.shared.b32 %other, [tensor]; add.u32 %at, %at, %other;',
      `tcgen05.st.sync.aligned.32x32b.x4.b32 [%at], {${low}, ${high}, ${this.register(32)}, ${this.register(32)}};`,
      `tcgen05.ld.sync.aligned.${shape}.b32 {${low}, ${high}}, [%at];`,
      'tcgen05.wait::ld.sync.aligned;',
    );
  }

  /** Reads the 8 x 8 texture, or the surface that has the same texels. */
  private texture(): Statement {
    const { random } = this;
    const registersOf = (count: number): string =>
      `{${Array.from({ length: count }, () => this.register(32)).join(', ')}}`;
    const point = registersOf(2);
    return plain(
      random.pick([
        `tex.2d.v4.f32.f32 ${registersOf(4)}, [%texture, ${point}];`,
        `tld4.${random.pick(['r', 'g', 'b', 'a'])}.2d.v4.f32.f32 ${registersOf(4)}, [%texture, ${point}];`,
        `tex.2d.v2.f16x2.s32 ${registersOf(2)}, [%texture, ${point}];`,
        `and.b32 %at, ${this.register(32)}, -8; suld.b.2d.v2.b32.${random.pick(['zero', 'clamp'])} ${registersOf(2)}, [%surface, {%at, ${this.register(32)}}];`,
        `txq.width.b32 ${this.register(32)}, [%texture];`,
      ]),
    );
  }

  /** Stores a value in shared memory and, after a barrier, loads a value that another thread has stored. */
  private exchange(): Statement {
    const { random } = this;
    const at = `mad.lo.u32 %other, %thread, ${1 + random.below(5)}, ${random.below(90)}; rem.u32 %other, %other, %threads;`;
    return plain(
      `st.shared.b32 [%own+${4 * random.below(8)}], ${this.register(32)};`,
      'bar.sync 0;',
      `${at} mov.u32 %at, slots; mad.lo.u32 %at, %other, 32, %at;`,
      `ld.shared.b32 ${this.register(32)}, [%at+${4 * random.below(8)}];`,
      'bar.sync 0;',
    );
  }
}
