/**
 * One region as a function (context, first thread, thread behind the last) → outcome (layout.ts). It runs the region for
 * each thread in turn; if all come to one stop where nobody else is missing, it also does what they do there.
 */
import type { BasicBlock } from '../program/flow.ts';
import type { ProgramInstruction } from '../program/function-program.ts';
import type { Region } from '../program/regions.ts';
import { Code, type Label } from '../wasm/code.ts';
import type { FunctionType } from '../wasm/module.ts';
import type { KernelShape } from './kernel-shape.ts';
import { context, type ContextField, outcome, state } from './layout.ts';
import { lowerAfter, lowerInstruction, lowerUntil } from './lower.ts';
import type { Lowering, RegionLocals, StepOf } from './lowering.ts';
import { writePassing } from './passing.ts';
import type { SiteOf } from './site.ts';
import { stopOf } from './stop.ts';
import { writeRegion } from './structure.ts';
import { Values } from './values.ts';

export const regionType: FunctionType = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] };

/** Rounds of a loop that may be waiting for somebody before others get their turn. */
const patience = 4096;

export function regionFunction(shape: KernelShape, region: Region): Code {
  return new RegionWriter(shape, region).write();
}

class RegionWriter {
  private readonly shape: KernelShape;
  private readonly region: Region;
  private readonly code: Code = new Code(regionType.parameters);
  private readonly values: Values;
  private readonly locals: RegionLocals;
  private readonly first: number;
  /** Addresses of the thread's elements of 4 and 8 bytes in the first array of the frame. */
  private readonly words: number;
  private readonly doubleWords: number;
  /** How many threads have come to each stop, by its number. */
  private readonly come = new Map<number, number>();
  private readonly exited: number;
  private readonly rounds: number;
  private threadEnd: Label | null = null;

  constructor(shape: KernelShape, region: Region) {
    const { code } = this;
    this.shape = shape;
    this.region = region;
    this.values = new Values(code, shape.program);
    this.first = code.local('i32');
    this.words = code.local('i32');
    this.doubleWords = code.local('i32');
    this.exited = code.local('i32');
    this.rounds = code.local('i32');
    const index = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    this.locals = { context: 0, thread: 1, fuel: code.local('i32'), index };
  }

  write(): Code {
    const { code, locals, shape } = this;
    const { fuel, thread, index } = locals;
    const [x, y, z] = index;
    code.get(thread).set(this.first);
    this.field('fuel').set(fuel);
    code.get(thread);
    this.field('threadsX').op('i32.rem_u').set(x);
    code.get(thread);
    this.field('threadsX').op('i32.div_u').tee(z);
    this.field('threadsY').op('i32.rem_u').set(y);
    code.get(z);
    this.field('threadsY').op('i32.div_u').set(z);
    code.loop((again) => {
      this.enter();
      code.block((end) => {
        this.threadEnd = end;
        writeRegion(code, this.region, {
          block: (block, goTo) => this.block(shape.blocks[block] as BasicBlock, goTo),
          backEdge: (target) => this.backEdge(target),
        });
      });
      this.nextThread();
      code.get(thread).get(2).op('i32.lt_u').brIf(again);
    });
    code
      .get(0)
      .get(fuel)
      .memory('i32.store', shape.layout.origin + context.fuel);
    this.writeOutcome();
    return code;
  }

  private writeOutcome(): void {
    const { code, shape, first, exited } = this;
    if (!shape.hasStates) {
      code.i32(outcome.allExited);
      return;
    }
    const all = (count: number): Code => code.get(count).get(2).get(first).op('i32.sub', 'i32.eq');
    for (const [stop, come] of this.come) {
      all(come).if(() => {
        writePassing(code, shape, stop, first);
        code.i32(outcome.allAt(stop)).op('return');
      });
    }
    code.i32(outcome.allExited).i32(outcome.mixed);
    all(exited).op('select');
  }

  // --- threads --------------------------------------------------------------------------------------------------------

  /** Registers that the region reads before it writes them: from the frame, or zero at the start of the thread. */
  private enter(): void {
    const { code, shape, values, region } = this;
    const { thread } = this.locals;
    if (shape.hasStates) {
      this.field('frames').get(thread).i32(2).op('i32.shl', 'i32.add').tee(this.words);
      code.get(thread).i32(2).op('i32.shl', 'i32.add').set(this.doubleWords);
      code.i32(0).set(this.rounds);
    }
    const isStart = shape.regionAt.get(region.entry) === 0;
    for (const place of shape.live[region.entry] ?? []) {
      const { local, type } = values.register(place);
      if (!isStart) this.element(shape.slots.get(place) as number, `${type}.load`);
      else if (type === 'i64') code.i64(0n);
      else code.i32(0);
      code.set(local);
    }
    if (!isStart) this.resume();
  }

