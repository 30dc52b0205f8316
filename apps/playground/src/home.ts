/** The home page: Convert, and its address. */
import './convert/ptx-convert.ts';
import './shell/page.ts';
import { followLink } from './shell/follow-link.ts';

followLink('ptx-convert');
