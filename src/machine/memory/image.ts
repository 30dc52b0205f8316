/**
 * An image is a copy of memory at one point in time, divided into pages that are never modified. Two consecutive images
 * share all pages that were not written in between, so the second image needs space only for the pages that have
 * changed.
 */

export interface MemoryImage {
  /** Total number of bytes; the last page may be shorter than the others. */
  readonly size: number;
  readonly pages: readonly Uint8Array[];
}

const pageShift = 12;

/** Size of a page in bytes. */
const imagePageBytes = 1 << pageShift;

/**
 * The pages of the latest memory image that are still up to date. Any code that writes to the memory must report its
 * writes to this class.
 */
export class Pages {
  private known: (Uint8Array | undefined)[] = [];

  /** Reports that bytes are about to be written. */
  touch(offset: number, size: number): void {
    if (this.known.length === 0 || size === 0) return;
    const last = (offset + size - 1) >>> pageShift;
    for (let page = offset >>> pageShift; page <= last; page++) this.known[page] = undefined;
  }

  /** Reports that any byte may have been written. */
  touchAll(): void {
    this.known = [];
  }

  /** Returns an image of the current bytes. */
  take(bytes: Uint8Array): MemoryImage {
    const size = bytes.byteLength;
    const pages = Array.from(
      { length: Math.ceil(size / imagePageBytes) },
      (_, page) => this.known[page] ?? bytes.slice(page * imagePageBytes, (page + 1) * imagePageBytes),
    );
    this.known = pages.slice();
    return { size, pages };
  }

  /** Copies the contents of an image into `bytes`, which must have the same length as the image. */
  put({ pages }: MemoryImage, bytes: Uint8Array): void {
    pages.forEach((page, i) => {
      if (this.known[i] !== page) bytes.set(page, i * imagePageBytes);
    });
    this.known = pages.slice();
  }
}
