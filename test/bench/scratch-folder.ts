import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that is removed when the process ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ptxlab-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
