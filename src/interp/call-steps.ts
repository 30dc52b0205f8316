/** Calls and returns. The activations of functions are on a stack in the thread's local memory. */
import { elementAt } from '../base/element-at.ts';
import { formatAddress } from '../machine/memory/address-space.ts';
import { machineFault } from '../machine/fault.ts';
import type { Segment } from '../machine/memory/segment.ts';
import { type CallSite, type Moved, storedWidth } from '../program/call-site.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import type { KernelProgram } from '../program/link.ts';
import type { LinkedFunction } from '../program/linked-function.ts';
import { requireDefined, setUndefined } from './shadow.ts';
import type { Cpu, Stopping, Thread } from './thread.ts';
import type { Action, Frame } from './value-steps.ts';

/** The information about the launch that is needed for calls. */
export interface CallContext {
  readonly kernel: KernelProgram;
  /** The position in the engine's code at which each of the kernel's functions starts. */
  readonly starts: readonly number[];
  readonly cpu: Cpu;
}

/**
 * Prepares a call: enters the function and, once it has returned, copies its results to the caller's registers. A
 * built-in function returns immediately.
 */
export function prepareCall(site: CallSite, caller: FunctionProgram, line: number, context: CallContext): Stopping {
  const { kernel, starts, cpu } = context;
  const find = calleeFinder(site, kernel);
  const give = site.parameters.map((moved) => giver(moved, caller));
  const take = site.results.map((moved) => taker(moved, caller, line));
  const go = (thread: Thread): void => {
    const { local, base } = thread;
    if (local === null) throw new Error(`${caller.name} called without a stack`);
    local.limitTo(base + caller.localBytes);
    for (const action of take) action(thread, local, base, base + caller.calleeBase);
  };
  const stop: Action = (frame) => {
    const { thread } = cpu;
    if (site.callee.kind === 'indirect') requireDefined(thread, site.callee.register, 'a branch');
    const index = find(frame);
    const fn = elementAt(kernel.functions, index);
    const base = thread.base + caller.calleeBase;
    const local = openActivation(fn, thread.base + caller.localBytes, base, thread, kernel);
    for (const action of give) action(thread, local, thread.base, base);
    if (fn.kind === 'builtin') {
      cpu.builtin(fn.builtin, local, base, line);
      go(thread);
      return;
    }
    const { program } = fn;
    thread.calls.push({ frame, shadow: thread.shadow, pc: thread.pc, base: thread.base });
    thread.frame = program.initialFrame.slice();
    thread.shadow = null;
    thread.base = base;
    thread.pc = elementAt(starts, index);
    for (const { place, width, offset } of program.registerParameters)
      takeRegister(thread, place, local, { at: base + offset, size: storedWidth(width) / 8 }, line);
  };
  return { stop, rest: { kind: 'call', go } };
}

/** Returns to the position after the call. A return from the kernel itself ends the thread. */
export function prepareReturn({ registerResults }: FunctionProgram, cpu: Cpu): Action {
  return () => {
    const { thread } = cpu;
    const caller = thread.calls.pop();
    if (caller === undefined) {
      thread.activity = 'exited';
      return;
    }
    for (const { place, width, offset } of registerResults) {
      if (thread.local !== null) giveRegister(thread, place, thread.local, thread.base + offset, storedWidth(width));
    }
    thread.frame = caller.frame;
    thread.shadow = caller.shadow;
    thread.base = caller.base;
    thread.pc = caller.pc;
    const rest = cpu.code[caller.pc - 1]?.rest;
    if (rest?.kind !== 'call') throw new Error('a function returns, but nothing has called it');
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
      other === undefined ? `a function that ${name} can point to` : `a function with the parameters of this call`;
    throw machineFault('PTX6014', { address: formatAddress(address), expected });
  };
}

/**
 * Creates an activation at `base` in the thread's local memory. Its memory is filled with zeros and marked as never
 * written. The gap before the activation, from `gap` to `base`, is treated the same way, because earlier calls may have
 * used it.
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

type Mover = (thread: Thread, local: Segment, from: number, to: number) => void;

/**
 * Returns a function that passes an argument. In a call to this function, `from` is the base of the caller's activation
 * and `to` is the base of the callee's activation.
 */
function giver({ value, offset, bytes }: Moved, caller: FunctionProgram): Mover {
  switch (value.kind) {
    case 'register':
      return (thread, local, _, to) => giveRegister(thread, value.place, local, to + offset, bytes * 8);
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

/** Returns a function that copies a result of a call to the caller. */
function taker({ value, offset, bytes }: Moved, caller: FunctionProgram, line: number): Mover {
  switch (value.kind) {
    case 'register':
      return (thread, local, _, to) => takeRegister(thread, value.place, local, { at: to + offset, size: bytes }, line);
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

/** Stores a register in local memory, and records there which of its bits are undefined. */
function giveRegister({ frame, shadow }: Thread, place: number, local: Segment, at: number, width: number): void {
  local.mark(at, width / 8);
  local.store(at, width, elementAt(frame, place));
  const found = shadow?.get(place);
  if (found !== undefined) local.definedness?.undefine(at, width / 8, found);
}

interface ByteRange {
  readonly at: number;
  readonly size: number;
}

/** Loads a register from local memory, and records which of its bits are undefined. */
function takeRegister(thread: Thread, place: number, local: Segment, { at, size }: ByteRange, line: number): void {
  thread.frame[place] = local.load(at, 8 * size);
  const { definedness } = local;
  const isDefined = definedness === null || definedness.isDefined(at, size);
  if (isDefined && thread.shadow === null) return;
  const found = isDefined
    ? null
    : { mask: definedness.undefinedBits(at, size), origin: definedness.originOf(line, at, size) };
  setUndefined(thread, place, found);
}
