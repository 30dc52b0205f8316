/**
 * The drafts of the Kernel page: the texts that the user has edited, and how they are launched, in the browser's
 * storage. A draft belongs to the link from which it was made, so that opening a link never replaces a draft that was
 * made elsewhere.
 */
import { firstLaunch } from './launch.ts';
import { type Project, projectOf } from './link.ts';

export interface Draft {
  readonly id: string;
  /** The link whose kernel was edited; empty if the page was opened without a link. */
  readonly link: string;
  readonly project: Project;
  /** When it was last saved, in milliseconds. */
  readonly time: number;
}

/** What the drafts need of `localStorage`. */
export type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

const prefix = 'ptxlab-draft-';
/** Before drafts belonged to links, there was a single one, which was stored as plain text under this key. */
const singleKey = 'ptxlab-kernel-draft';
/** If there are more drafts than this, the oldest are removed. */
const most = 20;

export class Drafts {
  private readonly storage: DraftStorage | null;
  /** The draft that `save` replaces; null if the next project is to become a new one. */
  current: Draft | null = null;
  /** The stored form of the current draft. If the storage has another one, another tab has changed the draft. */
  private written: string | null = null;

  /** @param storage Null if the browser denies access to it. */
  constructor(storage: DraftStorage | null) {
    this.storage = storage;
    this.keepSingle();
  }

  /** The newest comes first. */
  all(): readonly Draft[] {
    const { storage } = this;
    if (storage === null) return [];
    const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '');
    return keys
      .filter((key) => key.startsWith(prefix))
      .flatMap((key) => draftOf(key.slice(prefix.length), storage.getItem(key)) ?? [])
      .sort((a, b) => b.time - a.time);
  }

  /**
   * Makes the draft with this id the current one or, if there is none, the newest draft of the link. Null if the link
   * has no draft.
   */
  open(link: string, id: string | null): Draft | null {
    const all = this.all();
    this.current = all.find((draft) => draft.id === id) ?? all.find((draft) => draft.link === link) ?? null;
    this.written = this.current === null ? null : this.stored(this.current.id);
    return this.current;
  }

  /** Ends the current draft: the next project that is saved becomes a new one. */
  leave(): void {
    this.current = null;
    this.written = null;
  }

  /**
   * Saves the project as the current draft. If another tab has changed this draft, the project becomes a new one, so
   * that both are kept. Null if the browser does not store it.
   */
  save(link: string, project: Project): Draft | null {
    const { current, written } = this;
    const isOwn = current !== null && written !== null && this.stored(current.id) === written;
    const time = Date.now();
    const draft = isOwn ? { ...current, project, time } : { id: newId(), link, project, time };
    const stored = JSON.stringify({ link: draft.link, project, time });
    try {
      if (this.storage === null) return null;
      this.storage.setItem(prefix + draft.id, stored);
    } catch {
      return null;
    }
    this.current = draft;
    this.written = stored;
    if (!isOwn) this.removeOldest();
    return draft;
  }

  private stored(id: string): string | null {
    return this.storage?.getItem(prefix + id) ?? null;
  }

  private removeOldest(): void {
    const others = this.all().filter(({ id }) => id !== this.current?.id);
    for (const { id } of others.slice(most - 1)) this.storage?.removeItem(prefix + id);
  }

  private keepSingle(): void {
    const { storage } = this;
    const text = storage?.getItem(singleKey) ?? null;
    if (storage === null || text === null) return;
    // The storage may not have room for both.
    storage.removeItem(singleKey);
    if (this.save('', { ...firstLaunch, source: text }) === null) storage.setItem(singleKey, text);
    this.leave();
  }
}

/** The browser's storage; null if the browser denies access to it. */
export function browserStorage(): DraftStorage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** `crypto.randomUUID` is missing on pages that are served without https. */
function newId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 8);
}

function draftOf(id: string, stored: string | null): Draft | null {
  try {
    const found: unknown = JSON.parse(stored ?? '');
    if (typeof found !== 'object' || found === null) return null;
    const { link, text, project, time }: Partial<Record<string, unknown>> = { ...found };
    // Before drafts had a launch, they were stored as text only.
    const read = projectOf(typeof text === 'string' ? { ...firstLaunch, source: text } : project);
    return typeof link === 'string' && typeof time === 'number' && read !== null
      ? { id, link, project: read, time }
      : null;
  } catch {
    return null;
  }
}
