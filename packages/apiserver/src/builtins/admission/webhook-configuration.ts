import type { JsonObject } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { createComposition } from '../../admission/admission-expressions.ts';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { change, changeItems, fill } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { invalid } from '../refusal.ts';
import {
  about,
  all,
  between,
  each,
  fields,
  isUnset,
  oneOf,
  type Rule,
  required,
  uniqueBy,
} from '../rule.ts';
import { matchConditions } from './match-condition-rule.ts';
import { operationsRule } from './operations-rule.ts';
import { reviewVersions, webhookClient } from './webhook-client-rule.ts';

// admissionregistration/validation.

const webhookName: Rule = required((value, path) => {
  if (String(value).split('.').filter(Boolean).length >= 3) return [];
  const text = 'should be a domain with at least three segments separated by dots';
  return [invalid(path, value, text)];
});

const timeout: Rule = (value, path) =>
  isUnset(value) || between(1, 30)(value, path).length === 0
    ? []
    : [invalid(path, value, 'the timeout value must be between 1 and 30 seconds')];

const webhook: Rule = fields({
  name: webhookName,
  clientConfig: webhookClient,
  rules: each(operationsRule),
  failurePolicy: oneOf('Fail', 'Ignore'),
  matchPolicy: oneOf('Equivalent', 'Exact'),
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  sideEffects: required(oneOf('None', 'NoneOnDryRun'), 'must specify one of None, NoneOnDryRun'),
  timeoutSeconds: timeout,
  admissionReviewVersions: reviewVersions('must specify one of v1, v1beta1'),
  reinvocationPolicy: oneOf('IfNeeded', 'Never'),
  matchConditions: matchConditions(createComposition),
});

const rules: Rule = about((configuration): readonly FieldError[] =>
  fields({ webhooks: all(uniqueBy('name'), each(webhook)) })(configuration, ''),
);

function withDefaults(configuration: KubeObject, own: JsonObject): KubeObject {
  const filled = changeItems(configuration, 'webhooks', (one) => {
    const whole = fill(one, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...own,
    });
    const ruled = changeItems(whole, 'rules', (item) => fill(item, { scope: '*' }));
    const config = objectField(ruled, 'clientConfig');
    if (textField(config, 'url') !== '' || config.service === undefined) return ruled;
    return change(ruled, 'clientConfig', (client) =>
      change(client, 'service', (service) => fill(service, { port: 443 })),
    );
  });
  return { ...configuration, ...filled };
}

const columns = [
  nameColumn,
  column('Webhooks', 'How many webhooks it has.', (one) => listField(one, 'webhooks').length),
  ageColumn,
];

const shared = {
  group: 'admissionregistration.k8s.io',
  columns,
  validate: validation(rules),
} as const;

/** admissionregistration.k8s.io/v1 MutatingWebhookConfiguration. */
export const mutatingWebhookRules: KindRules = {
  ...shared,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  defaults: (one) => withDefaults(one, { reinvocationPolicy: 'Never' }),
};

/** admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration. */
export const validatingWebhookRules: KindRules = {
  ...shared,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  defaults: (one) => withDefaults(one, {}),
};
