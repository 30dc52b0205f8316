/** Distinguishes PTX modules from tensor files. */
import { open } from 'node:fs/promises';

const bytesExamined = 4096;

/**
 * Whether a file is a PTX module. If the extension is not conclusive, the file is a module if it begins with
 * `.version`.
 */
export async function isModule(path: string): Promise<boolean> {
  if (path === '-' || path.endsWith('.ptx')) return true;
  if (/\.\w+$/.test(path) && !/\.(?:txt|s|asm|i)$/i.test(path)) return false;
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesExamined), 0, bytesExamined, 0);
      return /^(?:\ufeff|\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*\.version\b/.test(buffer.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    // No error is reported here, because the command opens the file again to read it, and then reports the error.
    return false;
  }
}
