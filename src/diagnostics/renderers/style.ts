import { callback, type Rule, type RulesFor, shaped } from '../../base/rules.ts';

/** Adds the color codes of a role to a string. Renderers compute the width of a string before they add colors. */
export type Paint = (text: string) => string;

/**
 * Colors by role. Each color is a function that the caller passes in, because only the caller knows the terminal; the
 * renderers therefore need no color library.
 */
export interface Style {
  readonly error: Paint;
  readonly warning: Paint;
  readonly note: Paint;
  /** Headings and messages. */
  readonly strong: Paint;
  /** Frames, rulers and other supporting characters. */
  readonly faint: Paint;
  /** Names of instructions, types and modifiers. */
  readonly accent: Paint;
}

const asIs: Paint = (text) => text;

/** No colors at all. */
export const plainStyle: Style = {
  error: asIs,
  warning: asIs,
  note: asIs,
  strong: asIs,
  faint: asIs,
  accent: asIs,
};

const paints: RulesFor<Style> = {
  error: callback(),
  warning: callback(),
  note: callback(),
  strong: callback(),
  faint: callback(),
  accent: callback(),
};

export const styleRule: Rule<Style> = shaped<Style>('an object with a function for each role', paints);
