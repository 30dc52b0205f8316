/** Functions that return the first elements of a list as a tuple; the list must be long enough. */
import { elementAt } from './element-at.ts';

export function pairOf<T>(list: ArrayLike<T>): readonly [T, T] {
  return [elementAt(list, 0), elementAt(list, 1)];
}

export function tripleOf<T>(list: ArrayLike<T>): readonly [T, T, T] {
  return [...pairOf(list), elementAt(list, 2)];
}

export function quadOf<T>(list: ArrayLike<T>): readonly [T, T, T, T] {
  return [...tripleOf(list), elementAt(list, 3)];
}
