/** The fast engine against the reference engine on every golden row; `npm test` takes each fifth. */
import { compareGoldenConversions } from './engines.ts';

compareGoldenConversions(1);
