/** Fields for whole numbers. If the number in a field is not valid, the browser shows the reason next to the field. */
import { html, nothing, type TemplateResult } from 'lit';

interface WholeNumber {
  readonly value: number;
  readonly least: number;
  readonly most?: number;
  /** The label that screen readers announce, for fields that are not inside a `<label>`. */
  readonly label?: string;
  /** Called when the user enters a number that is within the limits. */
  readonly set: (value: number) => void;
}

export function wholeNumberField({ value, least, most, label, set }: WholeNumber): TemplateResult {
  const typed = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement && currentTarget.checkValidity()) set(currentTarget.valueAsNumber);
  };
  const left = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLInputElement) currentTarget.reportValidity();
  };
  return html`<input type="number" required step="1" min=${least} max=${most ?? Number.MAX_SAFE_INTEGER} aria-label=${label ?? nothing}
    .value=${String(value)} @input=${typed} @change=${left} />`;
}
