/** Suggestions for a name that is not a target. */
import { nearestWord } from '../base/nearest-word.ts';
import { targets } from './targets.ts';

/**
 * Suggests the target that was probably intended. If the name contains a number that no architecture has, suggests the
 * targets with the nearest numbers instead. Null if there is nothing to suggest.
 */
export function helpForTarget(name: string): string | null {
  const near = nearestWord(
    name,
    targets.map((known) => known.name),
  );
  if (near !== null) return `did you mean '${near}'?`;
  const number = /^(?:sm|compute)_?(\d+)[af]?$/i.exec(name)?.[1];
  if (number === undefined) return null;
  const plain = targets.filter(({ suffix }) => suffix === '');
  const sm = Number(number);
  const exact = plain.find((known) => known.sm === sm);
  if (exact !== undefined) return `did you mean '${exact.name}'?`;
  const below = plain.findLast((known) => known.sm < sm);
  const above = plain.find((known) => known.sm > sm);
  const around = [below, above].flatMap((known) => (known === undefined ? [] : [known.name]));
  return around.length === 1 ? `the nearest target is ${around[0]}` : `the nearest targets are ${around.join(' and ')}`;
}
