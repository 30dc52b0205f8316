/**
 * The styles of the Convert page. Colors and fonts come from CSS variables that the page defines; the light theme is
 * used on pages that do not define them.
 */
import { css, type CSSResult } from 'lit';

const controls: CSSResult = css`
  * { box-sizing: border-box; }
  :host { display: block; color: var(--ink, #1d1b18); font-family: var(--sans, system-ui, sans-serif); font-size: 16px; line-height: 1.5; }
  :focus-visible { outline: 2px solid var(--accent, #0b6e63); outline-offset: 2px; }
  h2 { font-size: 14px; font-weight: 600; margin: 0 0 8px; color: var(--quiet, #5f5a52); }
  button, select, input { font: inherit; color: inherit; }
  .mono { font-family: var(--mono, monospace); }
  .ask { display: flex; flex-wrap: wrap; align-items: end; gap: 12px; }
  label { display: grid; gap: 4px; font-size: 14px; color: var(--quiet, #5f5a52); }
  input, select {
    height: 44px; padding: 0 12px; border: 1px solid var(--strong-line, #8a857b); border-radius: var(--radius, 8px);
    background: var(--surface, #fff); color: var(--ink, #1d1b18); font-family: var(--mono, monospace); font-size: 16px;
  }
  select {
    appearance: none; padding-right: 36px; cursor: pointer;
    background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(-45deg, transparent 50%, currentColor 50%);
    background-size: 6px 6px; background-position: right 18px center, right 12px center; background-repeat: no-repeat;
  }
  .formats { display: flex; align-items: end; gap: 12px; }
  .value { flex: 1 1 200px; max-width: 320px; }
  .value input { width: 100%; }
  input[aria-invalid='true'], input:invalid { border-color: var(--bad, #b3261e); }
  .arrow { height: 44px; display: grid; place-items: center; color: var(--quiet, #5f5a52); font-size: 20px; }
  .modes { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 12px 0 0; padding: 0; border: 0; }
  .group .name { display: block; margin-bottom: 2px; font-size: 14px; color: var(--quiet, #5f5a52); }
  .chip:not(:last-child) { margin-right: 4px; }
  .chip {
    font-family: var(--mono, monospace); font-size: 14px; min-height: 36px; padding: 0 12px; cursor: pointer;
    border: 1px solid var(--line, #dcd8d0); border-radius: 18px; background: var(--surface, #fff); color: var(--quiet, #5f5a52);
  }
  .chip:hover { border-color: var(--strong-line, #8a857b); color: var(--ink, #1d1b18); }
  .chip[aria-checked='true'], .chip[aria-pressed='true'] {
    border-color: var(--accent, #0b6e63); background: var(--accent-wash, #e2f2ef); color: var(--accent, #0b6e63); font-weight: 600;
  }
  .problem { margin: 8px 0 0; overflow-wrap: anywhere; font-size: 14px; color: var(--bad, #b3261e); min-height: 21px; }
`;

const answer: CSSResult = css`
  .answer { margin: 8px 0 24px; }
  .result { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 20px; }
  .number { font-family: var(--mono, monospace); font-size: clamp(44px, 8vw, 80px); line-height: 1.1; font-weight: 650; letter-spacing: -0.03em; overflow-wrap: anywhere; }
  .number.long { font-size: clamp(28px, 4vw, 44px); }
  .code { font-family: var(--mono, monospace); font-size: 18px; color: var(--quiet, #5f5a52); }
  .why { margin: 8px 0 0; max-width: 68ch; min-height: 48px; }
  .instruction { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; margin-top: 8px; font-size: 14px; color: var(--quiet, #5f5a52); }
  .instruction code { font-family: var(--mono, monospace); color: var(--ink, #1d1b18); overflow-wrap: anywhere; }
  .share { display: flex; flex-wrap: wrap; align-items: center; gap: 4px; }
  .copied { margin-left: 4px; }
  .plain { border: 1px solid var(--line, #dcd8d0); background: none; border-radius: var(--radius, 8px); min-height: 32px; padding: 0 10px; font-size: 14px; color: var(--quiet, #5f5a52); cursor: pointer; }
  .plain:hover { color: var(--ink, #1d1b18); border-color: var(--strong-line, #8a857b); }
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) 320px; gap: 24px 40px; }
  .columns > * { min-width: 0; }
  section { margin: 0 0 28px; }
  .side section { border-top: 1px solid var(--line, #dcd8d0); padding-top: 12px; }
  @media (max-width: 1000px) { .columns { grid-template-columns: minmax(0, 1fr); } }
`;

