/**
 * Images of a memory: its bytes at a moment, in pages that nobody writes to again. Two images of a memory share each page
 * that was not written between them, so the second costs no more than what changed.
 */

export interface MemoryImage {
  /** Bytes in all; the last page may have fewer than the others. */
  readonly size: number;
  readonly pages: readonly Uint8Array[];
}

const pageShift = 12;

/** Bytes of a page. */
export const pageSize: number = 1 << pageShift;

/** The pages of one memory that its images have and that are still true. Whoever writes to the memory says so. */
export class Pages {
  private known: (Uint8Array | undefined)[] = [];

  /** Bytes are about to be written. */
  touch(offset: number, size: number): void {
    if (this.known.length === 0 || size === 0) return;
    const last = (offset + size - 1) >>> pageShift;
    for (let page = offset >>> pageShift; page <= last; page++) this.known[page] = undefined;
  }

  /** Any byte may have been written. */
  touchAll(): void {
    this.known = [];
  }

  /** The image of the bytes as they are. */
  take(bytes: Uint8Array): MemoryImage {
    const size = bytes.byteLength;
    const pages = Array.from(
      { length: Math.ceil(size / pageSize) },
      (_, page) => this.known[page] ?? bytes.slice(page * pageSize, (page + 1) * pageSize),
    );
    this.known = pages.slice();
    return { size, pages };
  }

  /** Makes the bytes, as many as the image has, those of the image. */
  put({ pages }: MemoryImage, bytes: Uint8Array): void {
    pages.forEach((page, i) => {
      if (this.known[i] !== page) bytes.set(page, i * pageSize);
    });
    this.known = pages.slice();
  }
}
