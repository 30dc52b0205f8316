/** The home page: shows Convert, and keeps the link in the page's address in sync with it. */
import './convert/ptx-convert.ts';
import './shell/page.ts';
import { followLink } from './shell/follow-link.ts';

followLink('ptx-convert');
