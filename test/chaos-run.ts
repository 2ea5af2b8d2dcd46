/**
 * Load on one Function while its Instances are killed, stopped for a while, slowed down and evicted,
 * at random from a seed.
 *
 * Kills lie as far apart as a stopped Instance needs to go on and answer: a call that lost its
 * Instance is made once more, not for ever, and this is about the Gateway, not about luck.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomInt, seededRandom } from '@fnlet/base';
import type { TestApi } from './api-access.ts';
import { until } from './until.ts';

export interface ChaosOptions {
  readonly api: TestApi;
  /** URL of the Gateway. */
  readonly gateway: string;
  readonly seconds: number;
  readonly seed: number;
}

/** What was done, and what came of it. */
export interface ChaosCounts {
  calls: number;
  kills: number;
  stops: number;
  slowDowns: number;
  evictions: number;
  /** Longest time until an answer. */
  slowestMs: number;
  /** Calls that may be made twice, and were not answered as they should be. */
  readonly failed: string[];
  /** The other ones, which nobody may make twice: lost with their Instance. */
  readonly lost: string[];
}

const name = 'chaos';
const instances = 4;
const callers = 16;
const stopMsMax = 1_500;
const killEveryMs = 2 * stopMsMax;
const methods = ['GET', 'GET', 'PUT', 'DELETE', 'POST'] as const;

const source = `export default async (request) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  return process.pid + ' ' + await request.text();
};`;

/** Runs it to its end; the Function stays. */
export async function runChaos({
  api,
  gateway,
  seconds,
  seed,
}: ChaosOptions): Promise<ChaosCounts> {
  const scale = { min: instances, max: instances };
  await api.applyFunction(name, { source: { inline: source }, scale });
  await api.waitReady(name);
  await untilWhole(api);
  const counts: ChaosCounts = {
    ...{ calls: 0, kills: 0, stops: 0, slowDowns: 0, evictions: 0, slowestMs: 0 },
    ...{ failed: [], lost: [] },
  };
  const endMs = performance.now() + seconds * 1000;
  const load = new Load(`${gateway}/default/${name}`, counts, endMs);
  const random = seededRandom(seed);
  await Promise.all([
    ...Array.from({ length: callers }, () => load.call(seededRandom(randomInt(random, 2 ** 31)))),
    kill({ random: seededRandom(seed + 1), counts, load, api, endMs }),
    hinder({ random: seededRandom(seed + 2), counts, load, endMs }),
    evict({ random: seededRandom(seed + 3), counts, api, endMs }),
  ]);
  await untilWhole(api);
  return counts;
}

/** Until as many Instances are ready as there should be. */
function untilWhole(api: TestApi): Promise<unknown> {
  return until(
    async () => (await api.podsOf(name)).filter(({ isReady }) => isReady).length === instances,
    { what: `${instances} Instances to be ready`, timeoutMs: 60_000 },
  );
}

/** Calls that come one after the other, and what they tell about the processes that answer. */
class Load {
  readonly #url: string;
  readonly #counts: ChaosCounts;
  readonly #endMs: number;
  /** Processes that have answered, and when each was begun. */
  readonly #pids = new Map<number, string>();

  constructor(url: string, counts: ChaosCounts, endMs: number) {
    this.#url = url;
    this.#counts = counts;
    this.#endMs = endMs;
  }

  /** A process that answered and lives. */
  pickProcess(random: Random): number | undefined {
    for (const [pid, begun] of this.#pids)
      if (begun === 'gone' || begunAt(pid) !== begun) this.#pids.delete(pid);
    return [...this.#pids.keys()][randomInt(random, Math.max(1, this.#pids.size))];
  }

  async call(random: Random): Promise<void> {
    for (let call = 0; performance.now() < this.#endMs; call++) {
      const method = methods[randomInt(random, methods.length)] ?? 'GET';
      const startMs = performance.now();
      const wrong = await this.#make(method, String(call));
      this.#counts.slowestMs = Math.max(this.#counts.slowestMs, performance.now() - startMs);
      this.#counts.calls++;
      if (wrong === undefined) continue;
      (method === 'POST' ? this.#counts.lost : this.#counts.failed).push(`${method}: ${wrong}`);
    }
  }

  /** What is wrong about the answer, if something is. */
  async #make(method: string, body: string): Promise<string | undefined> {
    try {
      const content = method === 'GET' ? {} : { body };
      const answer = await fetch(this.#url, { method, ...content });
      const text = await answer.text();
      const [pid = '', echo = ''] = text.split(' ');
      if (answer.status !== 200) return `${answer.status} ${text.trim()}`;
      if (echo !== (method === 'GET' ? '' : body)) return `answered ${text}`;
      if (!this.#pids.has(Number(pid))) this.#pids.set(Number(pid), begunAt(Number(pid)));
      return undefined;
    } catch (error) {
      return String(error instanceof Error ? (error.cause ?? error) : error);
    }
  }
}

interface Fault {
  readonly random: Random;
  readonly counts: ChaosCounts;
  readonly load: Load;
  readonly endMs: number;
}

/** An Instance that dies again is not started at once: most of them are to be there at any time. */
async function kill(options: Fault & { readonly api: TestApi }): Promise<void> {
  const { random, counts, load, api, endMs } = options;
  for (;;) {
    await sleep(killEveryMs + randomInt(random, 500));
    const ready = (await api.podsOf(name)).filter(({ isReady }) => isReady).length;
    if (performance.now() >= endMs) return;
    if (ready < instances - 1) continue;
    if (signal(load.pickProcess(random), 'SIGKILL')) counts.kills++;
  }
}

/** Stops a process for a while, or for a moment again and again. */
async function hinder({ random, counts, load, endMs }: Fault): Promise<void> {
  const under: Promise<void>[] = [];
  while (performance.now() < endMs) {
    await sleep(300 + randomInt(random, 600));
    const pid = load.pickProcess(random);
    if (randomInt(random, 2) === 0) {
      counts.stops++;
      under.push(stop(pid, 200 + randomInt(random, stopMsMax - 200)));
    } else {
      counts.slowDowns++;
      under.push(slowDown(pid, 10 + randomInt(random, 20)));
    }
  }
  await Promise.all(under);
}

async function stop(pid: number | undefined, forMs: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  await sleep(forMs);
  signal(pid, 'SIGCONT');
}

async function slowDown(pid: number | undefined, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await stop(pid, 30);
    await sleep(10);
  }
}

/** As somebody who deletes a Pod. */
async function evict(options: Omit<Fault, 'load'> & { readonly api: TestApi }): Promise<void> {
  const { random, counts, api, endMs } = options;
  for (;;) {
    await sleep(4_000 + randomInt(random, 2_000));
    if (performance.now() >= endMs) return;
    const pods = await api.podsOf(name);
    const pod = pods[randomInt(random, Math.max(1, pods.length))];
    if (pod === undefined) continue;
    counts.evictions++;
    await api.deletePod(pod.name, 30).catch(() => {});
  }
}

/** When a process was begun, by which it differs from a later one of its number. */
function begunAt(pid: number): string {
  try {
    // proc_pid_stat(5): the 22nd field, and the second one may hold anything in its brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return fields.split(' ')[19] ?? 'gone';
  } catch {
    return 'gone';
  }
}

function signal(pid: number | undefined, what: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, what);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
