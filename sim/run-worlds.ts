/**
 * `npm run sim -- --seeds 1000`: lets worlds live, one after the other, and tells which of them came
 * to a bad end. `node sim/run.ts --seed 7 --verbose` shows one of them.
 */
import { parseArgs } from 'node:util';
import { describeStep } from './action.ts';
import { shrinkHistory } from './shrink-history.ts';
import { simulate, type Verdict } from './simulate.ts';
import { startEmptyCluster } from './world.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell({ seed, problems, history, transcript }: Verdict): void {
  if (problems.length > 0 || values.verbose) {
    for (const step of history) print(`  ${describeStep(step)}`);
  }
  if (values.verbose) for (const line of transcript) print(`  ${line}`);
  for (const problem of problems) print(`seed ${seed}: ${problem}`);
}

await using empty = await startEmptyCluster();
const first = Number(values.seed ?? values.from);
const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first;
let failed = 0;
let runs = 0;
let writesMax = 0;
for (let seed = first; seed <= last; seed++) {
  const verdict = await simulate(empty, seed);
  const isBad = verdict.problems.length > 0;
  if (isBad) failed++;
  runs += verdict.runs;
  writesMax = Math.max(writesMax, verdict.writes / verdict.history.length);
  tell(isBad && values.shrink ? await shrinkHistory(empty, verdict) : verdict);
}
const count = last - first + 1;
print(
  `${count - failed} of ${count} worlds settled; ${runs} runs, at most ${writesMax.toFixed(1)} writes a step`,
);
process.exitCode = failed === 0 ? 0 : 1;
