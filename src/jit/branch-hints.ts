/**
 * The exports of `#branch-hints`, which package.json maps to hosts/node-branch-hints.ts in Node, and to
 * hosts/browser-branch-hints.ts elsewhere.
 */

/** Makes the engine read the branch hints of modules that are compiled from now on, if it can. */
export declare function readBranchHints(): void;
