/**
 * The root of the site, with a trailing slash. Elements may stand on pages of other sites, so their links start here.
 * Built scripts that use it lie in `assets/`.
 */
export const siteRoot: URL = new URL(import.meta.env.PROD ? '..' : '../..', import.meta.url);

/** The address of a page: `pageOf('why/PTX4002')`. */
export function pageOf(place: string): string {
  return new URL(`${place}/`, siteRoot).href;
}
