/** Fails if the tag of a release, in `TAG`, is not the version that package.json and pyproject.toml name. */
import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const versions = [
  JSON.parse(read('package.json')).version,
  /^version = "(.*)"$/m.exec(read('python/pyproject.toml'))?.[1],
];
const tag = process.env.TAG ?? '';
if (versions.some((version) => `v${version}` !== tag)) {
  console.error(`the tag is '${tag}', but the packages are ${versions.join(' and ')}`);
  process.exitCode = 1;
}
