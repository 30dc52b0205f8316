/**
 * The Kernel page. Passes the link in the page's address to `<ptx-kernel>`, and keeps a draft from one visit to the
 * next.
 */
import { PtxKernel } from './kernel/ptx-kernel.ts';
import './shell/page.ts';

const draftKey = 'ptxlab-kernel-draft';

const kernel = document.querySelector('ptx-kernel');
if (!(kernel instanceof PtxKernel)) throw new Error('the page has no <ptx-kernel>');
kernel.link = location.hash;
kernel.source = readDraft();
kernel.addEventListener('change', (event) => {
  if (event instanceof CustomEvent && typeof event.detail === 'string') saveDraft(event.detail);
});
kernel.addEventListener('share', (event) => {
  if (!(event instanceof CustomEvent) || typeof event.detail !== 'string') return;
  event.preventDefault();
  history.replaceState(null, '', event.detail);
});

function readDraft(): string | null {
  try {
    return localStorage.getItem(draftKey);
  } catch {
    return null;
  }
}

/** If the draft is too large for the browser's storage, it is lost when the page is closed. */
function saveDraft(text: string): void {
  try {
    localStorage.setItem(draftKey, text);
  } catch {
    return;
  }
}
