import type { Random } from '@fnlet/base';
import type { CallShare } from '../call.ts';
import type { FieldBlock } from '../http1/field-block.ts';
import { type Route, type RouteSplit, routeRevisions } from '../route.ts';
import { CallMeter } from './call-meter.ts';
import { chooseShare } from './choose-share.ts';
import type { Observation } from './observation.ts';
import { sessionCookie, sessionField } from './session.ts';

/** Where one call of a split route goes. */
export interface Way {
  /** The route of one Revision. */
  readonly route: Route;
  readonly revisionId: string;
  readonly share: CallShare;
}

/** Chooses a Revision for each call of a Function that has several, and counts what they come to. */
export class Splitter {
  readonly #random: Random;
  readonly #meters = new Map<string, CallMeter>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** `tag`: the one whose address was called. */
  split(
    route: Route,
    split: RouteSplit,
    asked: { readonly fields: FieldBlock; readonly tag: string | undefined },
  ): Way {
    const { sessionSeconds, mirror } = split;
    const cookie = sessionCookie(route);
    const { share, byChance } = chooseShare(split, { ...asked, cookie }, this.#random);
    const { revision: revisionId = '' } = share.route;
    const name = revisionId.slice(route.namespace.length + 1);
    const begins = byChance && sessionSeconds !== undefined;
    const session = begins ? sessionField(cookie, name, sessionSeconds) : '';
    const answerFields = `X-Fnlet-Revision: ${name}\r\n${session}`;
    const meter = this.#meterOf(revisionId);
    return { route: share.route, revisionId, share: { meter, answerFields, mirror } };
  }

  /** What became of the calls of a Revision since it is one of several. */
  observe(revisionId: string): Observation | undefined {
    return this.#meters.get(revisionId)?.observe();
  }

  /** A route was replaced, or removed. */
  onReplaced(before: Route, after: Route | undefined): void {
    if (before.split === undefined) return;
    const kept = after?.split === undefined ? [] : routeRevisions(after);
    for (const id of routeRevisions(before)) if (!kept.includes(id)) this.#meters.delete(id);
  }

  #meterOf(revisionId: string): CallMeter {
    const known = this.#meters.get(revisionId);
    if (known !== undefined) return known;
    const meter = new CallMeter();
    this.#meters.set(revisionId, meter);
    return meter;
  }
}
