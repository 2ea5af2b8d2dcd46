/**
 * Some machines, the network between them and the API, and their clocks, on one virtual clock and
 * from one seed: what goes wrong in it goes wrong again with the same seed.
 */
import { type ApiServer, createApiServer } from '@fnlet/apiserver';
import { type Random, randomInt, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import { openMemoryStore } from '@fnlet/store';
import { FaultyNetwork } from './faulty-network.ts';
import { NodeClock } from './node-clock.ts';

/** A machine. Its clock is up to 2 % off, so two of them drift apart by up to 4 %. */
export interface SimulatedNode {
  readonly name: string;
  readonly clock: NodeClock;
  readonly network: FaultyNetwork;
  readonly client: Client;
  readonly random: Random;
}

const driftMax = 0.02;

export class SimulatedWorld implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly random: Random;
  readonly nodes: SimulatedNode[] = [];
  readonly #store = openMemoryStore();
  readonly #server: ApiServer;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.#server = createApiServer({
      store: this.#store,
      clock: this.clock,
      random: seededRandom(seed + 1),
      logger: silentLogger,
    });
  }

  static async open(seed: number): Promise<SimulatedWorld> {
    const world = new SimulatedWorld(seed);
    await world.#server.start();
    return world;
  }

  /** One more machine. */
  addNode(): SimulatedNode {
    const { random } = this;
    const rate = 1 + (random.next() * 2 - 1) * driftMax;
    const clock = new NodeClock(this.clock, rate, randomInt(random, 1e9));
    const api = this.#server.transport();
    const network = new FaultyNetwork({ api, clock: this.clock, random, node: clock });
    const name = `node-${this.nodes.length}`;
    const client = createClient(network, { fieldManager: name, clock });
    const node = { name, clock, network, client, random };
    this.nodes.push(node);
    return node;
  }

  /** The administrator's client, whom no fault meets. */
  get client(): Client {
    return createClient(this.#server.transport(), { fieldManager: 'test', clock: this.clock });
  }

  /** Cuts, heals, pauses and wakes machines, each about twice a minute. */
  disturb(): void {
    const { random } = this;
    for (const { network, clock } of this.nodes) {
      if (random.next() > 0.01) continue;
      const choice = randomInt(random, 4);
      if (choice === 0) network.isCut = !network.isCut;
      if (choice === 1) network.faultShare = random.next() * 0.5;
      if (choice === 2) clock.pause();
      if (choice === 3) clock.resume((held) => this.#shuffle(held));
    }
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    for (const { network, clock } of this.nodes) {
      network.isCut = false;
      network.faultShare = 0;
      clock.resume((held) => held);
    }
  }

  /** Moves on in small steps, with a look at everything after each of them. */
  async run(durationMs: number, look: () => void): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += stepMs) {
      await this.clock.advance(stepMs);
      look();
    }
  }

  #shuffle<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => ({ item, key: this.random.next() }));
    return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await this.#store.close();
  }
}

const stepMs = 100;
