/**
 * The exports of `#code-store`, which package.json maps to hosts/node-code-store.ts in Node, and to
 * hosts/browser-code-store.ts elsewhere. A store keeps compiled kernels for later processes.
 */

/** Returns a copy of the value stored under this key, or null if no value is stored or it is damaged. */
export declare function readCode(key: string): unknown;

/** Stores a value of plain data. Does nothing if it cannot be stored. */
export declare function writeCode(key: string, value: object): void;
