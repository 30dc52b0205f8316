/** The field of the Kernel page that shows which text is open, and offers the other drafts. */
import type { Draft } from './drafts.ts';

interface Choice {
  readonly drafts: readonly Draft[];
  /** The draft on the screen; null for the text of the link or the example. */
  readonly shown: Draft | null;
  readonly link: string;
  readonly isUnsaved: boolean;
}

export function showDrafts({ drafts, shown, link, isUnsaved }: Choice): void {
  const { field, select, note } = partsOfPage();
  const original = new Option(link === '' ? 'The example' : 'The kernel of the link', '');
  select.replaceChildren(original, ...drafts.map((draft) => new Option(titleOf(draft), draft.id)));
  select.value = shown?.id ?? '';
  field.hidden = drafts.length === 0;
  note.textContent = isUnsaved ? 'The browser cannot store your changes. Copy the text before you close the page.' : '';
}

/**
 * Calls `choose` with the id of the draft that the user selects, or with null for the text of the link or the example.
 */
export function onChoice(choose: (id: string | null) => void): void {
  const { select } = partsOfPage();
  select.addEventListener('change', () => choose(select.value === '' ? null : select.value));
}

function partsOfPage(): { field: HTMLElement; select: HTMLSelectElement; note: HTMLElement } {
  const field = document.querySelector<HTMLElement>('#drafts');
  const select = document.querySelector<HTMLSelectElement>('#drafts select');
  const note = document.querySelector<HTMLElement>('#unsaved');
  if (field === null || select === null || note === null) throw new Error('the page has no field for drafts');
  return { field, select, note };
}

/** The title of a draft, such as `Draft of vecadd, 28 Nov, 23:12`. */
function titleOf({ project: { source }, time }: Draft): string {
  const [, name = 'an unnamed kernel'] = /\.entry\s+([\w$%]+)/.exec(source) ?? [];
  const when = new Date(time).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return `Draft of ${name}, ${when}`;
}
