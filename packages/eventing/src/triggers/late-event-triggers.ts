/** Triggers that deliver events: what runs them is loaded with the first of them. */
import type { TriggerObject } from '@fnlet/api';
import type { MetricFamily } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import type { Result } from '@fnlet/reconcile';
import type { EventHappening, TailQuery } from '../tail/event-happening.ts';
import { bringsEvents } from './brings-events.ts';
import type { EventTriggers, EventTriggersOptions } from './event-triggers.ts';
import type { TriggerLetters } from './trigger-letters.ts';

export class LateEventTriggers {
  readonly #options: EventTriggersOptions;
  #loading: Promise<EventTriggers> | undefined;
  #loaded: EventTriggers | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: EventTriggersOptions) {
    this.#options = options;
  }

  /** Makes what is there of a Trigger true, if it delivers events. */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const source = this.#options.triggers.get(key)?.spec.source;
    const isWanted = source !== undefined && bringsEvents(source);
    const triggers = isWanted ? await this.#load() : await this.#loading;
    return triggers?.reconcile(key, signal);
  }

  /** The dead letters of those that there are; `undefined` without any. */
  async letters(): Promise<TriggerLetters | undefined> {
    const { triggers } = this.#options;
    const isWanted = triggers.list().some(({ spec }) => bringsEvents(spec.source));
    const loaded = isWanted ? await this.#load() : await this.#loading;
    return loaded?.letters();
  }

  /** What they keep of events from a time on. */
  async history(query: TailQuery, sinceMs: number): Promise<readonly EventHappening[]> {
    const { triggers } = this.#options;
    const isWanted = triggers.list().some(({ spec }) => bringsEvents(spec.source));
    const loaded = isWanted ? await this.#load() : await this.#loading;
    return (await loaded?.history(query, sinceMs)) ?? [];
  }

  /**
   * How many events wait for the target of these Triggers; `undefined` while that is not known.
   * Those that are paused deliver nothing, so what they keep waits for nobody.
   */
  lagOf(triggers: readonly TriggerObject[]): number | undefined {
    let lag = 0;
    for (const trigger of triggers) {
      if (!bringsEvents(trigger.spec.source) || trigger.spec.paused === true) continue;
      const own = this.#loaded?.lagOf(trigger);
      if (own === undefined) return undefined;
      lag += own;
    }
    return lag;
  }

  metrics(): readonly MetricFamily[] {
    return this.#loaded?.metrics() ?? [];
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    await (await this.#loading)?.close();
  }

  #load(): Promise<EventTriggers> {
    this.#loading ??= import('./event-triggers.ts').then((module) => {
      const triggers = new module.EventTriggers(this.#options);
      this.#loaded = triggers;
      this.#unsubscribe = this.#options.ownership?.subscribe(() => triggers.rebalance());
      return triggers;
    });
    return this.#loading;
  }
}
