import type { PolicyRule } from './policy-rule.ts';

function rule(group: string, resources: string, verbs: string): PolicyRule {
  return {
    verbs: verbs.split(' '),
    apiGroups: [group],
    resources: resources.split(' '),
    resourceNames: [],
    nonResourceURLs: [],
  };
}

/**
 * What may be done with records of Fnlet, which are no objects, by those who view a namespace.
 * What an Operator was sent may hold Secrets, so one run is read by those who read Secrets; lists
 * of runs leave it out.
 */
export const viewRecordRules: readonly PolicyRule[] = [
  rule('events.fnlet.dev', 'deadletters', 'get list'),
  rule('events.fnlet.dev', 'cloudevents', 'list watch'),
  rule('calls.fnlet.dev', 'calls', 'get list'),
  rule('operators.fnlet.dev', 'runs', 'list'),
  rule('operators.fnlet.dev', 'explanations', 'get'),
];

/** And by those who edit it. */
export const editRecordRules: readonly PolicyRule[] = [
  rule('artifacts.fnlet.dev', 'artifacts', 'get update'),
  rule('events.fnlet.dev', 'deadletters', 'delete deletecollection'),
  rule('events.fnlet.dev', 'cloudevents replays', 'create'),
  rule('calls.fnlet.dev', 'calls', 'delete'),
  rule('calls.fnlet.dev', 'calls/retry', 'create'),
  rule('operators.fnlet.dev', 'runs', 'get'),
  rule('operators.fnlet.dev', 'wakeups runs/replay', 'create'),
];
