import { defaultTraffic, type FunctionSpec, type TrafficTarget } from '@fnlet/api';
import type { ServedRevision, Share } from './share.ts';

/** Where the calls of a Function should go. */
export type TrafficPlan =
  | { readonly kind: 'shares'; readonly shares: readonly Share[] }
  /** To the newest Revision, and none was ready so far. */
  | { readonly kind: 'unready' }
  /** To a Revision of this name, which is not there or was never ready. */
  | { readonly kind: 'lost'; readonly revision: string };

/**
 * What `spec.traffic` comes to: each name is a Revision, `latest` the newest that is ready, and
 * while a canary is under way that one gets a part of what the newest has.
 *
 * @param find a Revision of the Function by its name, if it was ever ready
 */
export function planTraffic(options: {
  readonly spec: Pick<FunctionSpec, 'traffic' | 'mirror'>;
  readonly latest: ServedRevision | undefined;
  readonly canary: { readonly revision: ServedRevision; readonly percent: number } | undefined;
  readonly find: (name: string) => ServedRevision | undefined;
}): TrafficPlan {
  const { spec, latest, canary, find } = options;
  const { traffic = defaultTraffic, mirror } = spec;
  const shares: Share[] = [];
  for (const target of [...traffic, ...mirrored(traffic, mirror?.revision)]) {
    const { revision: name, percent, tag } = target;
    const named = tag === undefined ? {} : { tag };
    if (name !== undefined) {
      const revision = find(name);
      if (revision === undefined) return { kind: 'lost', revision: name };
      shares.push({ revision, percent, ...named });
    } else if (latest === undefined) {
      return { kind: 'unready' };
    } else {
      const part = canary === undefined ? 0 : canaryPart(percent, canary.percent);
      shares.push({ revision: latest, percent: percent - part, latest: true, ...named });
      if (canary !== undefined && part > 0)
        shares.push({ revision: canary.revision, percent: part });
    }
  }
  return { kind: 'shares', shares };
}

/** A Revision that gets nothing but copies has a share, too: it is kept and may be called. */
function mirrored(
  traffic: readonly TrafficTarget[],
  revision: string | undefined,
): readonly TrafficTarget[] {
  const isKnown = traffic.some((target) => target.revision === revision);
  return revision === undefined || isKnown ? [] : [{ revision, percent: 0 }];
}

// At least one call in a hundred: a canary that gets none is never judged.
function canaryPart(percent: number, canaryPercent: number): number {
  if (percent === 0) return 0;
  return Math.min(percent, Math.max(1, Math.round((percent * canaryPercent) / 100)));
}
