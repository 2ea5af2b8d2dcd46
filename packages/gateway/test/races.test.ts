/**
 * What happens at the same time: calls, wakes, sleep, scaling in both directions, and shares of
 * Revisions that change, in random order from printed seeds.
 */
import assert from 'node:assert/strict';
import { Agent, type RequestListener, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { type Random, seededRandom } from '@fnlet/base';
import { type LocalEndpoint, type Rig, route, startRig } from './rig.ts';

const revisions = ['default/hello-1', 'default/hello-2'];
const instancesMax = 3;
const clients = 20;
const callsPerClient = 12;

function upTo(random: Random, max: number): number {
  return Math.floor(random.next() * (max + 1));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** An Instance that counts its calls, and is wrong to get one once it has ended. */
class Machine {
  readonly endpoint: LocalEndpoint;
  readonly calls: Calls;
  /** Whether the Gateway was told of it, and it was not drained since. */
  used = false;

  constructor(endpoint: LocalEndpoint, calls: Calls) {
    this.endpoint = endpoint;
    this.calls = calls;
  }
}

class Calls {
  inFlight = 0;
  most = 0;
  ended = false;
  late = 0;

  listener(random: Random): RequestListener {
    return (incoming, answer) => {
      if (this.ended) this.late++;
      this.inFlight++;
      this.most = Math.max(this.most, this.inFlight);
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      incoming.on('end', async () => {
        await turns(upTo(random, 6));
        this.inFlight--;
        answer.end(`${bytes}`);
      });
    };
  }
}

/** As few lines of a scaler as keep its promises: asked for in the tick, drained before the end. */
class Fleet {
  readonly #rig: Rig;
  readonly #machines: readonly Machine[];
  readonly #id: string;
  readonly #random: Random;
  #ready: readonly Machine[] = [];
  #waking = false;

  constructor(rig: Rig, id: string, machines: readonly Machine[], random: Random) {
    this.#rig = rig;
    this.#id = id;
    this.#machines = machines;
    this.#random = random;
  }

  onDemand(): void {
    if (this.#ready.length === 0 && !this.#waking) void this.#wake();
  }

  scale(count: number): void {
    if (this.#waking || (count === 0 && this.#isCalled)) return;
    const stay = this.#ready.slice(0, count);
    const free = this.#machines.filter(({ used }) => !used).slice(0, count - stay.length);
    this.#set([...stay, ...free]);
  }

  async #wake(): Promise<void> {
    this.#waking = true;
    let free: Machine | undefined;
    for (;;) {
      free = this.#machines.find(({ used }) => !used);
      if (free !== undefined) break;
      await turns(1);
    }
    free.used = true;
    // While it starts, a call may be sent ahead.
    free.calls.ended = false;
    this.#rig.gateway.setEndpoints(this.#id, [{ ...free.endpoint, starting: true }]);
    await turns(upTo(this.#random, 10));
    this.#waking = false;
    this.#set([free]);
  }

  get #isCalled(): boolean {
    const { inFlight, queued } = this.#rig.gateway.demandOf(this.#id);
    return inFlight + queued > 0;
  }

  #set(ready: readonly Machine[]): void {
    const gone = this.#ready.filter((machine) => !ready.includes(machine));
    this.#ready = ready;
    for (const machine of ready) {
      machine.used = true;
      machine.calls.ended = false;
    }
    const endpoints = ready.map(({ endpoint }) => endpoint);
    this.#rig.gateway.setEndpoints(this.#id, endpoints);
    for (const machine of gone) void this.#end(machine);
  }

  async #end(machine: Machine): Promise<void> {
    await this.#rig.gateway.drained(this.#id, machine.endpoint.id, 60_000);
    machine.calls.ended = true;
    await turns(2);
    machine.used = false;
  }
}

interface World {
  readonly rig: Rig;
  readonly fleets: readonly Fleet[];
  readonly calls: readonly Calls[];
  readonly random: Random;
  readonly limit: number;
}

async function startWorld(t: TestContext, seed: number): Promise<World> {
  const random = seededRandom(seed);
  const limit = 1 + upTo(random, 2);
  const fleets: Fleet[] = [];
  const calls: Calls[] = [];
  const onDemand = (id: string): void => fleets[revisions.indexOf(id)]?.onDemand();
  const rig = await startRig(t, { onDemand });
  for (const id of revisions) {
    const machines: Machine[] = [];
    for (let i = 0; i < instancesMax; i++) {
      const counted = new Calls();
      calls.push(counted);
      machines.push(new Machine(await rig.instance(counted.listener(random)), counted));
    }
    fleets.push(new Fleet(rig, id, machines, random));
  }
  return { rig, fleets, calls, random, limit };
}

function share({ rig, limit }: World, percent: number): void {
  const shared = { concurrencyLimit: limit, concurrencyTarget: 0, timeoutMs: 60_000 };
  const [main, next] = revisions.map((revision) => route({ revision, ...shared }));
  if (main === undefined || next === undefined) throw new Error('Two Revisions share the calls');
  const shares = [
    { route: main, percent: 100 - percent },
    { route: next, percent },
  ];
  rig.gateway.setRoute({ ...main, split: { shares } });
}

/** One call, and what came of it: its status and how many bytes the function was sent. */
function call(rig: Rig, agent: Agent, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = bytes === 0 ? 'GET' : 'POST';
    const sent = request(rig.url, { agent, method }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    });
    sent.on('error', reject);
    // Chunked where it comes in two pieces, with a length otherwise.
    if (bytes > 10) sent.write('x'.repeat(10));
    sent.end('x'.repeat(bytes > 10 ? bytes - 10 : bytes));
  });
}

for (const seed of [1, 2, 3]) {
  test(`no call fails, and no Instance gets more than its limit (seed ${seed})`, async (t) => {
    const world = await startWorld(t, seed);
    const { rig, fleets, calls, random, limit } = world;
    share(world, 0);
    let left = clients;
    const client = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let i = 0; i < callsPerClient; i++) {
        const bytes = upTo(random, 1) * upTo(random, 30);
        assert.equal(await call(rig, agent, bytes), `200 ${bytes}`);
        await turns(upTo(random, 8));
      }
      agent.destroy();
    };
    const all = Promise.all(Array.from({ length: clients }, () => client().finally(() => left--)));
    while (left > 0) {
      const fleet = fleets[upTo(random, 1)];
      if (random.next() < 0.3) share(world, 10 * upTo(random, 10));
      else fleet?.scale(upTo(random, instancesMax));
      await turns(1 + upTo(random, 5));
    }
    await all;
    for (const { most, late } of calls) {
      assert.ok(most <= limit, `${most} calls at once, at most ${limit}`);
      assert.equal(late, 0, 'calls of an Instance that was drained');
    }
    for (const id of revisions) assert.equal(rig.gateway.demandOf(id).inFlight, 0);
  });
}
