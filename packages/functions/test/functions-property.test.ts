// Whatever happens in whatever order: calls are answered, never by older code than what was Ready.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@fnlet/machinery';
import fc from 'fast-check';
import { createMachine, type Machine, World } from './world.ts';

type Step =
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'call' | 'crash' | 'restart' }
  | { readonly type: 'wait'; readonly ms: number };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('edit' as const),
    text: fc.constantFrom('one', 'two', 'three', 'broken'),
  }),
  fc.record({ type: fc.constant('call' as const) }),
  fc.record({ type: fc.constant('call' as const) }),
  fc.record({ type: fc.constant('crash' as const) }),
  fc.record({ type: fc.constant('restart' as const) }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, 3, 10, 300, 65_000) }),
);

function textOf(machine: Machine, sourceDirectory: string): string {
  const digest = sourceDirectory.slice('/artifacts/'.length);
  return machine.artifacts.stored.get(digest)?.files['handler.ts'] ?? '';
}

class Story {
  readonly #machine = createMachine();
  #world: World | undefined;
  #text = 'one';
  readonly #calls: Promise<unknown>[] = [];

  constructor() {
    this.#machine.load = ({ sourceDirectory }) => {
      const isBroken = textOf(this.#machine, sourceDirectory) === 'broken';
      const failure = { code: 'SyntaxError', message: 'broken' } as const;
      return isBroken ? { failure, afterMs: 2 } : { afterMs: 2 };
    };
  }

  async begin(): Promise<void> {
    this.#world = await new World(this.#machine).start();
    await this.#world.apply('hello', {});
    await this.#world.ready('hello');
  }

  async tell(step: Step): Promise<void> {
    const world = this.world;
    // Crashes are waited out, as kubelet does.
    world.patienceMs = 700_000;
    switch (step.type) {
      case 'edit':
        this.#text = step.text;
        await world.apply('hello', { source: { inline: step.text } });
        return;
      case 'call':
        await this.#call();
        return;
      case 'crash':
        for (const { id } of world.executor.instances()) world.executor.crash(id);
        return;
      case 'restart':
        // Calls in flight die with their process.
        await this.#answered();
        await world[Symbol.asyncDispose]();
        this.#world = await new World(this.#machine).start();
        return;
      case 'wait':
        await world.advance(step.ms);
    }
  }

  async end(): Promise<void> {
    await this.#answered();
    await this.tell({ type: 'edit', text: 'two' });
    await this.world.ready('hello');
    await this.#call();
    await this.#answered();
    await this.world.until(() => this.world.executor.instances().length === 1);
    await this.world.advance(65_000);
    assert.deepEqual(this.world.executor.instances(), []);
    await this.world[Symbol.asyncDispose]();
  }

  get world(): World {
    assert.ok(this.#world);
    return this.#world;
  }

  // Every call is answered: by the code that was Ready when it came, or by newer code.
  async #call(): Promise<void> {
    const { status, metadata } = await this.world.get('hello');
    const ready = findCondition(status?.conditions, 'Ready');
    const isReady = ready?.status === 'True' && ready.observedGeneration === metadata.generation;
    const expected = isReady ? this.#text : undefined;
    const { gateway, revisions } = this.world;
    const answer = gateway.call('default', 'hello').then(async ({ revisionId }) => {
      const key = { namespace: 'default', name: revisionId.slice('default/'.length) };
      const revision = await revisions.tryGet(key);
      const text = revision?.spec.source.inline;
      assert.notEqual(text, 'broken');
      if (expected !== undefined && text !== this.#text) assert.equal(text, expected);
    });
    this.#calls.push(answer);
    answer.catch(() => {});
  }

  async #answered(): Promise<void> {
    await this.world.untilAnswered(this.#calls.splice(0));
  }
}

test('calls are answered, by no older code than what was Ready', async () => {
  const property = fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 15 }), async (steps) => {
    const story = new Story();
    await story.begin();
    for (const step of steps) await story.tell(step);
    await story.end();
  });
  await fc.assert(property, { numRuns: 25 });
});
