/**
 * Stores the drafts of the Kernel page in the browser: the texts that the user has edited, with their launch settings.
 * Each draft belongs to the link from which it was made, so opening a link never replaces the draft of another link.
 */
import { firstLaunch } from './launch.ts';
import { type Project, projectOf } from './link.ts';

export interface Draft {
  readonly id: string;
  /** The link whose kernel was edited; empty if the page was opened without a link. */
  readonly link: string;
  readonly project: Project;
  /** The time at which the draft was last saved, in milliseconds since 1970. */
  readonly time: number;
}

/** The part of the `localStorage` interface that drafts use. */
export type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

const prefix = 'ptxlab-draft-';
/** Older versions of the page kept a single draft, which was stored as plain text under this key. */
const singleKey = 'ptxlab-kernel-draft';
/** The maximum number of drafts; if there are more, the oldest are removed. */
const most = 20;

export class Drafts {
  private readonly storage: DraftStorage | null;
  /** The draft that `save` replaces; null if `save` should create a new draft. */
  current: Draft | null = null;
  /**
   * The current draft as this tab last read or wrote it. If the storage contains something else, another tab has
   * changed the draft.
   */
  private written: string | null = null;

  /** @param storage Null if the browser denies access to it. */
  constructor(storage: DraftStorage | null) {
    this.storage = storage;
    this.keepSingle();
  }

  /** All drafts, newest first. */
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
   * Opens the draft with this id or, if there is no such draft, the newest draft of the link, and makes it the current
   * one. Returns null if no draft is found.
   */
  open(link: string, id: string | null): Draft | null {
    const all = this.all();
    this.current = all.find((draft) => draft.id === id) ?? all.find((draft) => draft.link === link) ?? null;
    this.written = this.current === null ? null : this.stored(this.current.id);
    return this.current;
  }

  /** Leaves the current draft: the next project that is saved becomes a new draft. */
  leave(): void {
    this.current = null;
    this.written = null;
  }

  /**
   * Saves the project as the current draft. If another tab has changed this draft, the project is saved as a new draft,
   * so that both are kept. Returns null if the browser cannot store it.
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
    // The old copy of the draft is removed first, because the storage may not have room for two copies.
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
    // Older versions of the page stored only the text of a draft, without a launch.
    const read = projectOf(typeof text === 'string' ? { ...firstLaunch, source: text } : project);
    return typeof link === 'string' && typeof time === 'number' && read !== null
      ? { id, link, project: read, time }
      : null;
  } catch {
    return null;
  }
}
