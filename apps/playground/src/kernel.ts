/**
 * The Kernel page. Passes the link in the page's address to `<ptx-kernel>`, and saves what the user types, with the
 * settings of the launch, as a draft. The page's history entry contains the id of the draft, so that a reload shows the
 * draft again.
 */
import { browserStorage, type Draft, Drafts } from './kernel/drafts.ts';
import { PtxKernel } from './kernel/ptx-kernel.ts';
import { onChoice, showDrafts } from './kernel/draft-choice.ts';
import { linkInAddress, onNewLink } from './shell/follow-link.ts';
import './shell/page.ts';

const kernel = kernelOfPage();
const drafts = new Drafts(browserStorage());
/** Whether the text on the screen has changes that the browser could not store. */
let isUnsaved = false;
/** The link whose kernel is on the screen. */
let shownLink = '';

function kernelOfPage(): PtxKernel {
  const found = document.querySelector('ptx-kernel');
  if (!(found instanceof PtxKernel)) throw new Error('the page has no <ptx-kernel>');
  return found;
}

/** Opens the kernel that the page's address specifies, with the changes that the user has made to it. */
function open(): void {
  const link = linkInAddress();
  show(link, drafts.open(link, draftIdOf(history.state)));
}

function show(link: string, draft: Draft | null): void {
  isUnsaved = false;
  shownLink = link;
  kernel.link = link;
  kernel.project = draft?.project ?? null;
  remember(draft);
  showChoice();
}

function showChoice(): void {
  showDrafts({ drafts: drafts.all(), shown: drafts.current, link: shownLink, isUnsaved });
}

/** Shows the draft with this id or, if `id` is null, the text of the link or the example. */
function choose(id: string | null): void {
  const draft = drafts.all().find((one) => one.id === id) ?? null;
  if (!mayLeave()) {
    showChoice();
  } else if (draft === null) {
    drafts.leave();
    show(shownLink, null);
  } else {
    goTo(draft.link);
    show(draft.link, drafts.open(draft.link, draft.id));
  }
}

function save(): void {
  const wasUnsaved = isUnsaved;
  const draft = drafts.save(shownLink, kernel.current);
  isUnsaved = draft === null;
  const isNew = draft !== null && draft.id !== draftIdOf(history.state);
  if (isNew) remember(draft);
  if (isNew || isUnsaved !== wasUnsaved) showChoice();
}

function remember(draft: Draft | null): void {
  history.replaceState(draft === null ? null : { draft: draft.id }, '');
}

function draftIdOf(state: unknown): string | null {
  return typeof state === 'object' && state !== null && 'draft' in state && typeof state.draft === 'string'
    ? state.draft
    : null;
}

/** Changes the page's address to a link without opening the link. */
function goTo(link: string): void {
  history.replaceState(history.state, '', link === '' ? location.pathname : link);
  shownLink = link;
}

function mayLeave(): boolean {
  return !isUnsaved || confirm('The browser cannot store your changes. Discard them?');
}

kernel.addEventListener('change', save);
// A change to the settings of the launch does not create a draft, but it is saved in an existing one.
kernel.addEventListener('launch', () => {
  if (drafts.current !== null || isUnsaved) save();
});
kernel.addEventListener('share', (event) => {
  if (!(event instanceof CustomEvent) || typeof event.detail !== 'string') return;
  event.preventDefault();
  goTo(event.detail);
  showChoice();
});
window.addEventListener('beforeunload', (event) => {
  if (isUnsaved) event.preventDefault();
});
onChoice(choose);
onNewLink(() => {
  if (mayLeave()) open();
  else goTo(shownLink);
});
open();
