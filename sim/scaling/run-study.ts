/**
 * `npm run sim -- scaling` prints what reactive scaling, prediction and a fixed size are worth;
 * `npm run --silent sim -- scaling --svg > docs/autoscaling.svg` draws it.
 */
import { parseArgs } from 'node:util';
import { formatStudy } from './format-study.ts';
import { plotStudy } from './plot-study.ts';
import { runStudy } from './study.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seed: { type: 'string', default: '1' },
    hours: { type: 'string', default: '8' },
    svg: { type: 'boolean', default: false },
  },
});

const days = runStudy({ seed: Number(values.seed), hours: Number(values.hours) });
process.stdout.write(values.svg ? plotStudy(days) : formatStudy(days));
