import { isJsonObject, type JsonObject } from '@fnlet/base';
import { type FieldError, invalidError, type KubeObject } from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import type { Access } from '../auth/access.ts';
import type { AccessAttributes } from '../auth/access-attributes.ts';
import { aggregate } from '../auth/decide-access.ts';
import { objectField, textField, withFields } from '../object/object-form.ts';
import type { User } from '../request/api-request.ts';
import { fieldError } from '../request/request-options.ts';
import type { Strategy } from '../resource/strategy.ts';
import { type BuiltinKind, builtinStrategy } from './builtin-strategy.ts';

// Questions of what somebody may do: `kubectl auth can-i`, and servers that let this API decide.

const group = 'authorization.k8s.io';

const selfSubjectAccessReviewStrategy: Strategy = builtinStrategy({
  group,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  description: 'A SelfSubjectAccessReview asks: may I do this?',
  answer(review, { user, access }) {
    check(questionErrors(objectField(review, 'spec')));
    return decide(review, user, access);
  },
});

const somebody: BuiltinKind = {
  group,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  description: 'A SubjectAccessReview asks: may somebody do this?',
  answer(review, { access }) {
    const spec = objectField(review, 'spec');
    check([...questionErrors(spec), ...subjectErrors(spec)]);
    return decide(review, userOf(spec), access);
  },
};

const localSubjectAccessReviewStrategy: Strategy = builtinStrategy({
  ...somebody,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  description: 'A LocalSubjectAccessReview asks: may somebody do this, in this namespace?',
  answer(review, { access, namespace }) {
    const spec = objectField(review, 'spec');
    const errors = [...questionErrors(spec), ...subjectErrors(spec)];
    if (isJsonObject(spec.nonResourceAttributes)) {
      const text = `Invalid value: ${JSON.stringify(spec.nonResourceAttributes)}: disallowed on this kind of request`;
      errors.push(fieldError('FieldValueInvalid', 'spec.nonResourceAttributes', text));
    }
    const named = textField(objectField(spec, 'resourceAttributes'), 'namespace');
    if (isJsonObject(spec.resourceAttributes) && named !== namespace) {
      const text = `Invalid value: ${JSON.stringify(named)}: must match metadata.namespace`;
      errors.push(fieldError('FieldValueInvalid', 'spec.resourceAttributes.namespace', text));
    }
    check(errors);
    return decide(review, userOf(spec), access);
  },
});

const selfSubjectRulesReviewStrategy: Strategy = builtinStrategy({
  group,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  description: 'A SelfSubjectRulesReview asks: what may I do in this namespace?',
  async answer(review, { user, access }) {
    const namespace = textField(objectField(review, 'spec'), 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, problems } = await access.rulesFor(user, namespace);
    const resourceRules = rules
      .filter(({ resources }) => resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length === 0 ? {} : { resourceNames }),
      }));
    const nonResourceRules = rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
    const failed = problems.length === 0 ? {} : { evaluationError: aggregate(problems) };
    // As in Kubernetes, the answer does not repeat the question.
    return withFields(review, {
      spec: {},
      status: { resourceRules, nonResourceRules, incomplete: false, ...failed },
    });
  },
});

export const accessReviewStrategies: readonly Strategy[] = [
  localSubjectAccessReviewStrategy,
  selfSubjectAccessReviewStrategy,
  selfSubjectRulesReviewStrategy,
  builtinStrategy(somebody),
];

// pkg/apis/authorization/validation
function questionErrors(spec: JsonObject): FieldError[] {
  const hasResource = isJsonObject(spec.resourceAttributes);
  const hasPath = isJsonObject(spec.nonResourceAttributes);
  if (hasResource !== hasPath) return [];
  if (hasResource) {
    const { path = '', verb = '' } = objectField(spec, 'nonResourceAttributes');
    const value = JSON.stringify({ Path: path, Verb: verb });
    const text = `Invalid value: ${value}: cannot be specified in combination with resourceAttributes`;
    return [fieldError('FieldValueInvalid', 'spec.nonResourceAttributes', text)];
  }
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [
    fieldError('FieldValueInvalid', 'spec.resourceAttributes', `Invalid value: null: ${text}`),
  ];
}

function subjectErrors(spec: JsonObject): FieldError[] {
  const { name, groups } = userOf(spec);
  if (name !== '' || groups.length > 0) return [];
  const text = 'Invalid value: "": at least one of user or group must be specified';
  return [fieldError('FieldValueInvalid', 'spec.user', text)];
}

// Nor does kube-apiserver name the kind of the question here.
function check(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError({ group, kind: '' }, '', errors);
}

function userOf(spec: JsonObject): User {
  const isText = (item: unknown): item is string => typeof item === 'string';
  return {
    name: textField(spec, 'user'),
    uid: textField(spec, 'uid'),
    groups: Array.isArray(spec.groups) ? spec.groups.filter(isText) : [],
  };
}

async function decide(review: KubeObject, user: User, access: Access): Promise<KubeObject> {
  const attributes = attributesOf(objectField(review, 'spec'), user);
  const { allowed, reason } = await access.authorize(attributes);
  return withFields(review, { status: { allowed, ...(reason === '' ? {} : { reason }) } });
}

function attributesOf(spec: JsonObject, user: User): AccessAttributes {
  const { resourceAttributes: asked } = spec;
  if (!isJsonObject(asked)) {
    const other = objectField(spec, 'nonResourceAttributes');
    return { kind: 'path', user, verb: textField(other, 'verb'), path: textField(other, 'path') };
  }
  return {
    kind: 'resource',
    user,
    verb: textField(asked, 'verb'),
    group: textField(asked, 'group'),
    version: textField(asked, 'version'),
    resource: textField(asked, 'resource'),
    subresource: textField(asked, 'subresource'),
    namespace: textField(asked, 'namespace'),
    name: textField(asked, 'name'),
  };
}
