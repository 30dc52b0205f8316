/** The elements for other pages: `<script type="module" src="…/embed.js">`, then `<ptx-convert link="#from=…">`. */
import './convert/ptx-convert.ts';
