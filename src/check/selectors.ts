/** Selectors and minus signs that operands of video instructions carry: they choose among a form's meanings. */
import type { Variant } from '../isa/form.ts';
import type { Shape } from './shapes.ts';

/** The variant with what its operands carry: selectors and minus signs of video instructions. */
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
