/** Styles for the Tensors page, which also uses the styles of the Convert page. */
import { css, type CSSResult } from 'lit';

export const tensorsStyle: CSSResult = css`
  .source { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 16px; border: 1px dashed var(--strong-line, #8a857b); border-radius: var(--radius, 8px); }
  .source.over { border-color: var(--accent, #0b6e63); background: var(--accent-wash, #e2f2ef); }
  .source p { margin: 0; flex: 1 1 320px; font-size: 14px; color: var(--quiet, #5f5a52); min-width: 0; overflow-wrap: anywhere; }
  .source strong { display: block; font-size: 16px; color: var(--ink, #1d1b18); }
  .source input { display: none; }
  .go { min-height: 44px; padding: 0 20px; border: 1px solid var(--accent, #0b6e63); border-radius: var(--radius, 8px); background: var(--accent, #0b6e63); color: var(--on-accent, #fff); font-weight: 600; cursor: pointer; }
  .go.second { background: none; color: var(--accent, #0b6e63); }
  .go:disabled { border-color: var(--line, #dcd8d0); background: var(--sunken, #f1efeb); color: var(--quiet, #5f5a52); cursor: default; }
  .busy { display: flex; align-items: center; gap: 12px; min-height: 36px; margin: 8px 0 12px; font-size: 14px; color: var(--quiet, #5f5a52); }
  .busy .words { flex: 1 1 auto; min-width: 0; overflow-wrap: anywhere; }
  .busy.bad { color: var(--bad, #b3261e); }
  .track { flex: 0 1 160px; min-width: 64px; height: 8px; border-radius: 4px; background: var(--sunken, #f1efeb); overflow: hidden; }
  .track span { display: block; height: 100%; background: var(--accent, #0b6e63); }
  .answer { margin: 24px 0 0; }
  .why { min-height: 24px; max-width: none; text-wrap: pretty; }
  .number { font-size: clamp(36px, 6vw, 64px); }
  .save { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; margin-top: 12px; font-size: 14px; color: var(--quiet, #5f5a52); }
  .columns { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
  .tensors { list-style: none; margin: 0; padding: 0; max-height: 420px; overflow-y: auto; border: 1px solid var(--line, #dcd8d0); border-radius: var(--radius, 8px); }
  .tensors li + li { border-top: 1px solid var(--line, #dcd8d0); }
  .tensor { display: grid; grid-template-columns: minmax(0, 1fr) 104px; gap: 0 12px; align-items: center; width: 100%; padding: 8px 12px; border: 0; background: var(--surface, #fff); text-align: left; cursor: pointer; }
  .tensor:hover { background: var(--sunken, #f1efeb); }
  .tensor:focus-visible { outline-offset: -2px; }
  .tensor[aria-pressed='true'] { background: var(--accent-wash, #e2f2ef); box-shadow: inset 3px 0 var(--accent, #0b6e63); }
  .tensor .name { font-family: var(--mono, monospace); font-size: 14px; overflow-wrap: anywhere; }
  .tensor .facts { grid-column: 1; font-size: 14px; color: var(--quiet, #5f5a52); }
  .tensor .small { grid-column: 2; grid-row: 1 / 3; height: 32px; font-size: 14px; }
  .small svg { width: 100%; height: 32px; }
  .none { color: var(--quiet, #5f5a52); }
  svg .positive { fill: var(--accent, #0b6e63); }
  svg .negative { fill: var(--sign, #b4234a); }
  .large svg { width: 100%; height: 96px; border-bottom: 1px solid var(--line, #dcd8d0); }
  .axis { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; margin: 4px 0 12px; font-size: 14px; color: var(--quiet, #5f5a52); }
  .axis sup { line-height: 1; font-size: 13px; }
  .legend i { display: inline-block; width: 8px; height: 8px; margin: 0 2px 0 8px; }
  .legend .positive { background: var(--accent, #0b6e63); }
  .legend .negative { background: var(--sign, #b4234a); }
  .statistics { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px 12px; margin: 0; }
  .statistics dt { font-size: 14px; color: var(--quiet, #5f5a52); }
  .statistics dd { margin: 0; font-family: var(--mono, monospace); font-size: 14px; overflow-wrap: anywhere; }
  table.recipes { width: 100%; border-collapse: collapse; font-size: 14px; }
  .recipes thead th { padding: 4px 8px; text-align: left; font-weight: 400; color: var(--quiet, #5f5a52); }
  .recipes td { padding: 0 8px; font-family: var(--mono, monospace); white-space: nowrap; }
  .recipes td.refused, .recipes td.none { font-family: var(--sans, sans-serif); white-space: normal; overflow-wrap: anywhere; }
  .recipes tbody tr { border-top: 1px solid var(--line, #dcd8d0); }
  .recipes tbody th { padding: 0; font-weight: 400; text-align: left; }
  .recipes th button { width: 100%; min-height: 36px; padding: 4px 8px; border: 0; background: none; text-align: left; cursor: pointer; }
  .recipes th button:focus-visible { outline-offset: -2px; }
  .recipes th code { font-family: var(--mono, monospace); font-size: 14px; font-weight: 600; white-space: nowrap; margin-right: 8px; }
  .recipes small { font-size: 14px; color: var(--quiet, #5f5a52); }
  .recipes tr:hover { background: var(--sunken, #f1efeb); }
  .recipes .chosen { background: var(--accent-wash, #e2f2ef); box-shadow: inset 3px 0 var(--accent, #0b6e63); }
  .recipes .measure { width: 128px; }
  .measure { position: relative; }
  .measure .bar { position: absolute; left: 8px; bottom: 3px; max-width: calc(100% - 16px); height: 4px; border-radius: 2px; background: var(--accent, #0b6e63); }
  @media (max-width: 1100px) { .columns { grid-template-columns: minmax(0, 1fr); } .tensors { max-height: 260px; } }
  @media (max-width: 700px) {
    .recipes small { display: none; }
    .recipes .measure { width: 84px; }
    .source .go { flex: 1 1 auto; }
  }
`;
