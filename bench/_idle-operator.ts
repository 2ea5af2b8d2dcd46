/** The measured process: one operator, as its author starts it; the environment says where. */
import { run } from 'fnlet/operator';
import { siteOperator } from './_website.ts';

await run(siteOperator);
