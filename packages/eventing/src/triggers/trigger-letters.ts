/**
 * The dead letters of all Triggers, as people look at them, replay them and drop them.
 *
 * I1. A letter that is replayed goes only when its event is kept elsewhere or was taken (see
 *     `DeadLetters`); what happens in between leads to a second replay, not to none.
 * I2. One replay takes a bounded time, and leaves what is given up meanwhile.
 */
import { resolveDelivery, type TriggerObject, type TriggerTarget } from '@fnlet/api';
import { type Clock, sleep } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import { type ObjectKey, objectKey } from '@fnlet/machinery';
import type { Log } from '@fnlet/store/log';
import { withoutCause } from '../dead-letters/dead-letter.ts';
import { type DeadLetter, DeadLetters } from '../dead-letters/dead-letters.ts';
import type { LetterFilter } from '../dead-letters/letter-filter.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { formatJsonEvent } from '../event/json-event.ts';
import { bringsEvents } from './brings-events.ts';
import { deliverEach } from './deliver-each.ts';
import { LettersError } from './letters-error.ts';
import { triggerLimits } from './limits.ts';
import type { TargetOpener } from './open-target.ts';
import { parseReplayTarget } from './replay-target.ts';

/** Whose dead letters are meant, and which of them. */
export interface LettersQuery {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Default: all Triggers. */
  readonly trigger?: string | undefined;
  readonly filter: LetterFilter;
}

export interface LettersReplay extends LettersQuery {
  /** As `parseReplayTarget` reads it. Default: the Trigger that gave them up. */
  readonly to?: string | undefined;
  /** Events a second. Default: as fast as they are taken. */
  readonly perSecond?: number | undefined;
}

/** A dead letter as it is shown. */
export interface LetterView {
  /** `<trigger>.<number>`, by which it is asked for. */
  readonly name: string;
  readonly namespace: string;
  readonly trigger: string;
  /** When it was given up, RFC 3339. */
  readonly time: string;
  readonly reason: string;
  /** Status of the last answer; 0 when there was none. */
  readonly code: number;
  readonly answer: string;
  readonly attempts: number;
  readonly firstTime: string;
  readonly lastTime: string;
  readonly destination: string;
  /** In the JSON format of CloudEvents; without its data in lists. */
  readonly event: unknown;
}

export interface TriggerLettersOptions {
  readonly openLog: () => Promise<Log>;
  readonly triggers: Pick<Cache<TriggerObject>, 'get' | 'list'>;
  readonly openTarget: TargetOpener;
  /** Gives events to a Trigger that runs here. Resolves once they are kept, or delivered. */
  readonly give: (
    key: ObjectKey,
    events: readonly CloudEvent[],
    signal: AbortSignal,
  ) => Promise<void>;
  /** Told of each Trigger that has fewer dead letters now. */
  readonly onGone: (key: ObjectKey) => void;
  readonly clock: Clock;
}

/** Who takes events that are replayed. */
interface Taker {
  readonly accept: (events: readonly CloudEvent[], signal: AbortSignal) => Promise<void>;
  /** Whether they are delivered at once: one may be taken and the next not. */
  readonly isEach: boolean;
}

export class TriggerLetters {
  readonly #options: TriggerLettersOptions;

  constructor(options: TriggerLettersOptions) {
    this.#options = options;
  }

  /** Those of each Trigger in the order in which they were given up. */
  async list(
    query: LettersQuery,
    limit: number,
  ): Promise<{ readonly letters: readonly LetterView[]; readonly hasMore: boolean }> {
    const views: LetterView[] = [];
    for (const trigger of this.#triggers(query)) {
      const letters = await this.#open(trigger);
      const page = await letters.list(query.filter, { limit: limit - views.length });
      views.push(...page.letters.map((letter) => viewOf(trigger, letter, 'attributes')));
      if (page.next !== undefined) return { letters: views, hasMore: true };
    }
    return { letters: views, hasMore: false };
  }

