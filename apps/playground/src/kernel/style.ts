/** The styles of the Kernel page. */
import { css, type CSSResult } from 'lit';

const frame: CSSResult = css`
  * { box-sizing: border-box; }
  :host { container-type: inline-size; display: flex; flex-direction: column; height: 100%; min-height: 640px; color: var(--ink); font-family: var(--sans); font-size: 15px; line-height: 1.5; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  button, select, input { font: inherit; color: inherit; }
  code, pre { font-family: var(--mono); font-size: 14px; }
  a { color: var(--accent); }
  h2 { font-size: 16px; margin: 0 0 8px; overflow-wrap: anywhere; }
  .work { flex: 1 1 auto; min-height: 240px; display: grid; grid-template-columns: minmax(0, 3fr) minmax(280px, 2fr); border-block: 1px solid var(--line); }
  .editor { min-width: 0; overflow: hidden; position: relative; }
  .editor > * { position: absolute; inset: 0; }
  .inspector { border-left: 1px solid var(--line); padding: 16px; overflow: auto; background: var(--ground); }
  .dock { flex: 0 1 336px; display: flex; flex-direction: column; min-height: 260px; }
  .panel { overflow: auto; padding: 12px 16px; flex: 1; }
  .tabs { display: flex; align-items: center; gap: 4px; padding: 8px 16px; border-bottom: 1px solid var(--line); }
  .tabs [role='tablist'] { display: flex; gap: 4px; }
  .tabs [role='tab'] { border: 0; background: none; min-height: 36px; padding: 0 12px; border-radius: var(--radius); color: var(--quiet); cursor: pointer; }
  .tabs [role='tab'][aria-selected='true'] { background: var(--accent-wash); color: var(--accent); font-weight: 600; }
  .tabs .note { margin-left: auto; font-size: 14px; color: var(--quiet); }
  .plain { border: 1px solid var(--line); background: var(--surface); border-radius: var(--radius); min-height: 32px; padding: 0 10px; font-size: 14px; color: var(--quiet); cursor: pointer; }
  .plain:hover { color: var(--ink); border-color: var(--strong-line); }
  .go { border: 0; background: var(--accent); color: var(--on-accent); border-radius: var(--radius); min-height: 36px; padding: 0 24px; font-weight: 600; cursor: pointer; }
  .go.second { background: var(--surface); color: var(--accent); border: 1px solid var(--accent); }
  .go:disabled { background: var(--sunken); color: var(--quiet); border-color: var(--line); cursor: default; }
  .go.stop { background: var(--bad); color: var(--surface); }
  .empty { color: var(--quiet); margin: 0; }
  @container (max-width: 900px) {
    .work { display: contents; }
    .editor { flex: 0 0 320px; border-block: 1px solid var(--line); }
    .inspector { order: 1; border-left: 0; border-top: 1px solid var(--line); }
    .dock { flex-basis: auto; }
    .tabs { flex-wrap: wrap; }
    .tabs [role='tablist'] { flex-basis: 100%; }
    .go { flex: 1 1 55%; }
    .go.second { flex: 1 1 30%; }
    .tabs .plain { order: 1; }
    .tabs .note:empty { display: none; }
  }
`;

const strip: CSSResult = css`
  .strip { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 24px; padding: 10px 16px; margin: 0; }
  .verdict { margin: 0; font-size: 18px; font-weight: 650; }
  .verdict.good, .state.good { color: var(--accent); }
  .verdict.bad, .state.bad { color: var(--bad); }
  .legend { margin: 0; font-size: 14px; color: var(--quiet); }
  .targets { display: flex; flex-wrap: wrap; gap: 4px 12px; flex-basis: 100%; }
  @container (max-width: 900px) {
    .strip { gap: 4px 16px; }
    .targets {
      flex-wrap: nowrap; overflow-x: auto; margin: 4px -16px 0; padding: 0 24px 4px;
      mask-image: linear-gradient(90deg, transparent, #000 24px, #000 calc(100% - 24px), transparent);
    }
    .target { min-height: 36px; min-width: 40px; }
  }
  .family { display: inline-flex; gap: 2px; }
  .prefix { font-family: var(--mono); font-size: 13px; line-height: 28px; color: var(--quiet); }
  .target { font-family: var(--mono); font-size: 13px; min-width: 32px; min-height: 28px; padding: 0 4px; border: 1px solid var(--line); border-radius: 4px; cursor: pointer; background: var(--surface); }
  .target.taken { color: var(--accent); background: var(--accent-wash); }
  .target.refused { color: var(--quiet); text-decoration: line-through; }
  .target[aria-pressed='true'] { border: 2px solid var(--ink); font-weight: 700; }
`;

