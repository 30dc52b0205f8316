/**
 * Faults: errors of a running kernel. Code inside an engine throws a fault to end the launch; the engine then catches
 * the fault and returns it as data.
 */
import { fill } from '../diagnostics/diagnostic.ts';
import type { SourcePlace } from '../base/source-place.ts';
import { type Code, catalog, type Parameters } from '../diagnostics/catalog.ts';
import type { Dim3 } from './extents.ts';

/** Describes what went wrong, where, and in which thread. Fields that do not apply are null. */
export interface Fault {
  readonly code: Code;
  readonly message: string;
  readonly kernel: string;
  readonly block: Dim3 | null;
  readonly thread: Dim3 | null;
  /** The PTX source line, counted from 1. */
  readonly line: number | null;
  /** Position in the original source; null if the PTX has no `.loc` for the line. */
  readonly source: SourcePlace | null;
  readonly space: string | null;
  /** An address in `space`, or a generic address if `space` is null, in hexadecimal with the prefix `0x`. */
  readonly address: string | null;
}

/**
 * The error thrown by memory accesses and control flow inside an engine. It describes what went wrong, but not in which
 * thread.
 */
export class MachineFault extends Error {
  readonly code: Code;
  readonly space: string | null;
  readonly address: string | null;

  constructor(code: Code, message: string, space: string | null = null, address: string | null = null) {
    super(message);
    this.name = 'MachineFault';
    this.code = code;
    this.space = space;
    this.address = address;
  }
}

type FaultCode = Extract<Code, `PTX6${string}`>;

/** Creates a fault with the given code. Its message is taken from the catalog, and the parameters are filled in. */
export function machineFault<C extends FaultCode>(
  code: C,
  parameters: Parameters<C>,
  where: { readonly space?: string; readonly address?: string } = {},
): MachineFault {
  return new MachineFault(code, machineMessage(code, parameters), where.space ?? null, where.address ?? null);
}

/** The message from the catalog, with the parameters filled in. */
export function machineMessage<C extends FaultCode>(code: C, parameters: Parameters<C>): string {
  return fill(catalog[code].message, parameters);
}
