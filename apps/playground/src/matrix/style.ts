/** The styles of the matrix page, which are added to those of the Convert page. */
import { css, type CSSResult } from 'lit';

export const matrixStyle: CSSResult = css`
  h3 { font-size: 14px; font-weight: 600; margin: 12px 0 4px; }
  h3 small { font-size: 13px; font-weight: 400; color: var(--quiet, #5f5a52); }
  label { min-width: 0; }
  select { max-width: 100%; }
  .place input { width: 76px; }
  .number { font-size: clamp(36px, 6vw, 64px); }
  .scroll { max-width: 100%; }
  .product { display: grid; grid-template-columns: max-content max-content max-content; gap: 4px 24px; grid-template-areas: '. b .' 'a d c'; align-items: start; }
  .at-a { grid-area: a; } .at-b { grid-area: b; } .at-c { grid-area: c; } .at-d { grid-area: d; }
  .others { display: flex; flex-wrap: wrap; gap: 8px 24px; }
  .grid { display: grid; grid-auto-rows: 24px; grid-auto-columns: 28px; justify-content: start; }
  .box { border: 1px solid var(--line, #dcd8d0); margin: 0 -1px -1px 0; padding: 0; background: var(--surface, #fff); color: var(--quiet, #5f5a52);
    font-family: var(--mono, monospace); font-size: 13px; line-height: 1; cursor: default; border-radius: 0; min-width: 0; overflow: hidden; }
  .at-d .box { cursor: pointer; }
  .box.used { background: var(--significand-wash, #e4ecfc); color: var(--significand, #2450b8); }
  .box.here { background: var(--accent, #0b6e63); color: var(--on-accent, #fff); font-weight: 700; }
  .box.chosen { box-shadow: inset 0 0 0 2px var(--ink, #1d1b18); }
  .box:focus-visible { position: relative; z-index: 1; }
  details { margin: 12px 0; font-size: 14px; }
  summary { cursor: pointer; min-height: 32px; line-height: 32px; color: var(--quiet, #5f5a52); }
  .held { margin: 12px 0 4px; font-size: 14px; min-height: 96px; }
  .held p { margin: 0; }
  .held dl { margin: 0; }
  .held dl > div { display: grid; grid-template-columns: 88px 1fr; gap: 0 12px; }
  .held dt { font-weight: 600; }
  .held dd { margin: 0; color: var(--quiet, #5f5a52); }
  table { border-collapse: collapse; font-size: 14px; }
  th { text-align: left; font-weight: 400; color: var(--quiet, #5f5a52); padding: 4px 12px 4px 0; white-space: nowrap; }
  td { padding: 2px 12px 2px 0; white-space: nowrap; }
  .operands input { width: 92px; height: 32px; padding: 0 8px; font-size: 14px; }
  .operands td.problem { white-space: normal; max-width: 0; padding: 2px 0 8px; }
  .where { font-size: 13px; color: var(--quiet, #5f5a52); margin-left: 8px; }
  .value { font-family: var(--mono, monospace); }
  .terms { font-family: var(--mono, monospace); }
  .terms th { font-family: var(--sans, sans-serif); }
  .terms th[scope='row'] { padding: 0 12px 0 0; }
  .terms td { padding: 0 12px 0 0; line-height: 24px; }
  .terms .cut { border-left: 3px solid var(--accent, #0b6e63); padding-left: 8px; color: var(--quiet, #5f5a52); }
  .terms .digits { font-size: 13px; }
  .terms b { color: var(--significand, #2450b8); }
  .terms .lead { color: var(--quiet, #5f5a52); }
  .terms tfoot th, .terms tfoot td { border-top: 1px solid var(--strong-line, #8a857b); }
  .chunk-result { margin: 4px 0 16px; font-family: var(--mono, monospace); }
  .gpus tbody tr { border-top: 1px solid var(--line, #dcd8d0); }
  .gpus .differs { background: var(--exponent-wash, #faeed3); }
  .gpus td, .gpus th { padding: 8px 12px; }
  .gpus .rule { white-space: normal; min-width: 280px; }
  .work { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 40px; }
  .work > * { min-width: 0; }
  @media (max-width: 1200px) { .work { grid-template-columns: minmax(0, 1fr); } }
  @media (max-width: 700px) {
    .product { grid-template-columns: max-content; grid-template-areas: 'a' 'b' 'c' 'd'; }
    .gpus, .gpus tbody { display: block; }
    .gpus thead { display: none; }
    .gpus tbody tr { display: flex; flex-wrap: wrap; align-items: center; padding: 4px 0; }
    .gpus td, .gpus th { flex: none; padding: 4px 12px; }
    .gpus th { flex-basis: 100%; }
    .gpus .rule { flex-basis: 100%; min-width: 0; }
    .ask { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 8px 12px; }
    .ask label { grid-column: span 3; }
    .ask label:nth-child(3), .ask label:nth-child(4) { grid-column: span 6; }
    .ask select, .ask .place input { width: 100%; text-overflow: ellipsis; }
    .ask label:nth-child(4) select { font-size: 14px; }
  }
`;
