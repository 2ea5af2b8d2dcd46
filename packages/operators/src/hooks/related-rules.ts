import { isJsonObject, type JsonObject } from '@fnlet/base';
import { formatLabelSelector, labelSelectorFromSpec } from '@fnlet/machinery';
import type { RequiredObjects } from '@fnlet/sdk/operator-wire';
import { HubError } from '../hub-error.ts';

/** Related objects that a `customize` hook asks for; a kind is named by its plural there. */
export interface RelatedRule extends Omit<RequiredObjects, 'kind'> {
  readonly resource: string;
}

/**
 * What a `customize` hook has answered: of each rule one for every name, or one by labels. A rule
 * has either a selector, or a namespace and names; without any of them it is about all objects
 * (Metacontroller, api/customize).
 *
 * @throws HubError `InvalidAnswer`
 */
export function readRelatedRules(value: unknown): RelatedRule[] {
  const rules = isJsonObject(value) ? (value.relatedResources ?? []) : undefined;
  if (!Array.isArray(rules)) throw invalid(value, 'a list "relatedResources"');
  return rules.flatMap(readRule);
}

function readRule(rule: unknown): RelatedRule[] {
  const { apiVersion, resource, labelSelector, namespace, names } = isJsonObject(rule) ? rule : {};
  if (typeof apiVersion !== 'string' || typeof resource !== 'string') {
    throw invalid(rule, 'an apiVersion and a resource');
  }
  const kind = { apiVersion, resource };
  const place = typeof namespace === 'string' && namespace !== '' ? { namespace } : {};
  const isNamed = Array.isArray(names) && names.length > 0;
  if (isJsonObject(labelSelector) && (isNamed || 'namespace' in place)) {
    throw invalid(rule, 'either a labelSelector, or a namespace and names');
  }
  if (isNamed) return names.map((name) => ({ ...kind, ...place, name: String(name) }));
  if (!isJsonObject(labelSelector)) return [{ ...kind, ...place }];
  return [{ ...kind, labels: labelsOf(labelSelector) }];
}

function labelsOf(selector: JsonObject): string {
  try {
    return formatLabelSelector(labelSelectorFromSpec(selector));
  } catch (cause) {
    throw new HubError('InvalidAnswer', `Cannot read a labelSelector: ${String(cause)}`, {
      cause,
      retry: 'later',
    });
  }
}

function invalid(found: unknown, expected: string): HubError {
  const text = (JSON.stringify(found) ?? typeof found).slice(0, 80);
  const message = `Cannot read the answer of the customize hook: found ${text}, expected ${expected}`;
  return new HubError('InvalidAnswer', message, { retry: 'later' });
}
