import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField } from '../object/object-form.ts';
import { compileConditions, type MatchConditions } from './match-condition.ts';
import { parseConstraints, type RequestConstraints } from './request-constraints.ts';
import { type ClientConfig, parseClientConfig } from './webhook-address.ts';

/** One webhook of a configuration, which has passed validation. */
export interface Webhook extends RequestConstraints {
  readonly name: string;
  readonly isMutating: boolean;
  readonly client: ClientConfig;
  readonly conditions: MatchConditions;
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
  const { timeoutSeconds } = webhook;
  return {
    ...parseConstraints(webhook, 'rules'),
    name: textField(webhook, 'name'),
    isMutating,
    client: parseClientConfig(objectField(webhook, 'clientConfig')),
    conditions: compileConditions(listField(webhook, 'matchConditions')),
    failurePolicy: webhook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutMs: (typeof timeoutSeconds === 'number' ? timeoutSeconds : 10) * 1000,
    isReinvoked: webhook.reinvocationPolicy === 'IfNeeded',
  };
}
