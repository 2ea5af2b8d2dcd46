import { isJsonObject, type JsonObject } from '@fnlet/base';
import { podLevel, sumOf } from '../../quota/pod-needs.ts';
import { showUsage } from '../../quota/usage.ts';

/**
 * A Pod that says as a whole what it may use, and not what it needs: what its containers need, or
 * all that it may use (KEP-2837; core/v1 defaults).
 */
export function wholePodRequests(podSpec: JsonObject): JsonObject {
  const { resources } = podSpec;
  if (!isJsonObject(resources) || !isJsonObject(resources.limits)) return podSpec;
  const needed = showUsage(podLevel(showUsage(sumOf(podSpec, 'requests'))));
  const overcommitted = Object.entries(needed).filter(([name]) => !name.startsWith('hugepages-'));
  const given = isJsonObject(resources.requests) ? resources.requests : {};
  const requests = {
    ...showUsage(podLevel(resources.limits)),
    ...Object.fromEntries(overcommitted),
    ...given,
  };
  if (Object.keys(requests).length === Object.keys(given).length) return podSpec;
  return { ...podSpec, resources: { ...resources, requests } };
}
