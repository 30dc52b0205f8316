/** The palette: a search field that finds every page of the site and every conversion. */

interface Entry {
  readonly title: string;
  readonly summary: string;
  readonly address: string;
}

/** The maximum number of entries that are shown. */
const most = 12;

/** Makes the button, Ctrl-K and Cmd-K open the palette. `root` is the relative path to the site's root. */
export function startPalette(button: HTMLElement, root: string): void {
  let palette: Palette | null = null;
  const open = (): void => {
    palette ??= new Palette(root);
    palette.open();
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    open();
  });
}

class Palette {
  private readonly dialog = document.createElement('dialog');
  private readonly field = document.createElement('input');
  private readonly list = document.createElement('ul');
  private readonly root: string;
  private entries: readonly Entry[] = [];
  /** The source and destination formats of each conversion, such as `f32 e4m3`. */
  private conversions: readonly string[] = [];
  private found: readonly Entry[] = [];
  private chosen = 0;

  constructor(root: string) {
    this.root = root;
    this.dialog.className = 'palette';
    this.dialog.setAttribute('aria-label', 'Search');
    this.field.type = 'search';
    this.field.placeholder = 'A conversion (f32 e4m3), an instruction, a format, a code';
    this.field.setAttribute('role', 'combobox');
    this.field.setAttribute('aria-label', 'Search');
    this.field.setAttribute('aria-expanded', 'true');
    this.field.setAttribute('aria-controls', 'palette-list');
    this.list.id = 'palette-list';
    this.list.setAttribute('role', 'listbox');
    this.list.setAttribute('aria-label', 'Results');
    this.dialog.append(this.field, this.list);
    this.field.addEventListener('input', () => this.search());
    this.field.addEventListener('keydown', (event) => this.key(event));
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  open(): void {
    this.field.value = '';
    this.dialog.showModal();
    this.field.focus();
    if (this.entries.length === 0) void this.load();
    this.search();
  }

  private async load(): Promise<void> {
    const answer = await fetch(`${this.root}index.json`).catch(() => null);
    const index: unknown = answer?.ok === true ? await answer.json() : null;
    const { pages, conversions }: Partial<Record<string, unknown>> = { ...(typeof index === 'object' ? index : {}) };
    this.entries = Array.isArray(pages) ? pages.flatMap((page) => entryOf(page, this.root)) : [];
    this.conversions = Array.isArray(conversions) ? conversions.filter((pair) => typeof pair === 'string') : [];
    this.search();
  }

  private search(): void {
    const words = this.field.value
      .toLowerCase()
      .split(/[\s→>,]+/)
      .filter((word) => word !== '');
    const conversion = conversionEntry(words, this.conversions, this.root);
    const score = ({ title, summary }: Entry): number => {
      const name = title.toLowerCase();
      const text = `${name} ${summary.toLowerCase()}`;
      if (!words.every((word) => text.includes(word))) return 0;
      return words.reduce(
        (sum, word) => sum + (name === word ? 100 : name.startsWith(word) ? 10 : name.includes(word) ? 5 : 1),
        1,
      );
    };
    const scored = this.entries.map((entry) => ({ entry, points: score(entry) })).filter(({ points }) => points > 0);
    scored.sort((a, b) => b.points - a.points);
    this.found = [...conversion, ...scored.map(({ entry }) => entry)].slice(0, most);
    this.chosen = 0;
    this.show();
  }

  private show(): void {
    const rows = this.found.map((entry, i) => {
      const row = document.createElement('li');
      row.id = `palette-${i}`;
      row.setAttribute('role', 'option');
      row.setAttribute('aria-selected', String(i === this.chosen));
      const name = document.createElement('code');
      name.textContent = entry.title;
      row.append(name, ` ${entry.summary}`);
      row.addEventListener('click', () => this.go(entry));
      return row;
    });
    if (rows.length === 0) {
      const row = document.createElement('li');
      row.className = 'none';
      row.textContent =
        this.entries.length === 0
          ? 'Loading the index…'
          : 'Nothing matches. Try an opcode, a format or a code such as PTX4002.';
      rows.push(row);
    }
    this.list.replaceChildren(...rows);
    this.field.setAttribute('aria-activedescendant', this.found.length > 0 ? `palette-${this.chosen}` : '');
    rows[this.chosen]?.scrollIntoView({ block: 'nearest' });
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = this.found[this.chosen];
    if (event.key === 'Enter' && chosen !== undefined) this.go(chosen);
    if (step === 0 || this.found.length === 0) return;
    event.preventDefault();
    this.chosen = (this.chosen + step + this.found.length) % this.found.length;
    this.show();
  }

  private go({ address }: Entry): void {
    this.dialog.close();
    location.href = address;
  }
}

function entryOf(page: unknown, root: string): readonly Entry[] {
  if (!Array.isArray(page)) return [];
  const [path, title, summary]: readonly unknown[] = page;
  if (typeof path !== 'string' || typeof title !== 'string' || typeof summary !== 'string') return [];
  return [{ title, summary, address: `${root}${path}/` }];
}

/** If the words include the names of two formats, returns an entry that opens the conversion between them. */
function conversionEntry(words: readonly string[], conversions: readonly string[], root: string): readonly Entry[] {
  const formats = new Set(conversions.flatMap((pair) => pair.split(' ')));
  const [from, to] = words.filter((word) => formats.has(word));
  if (from === undefined || to === undefined || !conversions.includes(`${from} ${to}`)) return [];
  const address = `${root}#from=${from}&to=${to}&mode=rn.satfinite`;
  return [{ title: `${from} → ${to}`, summary: 'Open the conversion', address }];
}