  /** What is left to do of the instruction where the thread stopped. */
  private resume(): void {
    const { code, shape, values, region } = this;
    const start = shape.blocks[region.entry]?.start ?? 0;
    const number = shape.stopAt.get(region.entry);
    const instruction = shape.program.instructions[start - 1];
    if (number === undefined || instruction === undefined) return;
    const step = stopOf(instruction);
    if (step === null) throw new Error('a region begins behind no stop');
    values.begin(instruction);
    step.to.forEach((ref, i) => {
      code.get(this.words).memory('i32.load', shape.layout.origin + (shape.frame.results[i] as number));
      values.set(ref, 'i32');
    });
    lowerAfter(step, this.lowering(instruction));
  }

  private nextThread(): void {
    const { code } = this;
    const { thread, index } = this.locals;
    const [x, y, z] = index;
    const increment = (local: number): Code => code.get(local).i32(1).op('i32.add').tee(local);
    increment(thread).op('drop');
    increment(x);
    this.field('threadsX')
      .op('i32.eq')
      .if(() => {
        code.i32(0).set(x);
        increment(y);
        this.field('threadsY')
          .op('i32.eq')
          .if(() => {
            code.i32(0).set(y);
            increment(z).op('drop');
          });
      });
  }

  private field(name: ContextField): Code {
    return this.code.get(0).memory('i32.load', this.shape.layout.origin + context[name]);
  }

  /** Loads or stores the thread's element of an array of the frame. A store takes its value from `push`. */
  private element(offset: number, opcode: `i${32 | 64}.${'load' | 'store'}`, push: () => unknown = () => null): void {
    const { code, shape } = this;
    code.get(opcode.startsWith('i64') ? this.doubleWords : this.words);
    push();
    code.memory(opcode, shape.layout.origin + offset);
  }

  // --- blocks ---------------------------------------------------------------------------------------------------------

  private block({ start, end, exit }: BasicBlock, goTo: (target: number) => void): void {
    const instructions = this.shape.program.instructions.slice(start, end);
    const always = instructions.filter((instruction) => instruction.guard === null && isCounted(instruction));
    this.spend(always.length);
    const last = exit.kind === 'next' ? undefined : instructions.at(-1);
    for (const instruction of instructions) {
      if (instruction !== last) this.guarded(instruction, () => lowerInstruction(this.lowering(instruction)));
    }
    if (last !== undefined) this.guarded(last, () => this.leave(last, exit, goTo));
    if (exit.next !== null) goTo(exit.next);
    else if (last === undefined) this.end();
  }

  private guarded(instruction: ProgramInstruction, body: () => void): void {
    const { guard } = instruction;
    this.values.begin(instruction);
    if (guard === null) {
      body();
      return;
    }
    this.values.getPlace(guard.register, 'i32');
    if (guard.negated) this.code.op('i32.eqz');
    this.code.if(() => {
      if (isCounted(instruction)) this.spend(1);
      body();
    });
  }

  /** The last instruction of a block, which leaves it. */
  private leave(instruction: ProgramInstruction, exit: BasicBlock['exit'], goTo: (target: number) => void): void {
    if (exit.kind === 'park') {
      this.stop(instruction, exit.resume);
      return;
    }
    lowerInstruction(this.lowering(instruction));
    if (exit.kind === 'branch') goTo(exit.target);
    else if (exit.kind === 'switch') this.choose(instruction, exit.targets, goTo);
    else this.end();
  }

  /** `brx.idx`: compares the index with each number of its list. */
  private choose(instruction: ProgramInstruction, targets: readonly number[], goTo: (target: number) => void): void {
    const { code, values, locals, shape } = this;
    const step = instruction.steps.find((candidate) => candidate.kind === 'switch') as StepOf<'switch'>;
    // What is written of the targets has values of its own.
    const index = code.local('i32');
    values.get(step.index, 'i32');
    code.set(index);
    targets.forEach((target, i) => {
      code.get(index).i32(i).op('i32.eq');
      code.if(() => goTo(target));
    });
    const { line } = instruction;
    code.i32(shape.sites.push({ kind: 'switch', count: targets.length, line }) - 1);
    code
      .get(index)
      .op('i64.extend_i32_u')
      .get(locals.thread)
      .get(locals.fuel)
      .call(shape.helpers.import('raise'))
      .op('unreachable');
  }

