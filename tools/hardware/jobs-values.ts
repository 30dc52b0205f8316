/** Prints the jobs of test/hardware/value-jobs.ts: tsx tools/hardware/jobs-values.ts > JOBS.jsonl */
import { jobOf, valueBatches } from '../../test/hardware/value-jobs.ts';

for (const batch of valueBatches()) process.stdout.write(`${JSON.stringify(jobOf(batch))}\n`);
