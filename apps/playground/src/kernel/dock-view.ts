/** The dock below the editor, which has one tab each for the problems, the launch and the steps of a recording. */
import { html, nothing, type TemplateResult } from 'lit';
import { moveFocus } from '../shell/roving.ts';
import type { Facts, Finding } from './document-worker.ts';
import type { Editor } from './editor.ts';
import type { Launch } from './launch.ts';
import { problemsView } from './problems-view.ts';
import { type LaunchActions, launchView, resultView } from './run-view.ts';
import type { Runs } from './runs.ts';
import { type StepActions, stepsView } from './steps-view.ts';

export type DockTab = 'problems' | 'run' | 'steps';

export interface DockState {
  /** The tab that is chosen. */
  readonly tab: DockTab;
  /** The facts about the text; null until the worker has computed them. */
  readonly facts: Facts | null;
  readonly findings: readonly Finding[];
  readonly launch: Launch;
  readonly findsRaces: boolean;
  /** A sentence that tells the user what the last click on a button did. */
  readonly note: string;
  readonly runs: Runs;
  /** The editor; null until the kernel has been opened. */
  readonly editor: Editor | null;
}

export interface DockActions extends LaunchActions, StepActions {
  readonly show: (tab: DockTab) => void;
  readonly share: () => void;
  readonly record: () => void;
  readonly run: () => void;
}

export function dockView(state: DockState, actions: DockActions): TemplateResult {
  const { tab: chosen, findings, note } = state;
  const tab = (name: DockTab, label: string): TemplateResult => {
    const isChosen = name === chosen;
    return html`<button role="tab" id="tab-${name}" aria-controls="panel" aria-selected=${isChosen} tabindex=${isChosen ? 0 : -1}
      @click=${() => actions.show(name)}>${label}</button>`;
  };
  const count = findings.length === 0 ? '' : `(${findings.length})`;
  return html`<div class="dock">
    <div class="tabs">
      <div role="tablist" aria-label="Dock" @keydown=${(event: KeyboardEvent) => moveFocus(event, '[role=tab]')?.click()}>
        ${tab('problems', `Problems ${count}`)} ${tab('run', 'Launch')} ${tab('steps', 'Steps')}
      </div>
      <span class="note" role="status">${note}</span>
      ${buttons(state, actions)}
    </div>
    <div class="panel" id="panel" role="tabpanel" tabindex="0" aria-labelledby="tab-${chosen}">${panel(state, actions)}</div>
  </div>`;
}

function buttons({ facts, runs, editor }: DockState, { share, record, run }: DockActions): TemplateResult {
  const { isRunning } = runs;
  const isEmpty = (facts?.kernels.length ?? 0) === 0;
  return html`<button class="plain" title="Shift-Alt-F" @click=${() => editor?.format()}>Format</button>
    <button class="plain" title="F2" @click=${() => editor?.rename()}>Rename</button>
    <button class="plain" @click=${share}>Copy link</button>
    <button class="go second" ?disabled=${isEmpty || isRunning} @click=${record}>Step</button>
    <button class="go ${isRunning ? 'stop' : ''}" ?disabled=${isEmpty && !isRunning}
      @click=${() => (isRunning ? runs.stop() : run())}>${isRunning ? 'Stop' : 'Run'}</button>`;
}

function panel(state: DockState, actions: DockActions): TemplateResult | typeof nothing {
  switch (state.tab) {
    case 'problems':
      return problemsPanel(state);
    case 'run':
      return runPanel(state, actions);
    case 'steps':
      return stepsPanel(state.runs, actions);
  }
}

function problemsPanel({ findings, editor, facts }: DockState): TemplateResult | typeof nothing {
  if (editor === null || facts === null) return nothing;
  return problemsView(findings, {
    lineOf: ({ start }: Finding) => editor.lineAt(start),
    go: ({ start }) => editor.go(start),
    fix: ({ fixes: [first] }) => first !== undefined && editor.apply(first),
  });
}

function runPanel({ facts, launch, findsRaces, runs, editor }: DockState, actions: DockActions): TemplateResult {
  const form = launchView(facts, launch, findsRaces, actions);
  const kernel = facts?.kernels.find(({ name }) => name === launch.entry);
  const names = kernel?.parameters.map(({ name }) => name) ?? [];
  const result = resultView(runs.answer, runs.isRunning, launch, names, (line) => editor?.goToLine(line));
  return html`<div class="halves"><div>${form}</div><div class="result">${result}</div></div>`;
}

function stepsPanel({ isRunning, steps }: Runs, actions: StepActions): TemplateResult {
  if (isRunning) return html`<p class="state">Recording…</p>`;
  if (steps === null)
    return html`<p class="empty">Step records the first warp of the launch, so that you can step through it forward and backward.</p>`;
  return stepsView(steps, actions);
}
