/**
 * Encodes a kernel and its launch as a link: `#v1=`, followed by deflated JSON in base64url. Later versions must still
 * be able to read links of version 1.
 */
import { type ArgumentPlan, elements, fills, mostElements } from './arguments.ts';

export interface Project {
  readonly source: string;
  readonly entry: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly sharedBytes: number;
  readonly args: readonly ArgumentPlan[];
}

/** The maximum number of characters in a link. */
const longest = 60_000;
/** The maximum size of the JSON text that a link contains, in bytes. */
const longestText = 1_000_000;

/** Null if the project is too long for a link. */
export async function linkOf(project: Project): Promise<string | null> {
  const packed = await through(
    new TextEncoder().encode(JSON.stringify(project)),
    new CompressionStream('deflate-raw'),
    longest,
  );
  if (packed === null) return null;
  const text = btoa(String.fromCharCode(...packed))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return text.length > longest ? null : `#v1=${text}`;
}

/** Returns the project that a link contains; null if the link was not created by this page. */
export async function readLink(hash: string): Promise<Project | null> {
  const found = /^#v1=([\w-]+)$/.exec(hash);
  if (found === null || hash.length > longest + 4) return null;
  try {
    const packed = Uint8Array.from(atob((found[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    const bytes = await through(packed, new DecompressionStream('deflate-raw'), longestText);
    return bytes === null ? null : projectOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

/**
 * Passes bytes through a compression or decompression stream and returns the output; null if the output is longer than
 * `most` bytes.
 */
async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array | null> {
  const reader = new Blob([bytes.slice()]).stream().pipeThrough(stream).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const chunk: unknown = part.value;
    if (!(chunk instanceof Uint8Array)) return null;
    length += chunk.length;
    if (length > most) return null;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Null if the value does not describe a project. Settings that cannot be read get default values. */
export function projectOf(value: unknown): Project | null {
  if (!isRecord(value)) return null;
  const { source, entry, grid, block, sharedBytes, args } = value;
  if (typeof source !== 'string' || typeof entry !== 'string') return null;
  return {
    source,
    entry,
    grid: extentOf(grid, [1, 1, 1]),
    block: extentOf(block, [32, 1, 1]),
    sharedBytes: typeof sharedBytes === 'number' && Number.isSafeInteger(sharedBytes) ? sharedBytes : 0,
    args: Array.isArray(args) ? args.flatMap(planOf) : [],
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function extentOf(value: unknown, usual: Project['grid']): Project['grid'] {
  if (!Array.isArray(value) || value.length !== 3) return usual;
  const [x, y, z]: readonly unknown[] = value;
  const ok = (n: unknown): n is number => typeof n === 'number' && Number.isSafeInteger(n) && n > 0;
  return ok(x) && ok(y) && ok(z) ? [x, y, z] : usual;
}

function planOf(value: unknown): readonly ArgumentPlan[] {
  if (!isRecord(value)) return [];
  const { kind, element, count, fill, type, text } = value;
  if (kind === 'value' && typeof type === 'string' && typeof text === 'string') return [{ kind, type, text }];
  const [known, rule] = [elements.find((name) => name === element), fills.find((name) => name === fill)];
  if (kind !== 'buffer' || known === undefined || rule === undefined || typeof count !== 'number') return [];
  return Number.isSafeInteger(count) && count >= 0 && count <= mostElements
    ? [{ kind, element: known, count, fill: rule }]
    : [];
}
