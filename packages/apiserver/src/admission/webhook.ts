import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField } from '../object/object-form.ts';
import { compileConditions, type MatchCondition } from './match-condition.ts';
import { type ClientConfig, parseClientConfig } from './webhook-address.ts';

/** Which requests a webhook is asked about (RuleWithOperations). */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  /** `pods`, `pods/status`, `pods/*`, `*` or `*` with a slash and a subresource. */
  readonly resources: readonly string[];
  readonly scope: string;
}

/** One webhook of a configuration, which has passed validation. */
export interface Webhook {
  readonly name: string;
  readonly isMutating: boolean;
  readonly client: ClientConfig;
  readonly rules: readonly WebhookRule[];
  readonly namespaceSelector: unknown;
  readonly objectSelector: unknown;
  /** Whether it is asked about the exact versions of its rules only. */
  readonly isExact: boolean;
  readonly conditions: readonly MatchCondition[];
  /** What happens to the request when there is no answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutMs: number;
  /** Whether it wants to see what webhooks after it have changed. */
  readonly isReinvoked: boolean;
}

/** The webhooks of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, in order. */
export function parseWebhooks(configuration: KubeObject): readonly Webhook[] {
  const isMutating = configuration.kind === 'MutatingWebhookConfiguration';
  return listField(configuration, 'webhooks').map((webhook) => parseWebhook(webhook, isMutating));
}

function parseWebhook(webhook: JsonObject, isMutating: boolean): Webhook {
  const { timeoutSeconds, namespaceSelector, objectSelector } = webhook;
  return {
    name: textField(webhook, 'name'),
    isMutating,
    client: parseClientConfig(objectField(webhook, 'clientConfig')),
    rules: listField(webhook, 'rules').map(parseRule),
    namespaceSelector,
    objectSelector,
    isExact: webhook.matchPolicy === 'Exact',
    conditions: compileConditions(listField(webhook, 'matchConditions')),
    failurePolicy: webhook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutMs: (typeof timeoutSeconds === 'number' ? timeoutSeconds : 10) * 1000,
    isReinvoked: webhook.reinvocationPolicy === 'IfNeeded',
  };
}

function parseRule(rule: JsonObject): WebhookRule {
  return {
    apiGroups: texts(rule.apiGroups),
    apiVersions: texts(rule.apiVersions),
    operations: texts(rule.operations),
    resources: texts(rule.resources),
    scope: textField(rule, 'scope') || '*',
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Whether a selector lets everything through, as one does that is not given. */
export function isEmptySelector(selector: unknown): boolean {
  if (!isJsonObject(selector)) return true;
  const { matchLabels, matchExpressions } = selector;
  return (
    (!isJsonObject(matchLabels) || Object.keys(matchLabels).length === 0) &&
    (!Array.isArray(matchExpressions) || matchExpressions.length === 0)
  );
}
