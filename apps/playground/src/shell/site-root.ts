/**
 * The root of the site, with a trailing slash. The custom elements can be embedded in pages of other sites, so all
 * their links are resolved against this root. In the built site, the scripts that use this constant are in the folder
 * `assets/`.
 */
export const siteRoot: URL = new URL(import.meta.env.PROD ? '..' : '../..', import.meta.url);

/** The URL of a page, for example of the page `why/PTX4002`. */
export function pageOf(place: string): string {
  return new URL(`${place}/`, siteRoot).href;
}