  /**
   * One of them, with the data of its event.
   *
   * @throws LettersError `NotFound`
   */
  async get(namespace: string, name: string): Promise<LetterView> {
    const { trigger, number } = this.#place(namespace, name);
    const letter = await (await this.#open(trigger)).get(number);
    if (letter === undefined) throw noLetter(name);
    return viewOf(trigger, letter, 'all');
  }

  /**
   * Forgets one.
   *
   * @throws LettersError `NotFound`
   */
  async remove(namespace: string, name: string): Promise<LetterView> {
    const view = await this.get(namespace, name);
    const { trigger, number } = this.#place(namespace, name);
    await (await this.#open(trigger)).stream.remove([number]);
    this.#options.onGone(objectKey(trigger));
    return view;
  }

  /** Forgets all that are meant; how many. */
  async drop(query: LettersQuery): Promise<number> {
    let count = 0;
    for (const trigger of this.#triggers(query)) {
      count += await (await this.#open(trigger)).drop(query.filter);
      this.#options.onGone(objectKey(trigger));
    }
    return count;
  }

  /**
   * Sends the events of those that are meant on their way again: how many, and whether these are
   * all. What is left after some time is for another replay, with the same `untilMs`.
   *
   * @throws LettersError; those that were taken before are gone
   */
  async replay(
    query: LettersReplay,
    signal: AbortSignal,
  ): Promise<{ readonly replayed: number; readonly isDone: boolean }> {
    const { clock, onGone } = this.#options;
    const { filter, perSecond } = query;
    const abort = new AbortController();
    const either = AbortSignal.any([signal, abort.signal]);
    const timer = sleep(clock, triggerLimits.replayMs, either).then(() => abort.abort());
    let replayed = 0;
    try {
      for (const trigger of this.#triggers(query)) {
        const { accept: take, isEach } = this.#taker(trigger, query.to);
        const accept = async (events: readonly CloudEvent[]): Promise<void> => {
          await take(events, either);
          replayed += events.length;
        };
        const rate = perSecond === undefined ? {} : { perSecond };
        const letters = await this.#open(trigger);
        await letters.replay(filter, { accept, isEach, ...rate, signal: either });
        onGone(objectKey(trigger));
        if (either.aborted) return { replayed, isDone: false };
      }
      return { replayed, isDone: true };
    } catch (error) {
      if (either.aborted) return { replayed, isDone: false };
      throw sayReplayed(error, replayed);
    } finally {
      abort.abort();
      await timer;
    }
  }

  /** @throws LettersError `NotFound`, when one is named that is not there */
  #triggers({ namespace, trigger }: LettersQuery): readonly TriggerObject[] {
    const found = this.#options.triggers
      .list()
      .filter(
        ({ metadata, spec }) =>
          (namespace === undefined || metadata.namespace === namespace) &&
          (trigger === undefined || metadata.name === trigger) &&
          bringsEvents(spec.source),
      );
    if (trigger !== undefined && namespace !== undefined && found.length === 0) {
      throw new LettersError(
        'NotFound',
        `Cannot find Trigger "${namespace}/${trigger}" that delivers events: there is none`,
      );
    }
    return found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  async #open({ metadata: { uid = '' } }: TriggerObject): Promise<DeadLetters> {
    const { openLog, clock } = this.#options;
    return DeadLetters.open(await openLog(), uid, clock);
  }

  #place(
    namespace: string,
    name: string,
  ): { readonly trigger: TriggerObject; readonly number: number } {
    const [, trigger, number] = /^(.+)\.([1-9]\d{0,15})$/.exec(name) ?? [];
    if (trigger === undefined) throw noLetter(name);
    const [found] = this.#triggers({ namespace, trigger, filter: {} });
    if (found === undefined) throw noLetter(name);
    return { trigger: found, number: Number(number) };
  }

  /** @throws LettersError `InvalidTarget` */
  #taker({ metadata, spec }: TriggerObject, to: string | undefined): Taker {
    const { give, openTarget, triggers } = this.#options;
    const { namespace = '', name, uid = '' } = metadata;
    const target = parseReplayTarget(to);
    if (target.kind === 'original' || target.kind === 'trigger') {
      const key = { namespace, name: target.kind === 'trigger' ? target.name : name };
      const isEach = triggers.get(key)?.spec.source.broker !== undefined;
      return { accept: (events, signal) => give(key, events, signal), isEach };
    }
    const policy = { ...resolveDelivery(spec.delivery), batch: { size: 1, waitMs: 0 } };
    const place: TriggerTarget =
      target.kind === 'url' ? { url: target.url } : { [target.kind]: target.name };
    const way = openTarget({
      namespace,
      trigger: name,
      source: spec.source,
      target: place,
      policy,
    });
    const accept: Taker['accept'] = (events, signal) =>
      deliverEach(way, { owner: uid, events }, signal);
    return { accept, isEach: true };
  }
}

/** Who is told that a replay failed wants to know what it did before. */
function sayReplayed(error: unknown, replayed: number): unknown {
  if (!(error instanceof LettersError) || error.code !== 'NotTaken' || replayed === 0) return error;
  const message = `${error.message}; before it ${replayed} of the dead letters were replayed`;
  return new LettersError('NotTaken', message, { cause: error });
}

function noLetter(name: string): LettersError {
  return new LettersError(
    'NotFound',
    `Cannot find dead letter "${name}": there is none, or no longer`,
  );
}

function nameOf({ metadata: { namespace = '', name } }: TriggerObject): string {
  return `${namespace}/${name}`;
}

function viewOf(
  { metadata: { namespace = '', name } }: TriggerObject,
  { number, timeMs, event, cause }: DeadLetter,
  parts: 'attributes' | 'all',
): LetterView {
  const { reason, code, answer, attempts, firstTime, lastTime, destination } = cause;
  const { attributes, data } = withoutCause(event);
  const shown = { attributes, data: parts === 'all' ? data : undefined };
  return {
    name: `${name}.${number}`,
    namespace,
    trigger: name,
    time: new Date(timeMs).toISOString(),
    ...{ reason, code, answer, attempts, firstTime, lastTime, destination },
    event: JSON.parse(formatJsonEvent(shown)),
  };
}
