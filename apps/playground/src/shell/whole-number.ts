/** Fields for whole numbers. The browser explains next to a field what it does not accept. */
import { html, nothing, type TemplateResult } from 'lit';

interface WholeNumber {
  readonly value: number;
  readonly least: number;
  readonly most?: number;
  /** For fields that are not inside a label. */
  readonly label?: string;
  /** Called only with numbers within the limits. */
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