  private end(): void {
    this.leaveThread(state.exited, this.exited);
  }

  /** The thread stops for others: it leaves what it needs later and what it brings. */
  private stop(instruction: ProgramInstruction, resume: number): void {
    const { code, shape, values } = this;
    const number = shape.stopAt.get(resume);
    const step = stopOf(instruction);
    if (step === null || number === undefined) throw new Error('a block parks at no stop');
    lowerUntil(step, this.lowering(instruction));
    const { offers, offerHigh, mask } = shape.frame;
    const offer = (offset: number, ref: string): void =>
      this.element(offset, 'i32.store', () => values.get(ref, 'i32'));
    const brought = step.kind === 'barrier' ? [step.barrier, step.count, ...step.from] : step.from;
    brought.forEach((ref, i) => {
      if (ref !== null) offer(offers[i] as number, ref);
    });
    const [value] = step.from;
    if (step.kind === 'collective' && value !== undefined && values.typeOf(value) === 'i64') {
      this.element(offerHigh, 'i32.store', () => {
        values.get(value, 'i64');
        code.i64(32n).op('i64.shr_u', 'i32.wrap_i64');
      });
    }
    if (step.kind === 'collective' && step.mask !== null) offer(mask, step.mask);
    this.save(resume, new Set([...step.to.map((ref) => values.placeOf(ref)), ...writtenBy(instruction)]));
    let come = this.come.get(number);
    if (come === undefined) {
      come = code.local('i32');
      this.come.set(number, come);
    }
    this.leaveThread(state.waitingAt(number), come);
  }

  /** Keeps the registers that are live at a block, but for those that will be written before. */
  private save(block: number, except: ReadonlySet<number> = new Set()): void {
    const { code, shape, values } = this;
    for (const place of shape.live[block] ?? []) {
      if (except.has(place)) continue;
      const { local, type } = values.register(place);
      this.element(shape.slots.get(place) as number, `${type}.store`, () => code.get(local));
    }
  }

  /** Threads of a kernel that never stops have no state. */
  private leaveThread(word: number, counter: number | null): void {
    const { code, shape } = this;
    if (shape.hasStates) {
      this.element(shape.frame.state, 'i32.store', () => code.i32(word));
      if (counter !== null) code.get(counter).i32(1).op('i32.add').set(counter);
    }
    code.br(this.threadEnd as Label);
  }

  private spend(count: number): void {
    const { fuel } = this.locals;
    if (count > 0) this.code.get(fuel).i32(count).op('i32.sub').set(fuel);
  }

  private backEdge(target: number): void {
    const { code, shape } = this;
    const { fuel, thread } = this.locals;
    if (shape.pauses.has(target)) this.pauseNowAndThen(target);
    code
      .get(fuel)
      .i32(0)
      .op('i32.lt_s')
      .if(() => {
        const block = shape.blocks[target] as BasicBlock;
        const line = shape.program.instructions[block.start]?.line ?? 0;
        code
          .i32(shape.sites.push({ kind: 'loop', line }) - 1)
          .get(thread)
          .get(fuel);
        code.call(shape.helpers.import('refuel')).set(fuel);
      });
  }

  /** In a loop that may be waiting for another thread, others get their turn after some rounds. */
  private pauseNowAndThen(target: number): void {
    const { code, shape, rounds } = this;
    code.get(rounds).i32(1).op('i32.add').tee(rounds).i32(patience).op('i32.ge_u');
    code.if(() => {
      this.save(target);
      this.leaveThread(shape.regionAt.get(target) as number, null);
    });
  }

  private lowering(instruction: ProgramInstruction): Lowering {
    const { code, values, shape, locals } = this;
    const { helpers, layout, program, sites } = shape;
    const siteOf: SiteOf = (site) => sites.push({ ...site, line: instruction.line }) - 1;
    return { code, values, helpers, layout, locals, instruction, offsetOf: program.offsetOf, siteOf };
  }
}

function writtenBy({ writes }: ProgramInstruction): readonly number[] {
  return writes.map(({ register }) => register);
}

/** `ret` is not counted as an executed instruction. */
function isCounted({ steps }: ProgramInstruction): boolean {
  return !steps.some((step) => step.kind === 'return');
}
