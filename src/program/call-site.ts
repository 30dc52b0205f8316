/**
 * Describes the calls of a program. A thread's local memory is a stack of activations. The activation of a callee
 * follows the `localBytes` of its caller, and begins with the callee's parameters and its return values, in this order.
 * An array without a size comes last. The caller writes the arguments there before the call, and reads the return
 * values from there afterwards. Every activation has its own registers.
 */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import type { BoundCall, Passed } from '../check/binding/bind-call.ts';
import type { Formal, Signature } from '../check/declarations/signature.ts';
import { sizeOf } from '../check/declarations/sizes.ts';
import { alignUp } from '../base/align.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import type { FrameBuilder } from './frame.ts';
import { stackAlignment } from './layout.ts';

/** An argument or result that is stored `offset` bytes after the base of the callee's activation. */
export interface Moved {
  readonly offset: number;
  readonly bytes: number;
  readonly value:
    | { readonly kind: 'register'; readonly place: number; readonly width: number }
    | { readonly kind: 'constant'; readonly bits: Bits }
    /** A `.param` variable of the caller. */
    | { readonly kind: 'variable'; readonly symbol: VariableSymbol };
}

export type Callee =
  /** Index of the callee in the kernel's list of functions. */
  { readonly kind: 'direct'; readonly function: number } | IndirectCallee;

/**
 * The register holds the address of one of the `candidates`. These are also indices in the kernel's list of functions.
 */
export interface IndirectCallee {
  readonly kind: 'indirect';
  readonly register: number;
  readonly width: number;
  readonly candidates: readonly number[];
}

export interface CallSite {
  /** The callee as written in the call. */
  readonly name: string;
  readonly callee: Callee;
  readonly parameters: readonly Moved[];
  /** The number of bytes passed for an array without a size; 0 if the callee has no such parameter. */
  readonly openBytes: number;
  /** Return values that the caller reads. They are never constants. */
  readonly results: readonly Moved[];
}

/** The functions that a call may reach, as indices in the kernel's list of functions; empty if `call` is null. */
export function calleesOf(call: CallSite | null): readonly number[] {
  if (call === null) return [];
  return call.callee.kind === 'direct' ? [call.callee.function] : call.callee.candidates;
}

/** Offsets of parameters and return values from the base of an activation, and their total size in bytes. */
export interface FormalLayout {
  readonly parameters: readonly number[];
  readonly results: readonly number[];
  readonly end: number;
}

/** If the last parameter is an array without a size, it has `openBytes` bytes. */
export function formalLayout({ parameters, results }: Signature, openBytes = 0): FormalLayout {
  let end = 0;
  const place = ({ bytes, align, open }: Formal): number => {
    const offset = alignUp(end, stackAlignment(open ? Infinity : bytes, align));
    end = offset + (open ? openBytes : bytes);
    return offset;
  };
  const sized = parameters.filter(({ open }) => !open).map(place);
  const placedResults = results.map(place);
  const open = parameters.slice(sized.length).map(place);
  return { parameters: [...sized, ...open], results: placedResults, end };
}

export function callSite(call: BoundCall, callee: Callee, frame: FrameBuilder): CallSite {
  const { signature } = call;
  const layout = formalLayout(signature);
  const moves = (all: readonly Passed[], formals: readonly Formal[], offsets: readonly number[]): readonly Moved[] =>
    all.flatMap((passed, i) => movesOf(passed, elementAt(formals, i), elementAt(offsets, i), frame));
  const parameters = moves(call.parameters, signature.parameters, layout.parameters);
  const open = call.parameters.find((_, i) => elementAt(signature.parameters, i).open);
  return {
    name: 'signature' in call.callee ? call.callee.name : call.callee.register,
    callee,
    parameters,
    openBytes: open === undefined ? 0 : (parameters.at(-1)?.bytes ?? 0),
    results: moves(call.results, signature.results, layout.results).filter(({ value }) => value.kind !== 'constant'),
  };
}

function movesOf(passed: Passed, { bytes, open }: Formal, offset: number, frame: FrameBuilder): readonly Moved[] {
  switch (passed.kind) {
    case 'sink':
      return [];
    case 'constant':
      return [{ offset, bytes, value: passed }];
    case 'variable':
      return [{ offset, bytes: open ? sizeOf(passed.symbol.variable) : bytes, value: passed }];
    case 'registers': {
      const each = bytes / passed.uses.length;
      return passed.uses.map((use, lane): Moved => {
        const { width } = use.symbol.type;
        const value = { kind: 'register', place: frame.register(use), width } as const;
        return { offset: offset + lane * each, bytes: each, value };
      });
    }
  }
}

/**
 * The number of bits that a register takes up in memory: its width, but at least 8, because a predicate takes up one
 * byte.
 */
export function storedWidth(width: number): number {
  return Math.max(8, width);
}
