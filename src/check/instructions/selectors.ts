/** Selectors and minus signs on the operands of video instructions. They affect what the instruction computes. */
import type { Variant } from '../../isa/form.ts';
import type { Shape } from './shape.ts';

/** For video instructions, adds the selectors and minus signs of the operands to the variant. */
export function withSelectors(variant: Variant, shapes: readonly Shape[]): Variant {
  const selectors: Record<string, string> = {};
  variant.form.operands.forEach((pattern, i) => {
    const text = selectorOf(shapes[i]);
    if (text !== '') selectors[pattern.name] = text;
  });
  return Object.keys(selectors).length === 0 ? variant : { ...variant, selectors };
}

function selectorOf(shape: Shape | undefined): string {
  if (shape?.kind === 'part') return shape.selector;
  return shape?.kind === 'unary' && shape.operator === '-' ? `-${selectorOf(shape.operand)}` : '';
}
