/** One region as a function (context, first thread, thread behind the last) that runs it for each thread in turn. */
import type { BasicBlock } from '../program/flow.ts';
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';
import type { Region } from '../program/regions.ts';
import { Code, type Label } from '../wasm/code.ts';
import type { FunctionType } from '../wasm/module.ts';
import type { Helpers } from './helpers.ts';
import { context, type ContextField, type LaunchLayout, status, threadState } from './layout.ts';
import { lowerInstruction } from './lower.ts';
import type { Lowering, RegionLocals, StepOf } from './lowering.ts';
import type { Site, SiteOf } from './site.ts';
import { writeRegion } from './structure.ts';
import { Values } from './values.ts';

export const regionType: FunctionType = { parameters: ['i32', 'i32', 'i32'], results: [] };

/** What all regions of a kernel share. */
export interface KernelShape {
  readonly program: FunctionProgram;
  readonly layout: LaunchLayout;
  readonly helpers: Helpers;
  readonly blocks: readonly BasicBlock[];
  /** Registers that are live at the start of each block. */
  readonly live: readonly (readonly number[])[];
  /** Number of the region that begins with a block. */
  readonly regionAt: ReadonlyMap<number, number>;
  /** Where a register lies in a thread's frame, from its start. */
  readonly slots: ReadonlyMap<number, number>;
  readonly frameBytes: number;
  readonly sites: Site[];
}

export function regionFunction(shape: KernelShape, region: Region): Code {
  return new RegionWriter(shape, region).write();
}

class RegionWriter {
  private readonly shape: KernelShape;
  private readonly region: Region;
  private readonly code: Code = new Code(regionType.parameters);
  private readonly values: Values;
  private readonly locals: RegionLocals;
  private readonly frame: number;
  private readonly state: number;
  private threadEnd: Label | null = null;

  constructor(shape: KernelShape, region: Region) {
    const { code } = this;
    this.shape = shape;
    this.region = region;
    this.values = new Values(code, shape.program);
    this.frame = code.local('i32');
    this.state = code.local('i32');
    const index = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    this.locals = { context: 0, thread: 1, fuel: code.local('i32'), index };
  }

  write(): Code {
    const { code, locals, shape } = this;
    const { fuel, thread, index } = locals;
    const [x, y, z] = index;
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
    return code;
  }

  /** Registers that the region reads before it writes them: from the frame, or zero at the start of the thread. */
  private enter(): void {
    const { code, shape, values, region } = this;
    const { origin } = shape.layout;
    const { thread } = this.locals;
    if (shape.regionAt.size > 1) {
      this.field('frames').get(thread).i32(shape.frameBytes).op('i32.mul', 'i32.add').set(this.frame);
      this.field('states').get(thread).i32(threadState.size).op('i32.mul', 'i32.add').set(this.state);
    }
    const isStart = shape.regionAt.get(region.entry) === 0;
    for (const place of shape.live[region.entry] ?? []) {
      const { local, type } = values.register(place);
      if (!isStart) code.get(this.frame).memory(`${type}.load`, origin + (shape.slots.get(place) as number));
      else if (type === 'i64') code.i64(0n);
      else code.i32(0);
      code.set(local);
    }
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
    lowerInstruction(this.lowering(instruction));
    if (exit.kind === 'branch') goTo(exit.target);
    else if (exit.kind === 'park') this.park(instruction, exit.resume);
    else this.end();
  }

  private end(): void {
    this.setState('status', () => this.code.i32(status.exited));
    this.code.br(this.threadEnd as Label);
  }

  /** The thread waits: what it needs later goes to its frame, what it waits for to its state. */
  private park({ steps }: ProgramInstruction, resume: number): void {
    const { code, shape, values } = this;
    const step = steps.find((candidate) => candidate.kind === 'barrier') as StepOf<'barrier'>;
    for (const place of shape.live[resume] ?? []) {
      const { local, type } = values.register(place);
      code.get(this.frame).get(local);
      code.memory(`${type}.store`, shape.layout.origin + (shape.slots.get(place) as number));
    }
    this.setState('region', () => code.i32(shape.regionAt.get(resume) as number));
    this.setState('status', () => code.i32(status.waiting));
    this.setState('barrier', () => values.get(step.barrier, 'i32'));
    this.setState('count', () => (step.count === null ? code.i32(-1) : values.get(step.count, 'i32')));
    code.br(this.threadEnd as Label);
  }

  /** Threads of a kernel that never waits have no state. */
  private setState(name: 'region' | 'status' | 'barrier' | 'count', push: () => unknown): void {
    if (this.shape.regionAt.size < 2) return;
    this.code.get(this.state);
    push();
    this.code.memory('i32.store', this.shape.layout.origin + threadState[name]);
  }

  private spend(count: number): void {
    const { fuel } = this.locals;
    if (count > 0) this.code.get(fuel).i32(count).op('i32.sub').set(fuel);
  }

  private backEdge(target: number): void {
    const { code, shape } = this;
    const { fuel, thread } = this.locals;
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

  private lowering(instruction: ProgramInstruction): Lowering {
    const { code, values, shape, locals } = this;
    const { helpers, layout, program, sites } = shape;
    const siteOf: SiteOf = (site) => sites.push({ ...site, line: instruction.line }) - 1;
    return { code, values, helpers, layout, locals, instruction, offsetOf: program.offsetOf, siteOf };
  }
}

/** `ret` is not counted as an executed instruction. */
function isCounted({ steps }: ProgramInstruction): boolean {
  return !steps.some((step) => step.kind === 'return');
}
