import type { Happening, InvolvedObject } from './kube-event.ts';
import { knownEventsMax, similarEventsMax, similarEventsMs } from './limits.ts';

/** A statement, and what makes another one the same. */
export interface Statement {
  readonly key: string;
  readonly happening: Happening;
}

/** What was said of one object for one reason. */
interface Group {
  readonly messages: Set<string>;
  readonly lastMs: number;
}

/**
 * Joins statements that differ in nothing but their message: after ten of them within ten minutes
 * they become one Event, whose message is the last of them (client-go, EventAggregator).
 */
export class SimilarEvents {
  readonly #groups = new Map<string, Group>();

  /** The statement to record in place of this one. */
  join(involved: InvolvedObject, happening: Happening, nowMs: number): Statement {
    const { kind, namespace, name, uid } = involved;
    const { type, reason, message } = happening;
    const about = [kind, namespace, name, uid, type, reason];
    const messages = this.#note(JSON.stringify(about), message, nowMs);
    if (messages.has(message)) return { key: JSON.stringify([...about, message]), happening };
    const combined = { ...happening, message: `(combined from similar events): ${message}` };
    return { key: JSON.stringify(about), happening: combined };
  }

  /** The messages that have an Event of their own. */
  #note(group: string, message: string, nowMs: number): ReadonlySet<string> {
    const known = this.#groups.get(group);
    const isOld = known === undefined || nowMs - known.lastMs >= similarEventsMs;
    const messages = isOld ? new Set<string>() : known.messages;
    if (messages.size < similarEventsMax) messages.add(message);
    this.#groups.delete(group);
    this.#groups.set(group, { messages, lastMs: nowMs });
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > knownEventsMax && oldest !== undefined) this.#groups.delete(oldest);
    return messages;
  }
}
