import { seededRandom } from '@fnlet/base';
import type { TestCluster } from '@fnlet/testing';
import type { Step } from './action.ts';
import { type Census, takeCensus } from './census.ts';
import { findWrongChildren } from './check-children.ts';
import { findTouched } from './check-foreign.ts';
import { findLies, findOldStatuses } from './check-statuses.ts';
import { planHistory } from './plan-history.ts';
import { World } from './world.ts';

/** What came of a history. */
export interface Verdict {
  readonly seed: number;
  readonly history: readonly Step[];
  /** What should not be, in words; empty when all is well. */
  readonly problems: readonly string[];
  readonly runs: number;
  /** How often the operators wrote, or tried to. */
  readonly writes: number;
  /** Every write in its order: the same for the same seed and history. */
  readonly transcript: readonly string[];
}

/** How long the world may take to settle when nothing goes wrong any more. */
const settleMs = 180_000;
const minuteMs = 60_000;

/** Writes of all operators together that one step may cause; a storm makes thousands. */
const writesPerStep = 40;

/**
 * Lets a world live through the history that follows from the seed, or through another one, and
 * judges what has become of it.
 *
 * @param empty an API to begin from
 */
export async function simulate(
  empty: TestCluster,
  seed: number,
  history?: readonly Step[],
): Promise<Verdict> {
  await using world = await World.open(empty, seed);
  const steps = history ?? planHistory(seededRandom(seed), world.size);
  const problems = new Set<string>();
  try {
    for (const { afterMs, action } of steps) {
      await world.pass(afterMs);
      await world.perform(action);
      const census = await takeCensus(world);
      for (const lie of findLies(census, world.users.words)) problems.add(lie);
    }
    for (const problem of await judge(world, steps.length)) problems.add(problem);
  } catch (error) {
    problems.add(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const transcript = world.cluster.writes.entries.map(
    ({ user, verb, path, status }) => `${user} ${verb} ${path} ${status}`,
  );
  const { runs } = world.watch;
  return {
    ...{ seed, history: steps, runs, transcript },
    problems: [...problems],
    writes: world.writes.length,
  };
}

/** What is wrong once the faults have ended and time has passed. */
async function judge(world: World, steps: number): Promise<string[]> {
  const { words } = world.users;
  await world.calm();
  for (let passedMs = 0; passedMs < settleMs; passedMs += 5_000) await world.pass(5_000);
  // Away from the full minute, at which Tickers write.
  const intoMinuteMs = world.cluster.clock.now() % minuteMs;
  await world.pass(minuteMs - intoMinuteMs + 5_000);
  const storm = world.writes.length;
  await world.resync();
  await world.pass(20_000);
  const again = world.writes.slice(storm).map(({ verb, path }) => `${verb} ${path}`);
  const census = await takeCensus(world);
  return [
    ...world.watch.clashes,
    ...world.failures.map((failure) => `a process ended by itself: ${failure}`),
    ...findWrongChildren(census, words),
    ...findOldStatuses(census),
    ...findLies(census, words),
    ...findTouched(census, words),
    ...findLeftOutside(world, census),
    ...again.map((write) => `written though nothing had changed: ${write}`),
    ...(storm > writesPerStep * steps ? [`${storm} writes for ${steps} steps`] : []),
  ];
}

/** Objects that went before what was made for them outside, and those that were never let go. */
function findLeftOutside({ outside }: World, { things }: Census): string[] {
  const there = new Set(things.map(({ thing }) => thing.metadata.uid));
  const left = outside.made.difference(outside.undone).difference(there);
  const kept = things.filter(({ thing: { metadata } }) => {
    const isOurs = metadata.finalizers?.some((name) => name.startsWith('fnlet.dev/'));
    return metadata.deletionTimestamp !== undefined && isOurs;
  });
  return [
    ...[...left].map((uid) => `something is left outside of the cluster for ${uid}`),
    ...kept.map(({ kind, thing }) => `${kind.kind} ${thing.metadata.name} was never let go`),
  ];
}
