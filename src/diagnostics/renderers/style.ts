/** Wraps a text in the colours of its role; the widths that renderers compute are those of the bare text. */
export type Paint = (text: string) => string;

/** Colours by role, handed in by whoever knows the terminal, so that renderers depend on no colour library. */
export interface Style {
  readonly error: Paint;
  readonly warning: Paint;
  readonly note: Paint;
  /** Headings and messages. */
  readonly strong: Paint;
  /** Frames, rulers, anything that only holds the rest together. */
  readonly faint: Paint;
  /** Names of instructions, types and modifiers. */
  readonly accent: Paint;
}

const asIs: Paint = (text) => text;

/** No colours at all. */
export const plainStyle: Style = {
  error: asIs,
  warning: asIs,
  note: asIs,
  strong: asIs,
  faint: asIs,
  accent: asIs,
};
