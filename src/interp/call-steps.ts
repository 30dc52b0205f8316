/** Calls and returns: activations of functions on a thread's stack of local memory. */
import { elementAt } from '../base/element-at.ts';
import { formatAddress } from '../machine/address-space.ts';
import { machineFault } from '../machine/fault.ts';
import type { Segment } from '../machine/segment.ts';
import type { CallSite, Moved } from '../program/call-site.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import type { KernelProgram, LinkedFunction } from '../program/link.ts';
import type { Cpu, Stopping, Thread } from './thread.ts';
import type { Action, Frame } from './value-steps.ts';

/** Facts about the launch that calls need. */
export interface CallContext {
  readonly kernel: KernelProgram;
  /** Where each function of the kernel begins in the engine's code. */
  readonly starts: readonly number[];
  readonly cpu: Cpu;
}

/** Enters a function and reads its results when it has returned; a built-in function returns at once. */
export function prepareCall(site: CallSite, caller: FunctionProgram, context: CallContext): Stopping {
  const { kernel, starts, cpu } = context;
  const find = calleeFinder(site, kernel);
  const give = site.parameters.map((moved) => giver(moved, caller));
  const take = site.results.map((moved) => taker(moved, caller));
  const go = ({ frame, local, base }: Thread): void => {
    if (local === null) throw new Error(`${caller.name} called without a stack`);
    local.limitTo(base + caller.localBytes);
    for (const action of take) action(frame, local, base, base + caller.calleeBase);
  };
  const stop: Action = (frame) => {
    const { thread } = cpu;
    const index = find(frame);
    const fn = elementAt(kernel.functions, index);
    const base = thread.base + caller.calleeBase;
    const local = openActivation(fn, thread.base + caller.localBytes, base, thread, kernel);
    for (const action of give) action(frame, local, thread.base, base);
    if (fn.kind === 'builtin') {
      cpu.builtin(fn.builtin, local, base);
      go(thread);
      return;
    }
    const { program } = fn;
    thread.calls.push({ frame, pc: thread.pc, base: thread.base });
    thread.frame = program.initialFrame.slice();
    thread.base = base;
    thread.pc = elementAt(starts, index);
    for (const { place, width, offset } of program.registerParameters)
      thread.frame[place] = local.load(base + offset, byteWidth(width));
  };
  return { stop, rest: { kind: 'call', go } };
}

/** Returns to the position after the call; in a kernel the thread ends. */
export function prepareReturn({ registerResults }: FunctionProgram, cpu: Cpu): Action {
  return (frame) => {
    const { thread } = cpu;
    const caller = thread.calls.pop();
    if (caller === undefined) {
      thread.activity = 'exited';
      return;
    }
    for (const { place, width, offset } of registerResults) {
      thread.local?.mark(thread.base + offset, byteWidth(width) / 8);
      thread.local?.store(thread.base + offset, byteWidth(width), elementAt(frame, place));
    }
    thread.frame = caller.frame;
    thread.base = caller.base;
    thread.pc = caller.pc;
    const rest = cpu.code[caller.pc - 1]?.rest;
    if (rest?.kind !== 'call') throw new Error('a function returns without a call');
    rest.go(thread);
  };
}

function calleeFinder({ callee, name }: CallSite, { functions, byAddress }: KernelProgram): (frame: Frame) => number {
  if (callee.kind === 'direct') return () => callee.function;
  const candidates = new Set(callee.candidates);
  return (frame) => {
    const address = Number(frame[callee.register]);
    const index = byAddress.get(address);
    if (index !== undefined && candidates.has(index)) return index;
    const other = index === undefined ? undefined : functions[index];
    const expected =
      other === undefined ? `a function that ${name} may point to` : `a function with the parameters of this call`;
    throw machineFault('PTX6014', { address: formatAddress(address), expected });
  };
}

/**
 * Local memory of the thread with room for an activation at `base`. It and the gap before it, which earlier calls may
 * have used, are zeroed and marked as unwritten.
 */
function openActivation(
  fn: LinkedFunction,
  gap: number,
  base: number,
  thread: Thread,
  { stackBytes }: KernelProgram,
): Segment {
  const { local } = thread;
  const bytes = fn.kind === 'builtin' ? fn.localBytes : fn.program.localBytes;
  if (local === null || base + bytes > stackBytes) {
    throw machineFault('PTX6013', {
      name: fn.kind === 'builtin' ? fn.builtin.name : fn.program.name,
      bytes: String(base + bytes),
      limit: String(stackBytes),
      depth: String(thread.calls.length),
    });
  }
  local.reach(base + bytes);
  local.clear(gap, base + bytes);
  local.limitTo(base + bytes);
  return local;
}

type Mover = (frame: Frame, local: Segment, from: number, to: number) => void;

/** Writes an argument: `from` is the caller's base, `to` the callee's. */
function giver({ value, offset, bytes }: Moved, caller: FunctionProgram): Mover {
  switch (value.kind) {
    case 'register':
      return (frame, local, _, to) => {
        local.mark(to + offset, bytes);
        local.store(to + offset, bytes * 8, elementAt(frame, value.place));
      };
    case 'constant':
      return (_, local, __, to) => {
        local.mark(to + offset, bytes);
        local.store(to + offset, bytes * 8, value.bits);
      };
    case 'variable': {
      const own = caller.offsetOf(value.symbol) ?? 0;
      return (_, local, from, to) => {
        local.move(from + own, to + offset, bytes);
      };
    }
  }
}

/** Reads a result. */
function taker({ value, offset, bytes }: Moved, caller: FunctionProgram): Mover {
  switch (value.kind) {
    case 'register':
      return (frame, local, _, to) => {
        frame[value.place] = local.load(to + offset, bytes * 8);
      };
    case 'variable': {
      const own = caller.offsetOf(value.symbol) ?? 0;
      return (_, local, from, to) => {
        local.move(to + offset, from + own, bytes);
      };
    }
    case 'constant':
      return () => undefined;
  }
}

/** A predicate takes a byte. */
function byteWidth(width: number): number {
  return Math.max(8, width);
}