const pictures: CSSResult = css`
  .bits { display: flex; flex-wrap: wrap; gap: 8px 10px; }
  .field { display: grid; gap: 2px; justify-items: start; align-content: start; }
  .cells { display: flex; flex-wrap: wrap; }
  .cell {
    width: 22px; height: 32px; padding: 0; font-family: var(--mono, monospace); font-size: 14px; cursor: pointer; border-radius: 0;
    border: 1px solid var(--line, #dcd8d0); margin: 0 -1px -1px 0; background: var(--surface, #fff); color: var(--ink, #1d1b18);
  }
  .narrow .cell { width: 17px; font-size: 13px; }
  .cell:hover { position: relative; border-color: var(--ink, #1d1b18); z-index: 1; }
  .sign .cell[aria-pressed='true'], .sign .fixed.set { background: var(--sign-wash, #fbe4ea); color: var(--sign, #b4234a); font-weight: 700; }
  .exponent .cell[aria-pressed='true'], .exponent .fixed.set { background: var(--exponent-wash, #faeed3); color: var(--exponent, #8a5a00); font-weight: 700; }
  .significand .cell[aria-pressed='true'], .significand .fixed.set { background: var(--significand-wash, #e4ecfc); color: var(--significand, #2450b8); font-weight: 700; }
  .caption { font-size: 13px; width: min-content; min-width: 100%; }
  .sign .caption { color: var(--sign, #b4234a); }
  .exponent .caption { color: var(--exponent, #8a5a00); }
  .significand .caption { color: var(--significand, #2450b8); }
  .padding .caption { color: var(--quiet, #5f5a52); }
  .fixed { display: inline-grid; place-items: center; cursor: default; }
  .scroll { overflow-x: auto; padding-bottom: 4px; }
  table.cut { border-collapse: collapse; font-family: var(--mono, monospace); font-size: 14px; }
  .cut td, .cut th { width: 22px; min-width: 20px; height: 30px; padding: 0; text-align: center; font-weight: 400; }
  .cut th.row { width: auto; padding-right: 12px; text-align: left; font-family: var(--sans, sans-serif); color: var(--quiet, #5f5a52); white-space: nowrap; }
  .cut .digit { border: 1px solid var(--line, #dcd8d0); }
  .cut .digit.one { background: var(--significand-wash, #e4ecfc); color: var(--significand, #2450b8); font-weight: 700; }
  .cut .guard.digit { border-style: dashed; border-color: var(--strong-line, #8a857b); }
  .cut .sticky.digit { border-style: dotted; border-color: var(--strong-line, #8a857b); }
  .cut .edge { border-left: 3px solid var(--accent, #0b6e63); }
  .cut .part, .cut .weight { font-size: 13px; color: var(--quiet, #5f5a52); white-space: nowrap; height: 24px; }
  .cut .rest { min-width: 64px; }
  @media (max-width: 480px) {
    .cut td, .cut th { width: 18px; min-width: 17px; }
    .cut th.row { padding-right: 6px; }
    .cut .rest { min-width: 60px; font-size: 13px; }
  }
  svg { display: block; width: 100%; overflow: visible; font-family: var(--mono, monospace); font-size: 13px; }
  svg text { fill: var(--ink, #1d1b18); }
  svg .quiet { fill: var(--quiet, #5f5a52); }
  svg .axis, svg .tick { stroke: var(--strong-line, #8a857b); stroke-width: 2; }
  svg .half { stroke: var(--strong-line, #8a857b); stroke-dasharray: 3 3; }
  svg .dot { fill: var(--accent, #0b6e63); cursor: grab; }
  svg .dot:focus-visible { outline: none; stroke: var(--ink, #1d1b18); stroke-width: 3; }
  svg .move { stroke: var(--accent, #0b6e63); stroke-width: 2; fill: none; }
  svg .chosen { fill: var(--accent, #0b6e63); font-weight: 700; }
`;

const sides: CSSResult = css`
  .stacks { display: grid; gap: 1px; background: var(--line, #dcd8d0); border: 1px solid var(--line, #dcd8d0); border-radius: var(--radius, 8px); overflow: hidden; margin: 0; }
  .stack { display: grid; grid-template-columns: 96px 1fr; gap: 0 12px; padding: 8px 12px; background: var(--surface, #fff); }
  .stack.differs { background: var(--exponent-wash, #faeed3); }
  .stack dt { font-weight: 600; font-size: 14px; }
  .stack dd { margin: 0; font-family: var(--mono, monospace); }
  .stack .cause { grid-column: 1 / -1; font-size: 14px; color: var(--quiet, #5f5a52); font-family: var(--sans, sans-serif); }
  .lanes { display: grid; gap: 4px; }
  .lane { display: grid; grid-template-columns: 60px 1fr auto; gap: 12px; align-items: center; text-align: left; width: 100%; min-height: 40px; padding: 4px 12px; font-family: var(--mono, monospace); font-size: 14px;
    border: 1px solid var(--line, #dcd8d0); border-radius: var(--radius, 8px); background: var(--surface, #fff); cursor: pointer; overflow-wrap: anywhere; }
  .lane[aria-pressed='true'] { border-color: var(--accent, #0b6e63); background: var(--accent-wash, #e2f2ef); }
  .register { display: flex; font-family: var(--mono, monospace); font-size: 14px; margin-bottom: 8px; }
  .register > span { flex: 1; min-width: 0; border: 1px solid var(--strong-line, #8a857b); margin-right: -1px; padding: 6px 4px; text-align: center; overflow: hidden; text-overflow: ellipsis; }
  .register small { display: block; font-size: 13px; color: var(--quiet, #5f5a52); }
  .register .here { background: var(--accent-wash, #e2f2ef); color: var(--accent, #0b6e63); font-weight: 700; }
  .slider input { width: 100%; accent-color: var(--accent, #0b6e63); padding: 0; border: 0; background: none; }
  p.note { font-size: 14px; color: var(--quiet, #5f5a52); margin: 4px 0; }
`;

/** In forced-colors mode, background colors are replaced, so borders mark the selected elements. */
const forced: CSSResult = css`
  @media (forced-colors: active) {
    .chip[aria-checked='true'], .chip[aria-pressed='true'], .lane[aria-pressed='true'], .register .here { border: 3px solid Highlight; }
    .cell[aria-pressed='true'], .fixed.set, .digit.one { border-color: Highlight; }
    input[aria-invalid='true'], input:invalid { border-style: dashed; border-width: 2px; }
  }
`;

export const convertStyle: readonly CSSResult[] = [controls, answer, pictures, sides, forced];