const panels: CSSResult = css`
  .problems { list-style: none; margin: 0; padding: 0; display: grid; gap: 8px; }
  .problems li { display: grid; grid-template-columns: 80px 1fr auto; gap: 12px; align-items: start; }
  .problems .error strong { color: var(--bad); }
  .problems .place { border: 0; background: none; color: var(--accent); padding: 0; text-align: left; cursor: pointer; font-family: var(--mono); font-size: 14px; text-decoration: underline; }
  .help { color: var(--quiet); }
  .actions { display: flex; gap: 8px; align-items: center; }
  .launch, .launch .row { display: flex; flex-wrap: wrap; gap: 12px 24px; align-items: end; }
  .launch .row { width: 100%; }
  .launch label, fieldset { display: flex; align-items: center; gap: 6px; border: 0; padding: 0; margin: 0; font-size: 14px; color: var(--quiet); }
  legend { float: left; padding: 0; margin-right: 6px; }
  .launch input, .launch select { height: 34px; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--surface); color: var(--ink); padding: 0 8px; font-family: var(--mono); font-size: 14px; }
  .launch label { min-width: 0; max-width: 100%; }
  .launch select { min-width: 0; max-width: 100%; text-overflow: ellipsis; }
  .launch select {
    appearance: none; padding-right: 28px; cursor: pointer;
    background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(-45deg, transparent 50%, currentColor 50%);
    background-size: 5px 5px; background-position: right 15px center, right 10px center; background-repeat: no-repeat;
  }
  .launch input:invalid { border-color: var(--bad); }
  .launch input { width: 88px; }
  .launch fieldset input { width: 66px; }
  .launch input[type='checkbox'] { width: 18px; height: 18px; margin: 0; accent-color: var(--accent); }
  .launch label.choice { height: 34px; cursor: pointer; }
  .arguments { flex: 1 1 100%; display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; }
  .argument { display: flex; align-items: center; gap: 6px; font-size: 14px; }
  .argument > code { min-width: 24px; font-weight: 650; }
  .state { margin: 16px 0 8px; font-weight: 600; font-size: 18px; }
  .state:empty { margin: 0; }
  .after-fault { margin: 0 0 8px; }
  .buffers { display: flex; flex-wrap: wrap; gap: 16px; }
  figure { margin: 0; flex: 1 1 200px; max-width: 360px; }
  figcaption { font-size: 14px; color: var(--quiet); }
  .plot { display: grid; grid-template-columns: minmax(40px, max-content) minmax(0, 1fr); gap: 0 6px; }
  .plot svg { display: block; width: 100%; height: 64px; background: var(--sunken); border-radius: 4px; }
  .plot rect { fill: var(--significand); }
  .range { display: flex; flex-direction: column; justify-content: space-between; margin: 0; font-size: 13px; line-height: 1.2; text-align: right; color: var(--quiet); font-family: var(--mono); }
  .numbers { font-family: var(--mono); font-size: 13px; margin: 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  .printed { background: var(--sunken); padding: 8px 12px; border-radius: 6px; max-height: 200px; overflow: auto; }
  .register { display: flex; font-family: var(--mono); font-size: 13px; margin: 8px 0; }
  .register > span { flex: 1; min-width: 0; border: 1px solid var(--strong-line); margin-right: -1px; padding: 4px 2px; text-align: center; overflow: hidden; text-overflow: ellipsis; }
  .register small { display: block; font-size: 13px; color: var(--quiet); }
  .operands { border-collapse: collapse; margin: 8px 0; font-size: 14px; }
  .operands th, .operands td { text-align: left; padding: 2px 16px 2px 0; font-weight: 400; color: var(--quiet); }
  .operands th { color: var(--ink); }
  .fact { margin: 6px 0; font-size: 14px; }
  .quiet { color: var(--quiet); }
  .inspector h2:not(:first-child) { margin-top: 20px; }
  .flow svg { display: block; font-family: var(--mono); font-size: 13px; }
  .flow polyline { fill: none; stroke: var(--strong-line); }
  .flow .back { stroke: var(--sign); stroke-dasharray: 4 3; }
  .flow marker path { fill: var(--strong-line); }
  .flow rect { fill: var(--surface); stroke: var(--strong-line); }
  .flow g { cursor: pointer; }
  .flow g:hover rect { stroke: var(--accent); fill: var(--accent-wash); }
  .flow text { fill: var(--ink); }
`;

