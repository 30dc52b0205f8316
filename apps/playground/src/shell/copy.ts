/**
 * Copies text. Returns false if the browser does not allow it, or if there is no clipboard because the page is served
 * without https.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
