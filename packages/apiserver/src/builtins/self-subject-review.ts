import { withFields, withMetadata } from '../object/object-form.ts';
import type { User } from '../request/api-request.ts';
import type { Strategy } from '../resource/strategy.ts';
import { type BuiltinKind, builtinStrategy } from './builtin-strategy.ts';

const facts: BuiltinKind = {
  group: 'authentication.k8s.io',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  description: 'A SelfSubjectReview asks: who am I?',
  answer: (review, { user }) =>
    withFields(withMetadata(review, { name: undefined }), {
      status: { userInfo: formatUserInfo(user) },
    }),
};

const v1 = builtinStrategy(facts);

/** `kubectl auth whoami`; older kubectls ask for the beta version. */
export const selfSubjectReviewStrategies: readonly Strategy[] = [
  v1,
  builtinStrategy({
    ...facts,
    version: 'v1beta1',
    message: 'authentication.v1.SelfSubjectReview',
    withoutVerbs: v1.withoutVerbs ?? [],
    namespaced: false,
  }),
];

/** The user as authentication.k8s.io shows it. */
export function formatUserInfo({ name, uid, groups, extra }: User): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
