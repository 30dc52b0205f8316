/** The theme button selects the system's theme, the light theme or the dark theme. */
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const key = 'ptxlab-theme';

/** Cycles through the themes and remembers the choice. */
export function startThemes(button: HTMLButtonElement): void {
  let theme = storedTheme();
  const show = (): void => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
    store(theme);
    show();
  });
  show();
}

function storedTheme(): Theme {
  try {
    const found = localStorage.getItem(key);
    return themes.find((theme) => theme === found) ?? 'system';
  } catch {
    return 'system';
  }
}

/** If the browser denies access to storage, the choice is lost when the page is closed. */
function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    return;
  }
}