const steps: CSSResult = css`
  .halves { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px 32px; }
  .halves .state { margin-top: 0; }
  @container (max-width: 1100px) {
    .halves { grid-template-columns: minmax(0, 1fr); }
    .halves .result { order: -1; }
  }
  .invitation { margin: 0; color: var(--quiet); max-width: 60ch; }
  .invitation strong { color: var(--ink); }
  figcaption strong { color: var(--accent); }
  .argument { flex-wrap: wrap; }
  .transport { display: flex; gap: 6px; align-items: center; flex-wrap: wrap; }
  .transport input { flex: 1 1 200px; accent-color: var(--accent); }
  .count { font-size: 14px; color: var(--quiet); min-width: 130px; text-align: right; font-variant-numeric: tabular-nums; }
  .timeline { display: block; width: 100%; height: 32px; margin: 8px 0; background: var(--sunken); }
  .timeline rect { fill: var(--significand); opacity: 0.55; }
  .timeline line { stroke: var(--accent); stroke-width: 3; vector-effect: non-scaling-stroke; }
  .current { margin: 4px 0; font-size: 16px; }
  .mask { display: flex; flex-wrap: wrap; gap: 2px; margin: 8px 0; font-family: var(--mono); font-size: 13px; }
  .mask span { width: 26px; height: 24px; display: grid; place-items: center; border: 1px dashed var(--line); color: var(--quiet); border-radius: 3px; }
  .mask .on { border: 1px solid var(--accent); background: var(--accent-wash); color: var(--accent); font-weight: 700; }
  .scroll { overflow-x: auto; }
  .lanes { border-collapse: collapse; font-family: var(--mono); font-size: 13px; }
  .lanes th, .lanes td { border-bottom: 1px solid var(--line); padding: 0 8px; text-align: right; white-space: nowrap; font-weight: 400; color: var(--quiet); height: 26px; }
  .lanes th[scope='row'] { position: sticky; left: 0; background: var(--ground); text-align: left; color: var(--ink); }
  .lanes small { color: var(--quiet); font-size: 13px; margin-left: 6px; }
  .lanes button { border: 0; background: none; padding: 2px; color: var(--ink); cursor: pointer; }
  .lanes .changed { background: var(--exponent-wash); }
  .lanes .changed button { color: var(--exponent); font-weight: 700; }
`;

/** In forced-colors mode, background colors are replaced, so borders mark the selected elements and the buttons. */
const forced: CSSResult = css`
  @media (forced-colors: active) {
    .go { border: 1px solid ButtonText; }
    .tabs [role='tab'][aria-selected='true'], .mask .on { border: 2px solid Highlight; }
    .target[aria-pressed='true'] { border-color: Highlight; }
    .lanes .changed button { text-decoration: underline; }
  }
`;

export const kernelStyle: readonly CSSResult[] = [frame, strip, panels, steps, forced];
