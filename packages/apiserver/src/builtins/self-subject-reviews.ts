import { isJsonObject, type JsonObject } from '@fnlet/base';
import { checkAccess } from '../authentication.ts';
import { objectField, textField, withFields, withMetadata } from '../object-form.ts';
import type { Route } from '../route.ts';
import type { Strategy } from '../strategy.ts';
import { type BuiltinKind, builtinStrategy } from './builtin-strategy.ts';
import { flag, list, object, text, texts } from './schema-words.ts';

// Questions about the asking user, answered at once and never stored: `kubectl auth whoami` and
// `kubectl auth can-i`.

const createOnly: Pick<BuiltinKind, 'namespaced' | 'hasStatus' | 'withoutVerbs'> = {
  namespaced: false,
  hasStatus: false,
  withoutVerbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
};

export const selfSubjectReviewStrategy: Strategy = builtinStrategy({
  ...createOnly,
  group: 'authentication.k8s.io',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  description: 'A SelfSubjectReview asks: who am I?',
  fields: {
    status: object('The answer.', {
      userInfo: object('The asking user.', {
        username: text('Name of the user.'),
        uid: text('Identifier of the user.'),
        groups: texts('Groups that the user is in.'),
      }),
    }),
  },
  answer: (review, user) =>
    withFields(withMetadata(review, { name: undefined }), {
      status: { userInfo: { username: user.name, groups: user.groups } },
    }),
});

export const selfSubjectAccessReviewStrategy: Strategy = builtinStrategy({
  ...createOnly,
  group: 'authorization.k8s.io',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  description: 'A SelfSubjectAccessReview asks: may I do this?',
  fields: {
    spec: object('What is to be done.', {
      resourceAttributes: object('A request to a resource.', {
        namespace: text('Namespace of the request; empty for all.'),
        verb: text('What is to be done.'),
        group: text('API group.'),
        version: text('API version.'),
        resource: text('Plural of the resource.'),
        subresource: text('Subresource.'),
        name: text('Name of the object; empty for all.'),
        fieldSelector: selector('Which fields a list is limited to.'),
        labelSelector: selector('Which labels a list is limited to.'),
      }),
      nonResourceAttributes: object('A request to any other path.', {
        path: text('URL path.'),
        verb: text('HTTP method in lower case.'),
      }),
    }),
    status: object('The answer.', {
      allowed: flag('Whether the user may.'),
      denied: flag('Whether it was refused, not just not allowed.'),
      reason: text('Why.'),
      evaluationError: text('What went wrong while finding out.'),
    }),
  },
  answer(review, user) {
    const spec = objectField(review, 'spec');
    const attributes = isJsonObject(spec.resourceAttributes) ? spec.resourceAttributes : undefined;
    const asked = attributes ?? objectField(spec, 'nonResourceAttributes');
    const refusal = checkAccess(user, textField(asked, 'verb'), routeOf(asked, attributes));
    return withFields(review, { status: { allowed: refusal === undefined } });
  },
});

function selector(description: string): ReturnType<typeof object> {
  const requirement = object('One requirement.', {
    key: text('What is compared.'),
    operator: text('How it is compared.'),
    values: texts('What it is compared with.'),
  });
  return object(description, {
    rawSelector: text('The selector as text.'),
    requirements: list('What must hold.', requirement),
  });
}

function routeOf(asked: JsonObject, attributes: JsonObject | undefined): Route {
  if (attributes === undefined) return { kind: 'other', path: textField(asked, 'path') };
  return {
    kind: 'resource',
    group: textField(asked, 'group'),
    version: textField(asked, 'version'),
    plural: textField(asked, 'resource'),
    namespace: textField(asked, 'namespace'),
    name: textField(asked, 'name') || undefined,
    subresource: textField(asked, 'subresource') || undefined,
    watch: false,
  };
}
