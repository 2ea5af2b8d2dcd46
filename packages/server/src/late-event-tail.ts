import { type EventHappening, EventTail, type TailQuery } from '@fnlet/eventing/tail';
import { eventHistoryMax } from './limits.ts';

/** What there is of events from a time on, those that are wanted. */
export type EventHistory = (
  query: TailQuery,
  sinceMs: number,
) => Promise<readonly EventHappening[]>;

/** What happens to events, for those who watch; what keeps events joins once it is there. */
export class LateEventTail {
  readonly tail: EventTail = new EventTail();
  readonly #histories: EventHistory[] = [];

  add(history: EventHistory): void {
    this.#histories.push(history);
  }

  /** What is still known of what happened from a time on, in its order; of very much the newest. */
  async history(query: TailQuery, sinceMs: number): Promise<readonly EventHappening[]> {
    const found = await Promise.all(this.#histories.map((history) => history(query, sinceMs)));
    return found
      .flat()
      .sort((a, b) => a.timeMs - b.timeMs)
      .slice(-eventHistoryMax);
  }
}
