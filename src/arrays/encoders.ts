/** Which encoder runs: WebAssembly where it may, else plain JavaScript; their results are the same. */
import type { BlockEncoder, EncoderPlan } from './block-encoder.ts';
import { FastEncoder } from './fast-encoder.ts';
import { PlainEncoder } from './plain-encoder.ts';

const known = new Map<string, BlockEncoder>();

/** An encoder for a plan, made once; `plain` never uses WebAssembly. */
export function blockEncoder(plan: EncoderPlan, plain: boolean): BlockEncoder {
  const key = JSON.stringify([plan, plain]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = (plain ? null : fastEncoder(plan)) ?? new PlainEncoder(plan);
  known.set(key, made);
  return made;
}

/** Null where WebAssembly is absent or forbidden, as a page's content security policy can do, or has no vectors. */
function fastEncoder(plan: EncoderPlan): BlockEncoder | null {
  if (typeof WebAssembly === 'undefined') return null;
  try {
    return new FastEncoder(plan);
  } catch (error) {
    if (error instanceof WebAssembly.CompileError || error instanceof EvalError) return null;
    throw error;
  }
}
