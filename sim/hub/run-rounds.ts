/**
 * `npm run sim -- hub --rounds 100`: three replicas of a hub, of which one dies in every round, in
 * as many worlds as `--seeds` says: what they have settled is in the API in one of them, in a store
 * of all in the next, and in their processes in the third.
 */
import { parseArgs } from 'node:util';
import { liveThroughRounds } from './hub-rounds.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '3' },
  },
});

const [rounds, first] = [Number(values.rounds), Number(values.seed)];
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const { problems, runs } = await liveThroughRounds(seed, rounds);
  const told = problems.length === 0 ? 'all converged, no key run twice at once' : problems[0];
  process.stdout.write(`seed ${seed}: ${rounds} rounds, ${runs} runs: ${told}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
