/** Which encoders and decoders run: by WebAssembly where it may, else plain JavaScript; their results are the same. */
import type { FormatName } from '../numerics/formats.ts';
import type { BlockEncoder, EncoderPlan } from './block-encoder.ts';
import { FastDecoder } from './fast-decoder.ts';
import { FastEncoder } from './fast-encoder.ts';
import { type BlockDecoder, PlainDecoder } from './plain-decoder.ts';
import { PlainEncoder } from './plain-encoder.ts';

const encoders = new Map<string, BlockEncoder>();
const decoders = new Map<string, BlockDecoder>();

/** An encoder for a plan, made once; `plain` never uses WebAssembly. */
export function blockEncoder(plan: EncoderPlan, plain: boolean): BlockEncoder {
  return once(
    encoders,
    JSON.stringify([plan, plain]),
    () => (plain ? null : compiled(() => new FastEncoder(plan))) ?? new PlainEncoder(plan),
  );
}

/** A decoder of an element's codes, made once. */
export function blockDecoder(element: FormatName, dense: boolean, plain: boolean): BlockDecoder {
  return once(
    decoders,
    `${element} ${dense} ${plain}`,
    () => (plain ? null : compiled(() => new FastDecoder(element, dense))) ?? new PlainDecoder(element, dense),
  );
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Null where WebAssembly is absent or forbidden, as a page's content security policy can do, or has no vectors. */
function compiled<T>(make: () => T): T | null {
  if (typeof WebAssembly === 'undefined') return null;
  try {
    return make();
  } catch (error) {
    if (error instanceof WebAssembly.CompileError || error instanceof EvalError) return null;
    throw error;
  }
}
