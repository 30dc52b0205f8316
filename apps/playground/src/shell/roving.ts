/**
 * Moves the focus between the buttons of a group with the arrow keys, so that the group is a single tab stop: the
 * buttons have `tabindex` -1, except for the current one.
 */

/** Handles `keydown` on a group whose buttons match `selector`. Returns the button that gets the focus, if any. */
export function moveFocus(event: KeyboardEvent, selector: string): HTMLElement | null {
  const { currentTarget, target, key } = event;
  if (!(currentTarget instanceof Element) || event.altKey || event.ctrlKey || event.metaKey) return null;
  const buttons = [...currentTarget.querySelectorAll<HTMLElement>(selector)];
  const here = buttons.findIndex((button) => button === target);
  const next = buttons[placeAfter(key, here, buttons.length)];
  if (here < 0 || next === undefined) return null;
  event.preventDefault();
  next.focus();
  return next;
}

/** The index of the button to which the key moves the focus; -1 for other keys. */
function placeAfter(key: string, here: number, count: number): number {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return (here + 1) % count;
    case 'ArrowLeft':
    case 'ArrowUp':
      return (here - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}
