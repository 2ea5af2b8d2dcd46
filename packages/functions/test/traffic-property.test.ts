// Whatever is asked for in whatever order: calls are answered, and nothing is left that nobody calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionRollout, FunctionSpec, TrafficTarget } from '@fnlet/api';
import fc from 'fast-check';
import { createMachine, namespace, World } from './world.ts';

const rollout: FunctionRollout = {
  deadline: '2m',
  canary: { steps: [20, 60], interval: '10s', successRate: 90, minimumCalls: 5 },
};

const texts = ['one', 'two', 'three'] as const;

type Step =
  | { readonly type: 'edit'; readonly text: string; readonly isCareful: boolean }
  /** To the Revision of a text, if that was ready once, with this part of the calls. */
  | { readonly type: 'pin'; readonly text: string; readonly percent: number }
  | { readonly type: 'scale'; readonly min: number }
  | { readonly type: 'unpin' | 'call' | 'fail' | 'crash' | 'restart' }
  | { readonly type: 'wait'; readonly ms: number };

const text = fc.constantFrom(...texts);

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('edit' as const), text, isCareful: fc.boolean() }),
  fc.record({ type: fc.constant('pin' as const), text, percent: fc.constantFrom(0, 30, 100) }),
  fc.record({ type: fc.constant('scale' as const), min: fc.constantFrom(0, 2) }),
  fc.record({ type: fc.constantFrom('unpin', 'call', 'call', 'fail', 'crash', 'restart') }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, 20, 1_000, 30_000) }),
);

class Story {
  readonly #machine = createMachine();
  #world: World | undefined;
  #spec: Partial<FunctionSpec> = { source: { inline: 'one' } };
  readonly #calls: Promise<unknown>[] = [];

  constructor() {
    this.#machine.load = () => ({ afterMs: 2 });
  }

  async begin(): Promise<void> {
    this.#world = await new World(this.#machine).start();
    await this.#apply({});
    await this.world.ready('hello');
  }

  async tell(step: Step): Promise<void> {
    const { world } = this;
    world.patienceMs = 700_000;
    switch (step.type) {
      case 'edit': {
        const careful = step.isCareful ? { rollout } : { rollout: { deadline: '2m' } };
        return this.#apply({ source: { inline: step.text }, ...careful });
      }
      case 'pin':
        return this.#pin(step.text, step.percent);
      case 'unpin':
        return this.#apply({ traffic: [{ latest: true, percent: 100 }] });
      case 'scale':
        return this.#apply({
          scale: { min: step.min, max: 5, target: 50, limit: 0, idleAfter: '60s' },
        });
      case 'call':
        this.#call();
        return;
      case 'fail':
        for (const id of this.#served()) world.gateway.answered(id, 20, { status: 500 });
        return;
      case 'crash':
        for (const { id } of world.executor.instances()) world.executor.crash(id);
        return;
      case 'restart':
        await this.#answered();
        await world[Symbol.asyncDispose]();
        this.#world = await new World(this.#machine).start();
        return;
      case 'wait':
        await world.advance(step.ms);
        this.#checkRoute();
    }
  }

  /** Once all is said, the newest code serves alone, and sleeps. */
  async end(): Promise<void> {
    await this.#answered();
    this.#spec = {};
    await this.#apply({ source: { inline: 'last' } });
    const { status } = await this.world.ready('hello');
    const revision = status?.revision ?? '';
    assert.deepEqual(status?.traffic, [{ revision, latest: true, percent: 100 }]);
    this.#call();
    await this.#answered();
    await this.world.advance(200_000);
    assert.deepEqual(this.world.executor.instances(), []);
    await this.world[Symbol.asyncDispose]();
  }

  get world(): World {
    assert.ok(this.#world);
    return this.#world;
  }

  async #apply(change: Partial<FunctionSpec>): Promise<void> {
    this.#spec = { ...this.#spec, ...change };
    await this.world.apply('hello', this.#spec);
  }

  async #pin(inline: string, percent: number): Promise<void> {
    const { items } = await this.world.revisions.list({ namespace });
    const found = items.find(({ spec, status }) => {
      return spec.source.inline === inline && status?.servedAt !== undefined;
    });
    if (found === undefined) return;
    const rest: TrafficTarget = { latest: true, percent: 100 - percent, tag: 'newest' };
    await this.#apply({ traffic: [rest, { revision: found.metadata.name, percent, tag: 'old' }] });
  }

  #served(): readonly string[] {
    const { revision, split } = this.world.gateway.routes.get('default/hello') ?? {};
    return split?.shares.flatMap(({ route }) => route.revision ?? []) ?? [revision ?? ''];
  }

  #call(): void {
    const answer = this.world.gateway.call('default', 'hello');
    this.#calls.push(answer);
    answer.catch(() => {});
  }

  #checkRoute(): void {
    const { split } = this.world.gateway.routes.get('default/hello') ?? {};
    const percents = split?.shares.map(({ percent }) => percent) ?? [100];
    assert.equal(
      percents.reduce((sum, percent) => sum + percent, 0),
      100,
    );
  }

  async #answered(): Promise<void> {
    await this.world.untilAnswered(this.#calls.splice(0));
  }
}

test('calls are answered whatever traffic asks for, and nothing is left of it', async () => {
  const property = fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 15 }), async (steps) => {
    const story = new Story();
    await story.begin();
    for (const step of steps) await story.tell(step);
    await story.end();
  });
  await fc.assert(property, { numRuns: 15 });
});
