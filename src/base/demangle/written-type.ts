/** A C++ type as text, in two parts because declarators such as `(*)` go in the middle. */
export interface WrittenType {
  readonly left: string;
  readonly right: string;
  /**
   * The text that comes before the star in a pointer to this type: an opening parenthesis for functions and arrays, as
   * in `int (*)[4]`.
   */
  readonly opening: string;
  /** The elements of a parameter pack. */
  readonly pack: readonly WrittenType[] | null;
}

export function plainType(left: string): WrittenType {
  return { left, right: '', opening: '', pack: null };
}

export function packOf(pack: readonly WrittenType[]): WrittenType {
  return { left: '', right: '', opening: '', pack };
}

export function typeText({ left, right, pack }: WrittenType): string {
  return pack === null ? left + right : pack.map(typeText).join(', ');
}

/**
 * Returns the pointer or reference type that results from adding `mark` (`*`, `&` or `&&`) to a type. A reference to a
 * reference collapses into one reference.
 */
export function pointerTo(type: WrittenType, mark: string): WrittenType {
  return eachOf(type, ({ left, right, opening }) => {
    if (mark !== '*' && left.endsWith('&')) {
      const collapsed = mark === '&' ? left.replace(/&+$/, '&') : left;
      return { left: collapsed, right, opening, pack: null };
    }
    const closing = opening === '' ? '' : ')';
    return { left: left + opening + mark, right: closing + right, opening: '', pack: null };
  });
}

export function qualified(type: WrittenType, words: string): WrittenType {
  return eachOf(type, (one) => ({ ...one, left: one.left + words }));
}

export function functionType(result: WrittenType, parameters: string): WrittenType {
  const space = result.right === '' ? ' ' : '';
  return { left: result.left + space, right: `(${parameters})${result.right}`, opening: '(', pack: null };
}

export function arrayType(element: WrittenType, extent: string): WrittenType {
  const right = ` [${extent}]${element.right.trimStart()}`;
  return { left: element.left, right, opening: ' (', pack: null };
}

function eachOf(type: WrittenType, change: (one: WrittenType) => WrittenType): WrittenType {
  return type.pack === null ? change(type) : packOf(type.pack.map(change));
}
