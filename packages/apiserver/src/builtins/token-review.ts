import { badRequest } from '../answer/status-texts.ts';
import { isIdentified } from '../auth/identify-token.ts';
import { objectField, textField, withFields } from '../object/object-form.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { formatUserInfo } from './self-subject-review.ts';

/** Programs that are handed a token ask with it whose it is. */
export const tokenReviewStrategy: Strategy = builtinStrategy({
  group: 'authentication.k8s.io',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  description: 'A TokenReview asks: whom does this token stand for?',
  answer(review, { identify }) {
    const spec = objectField(review, 'spec');
    const token = textField(spec, 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const audiences = Array.isArray(spec.audiences)
      ? spec.audiences.filter((item) => typeof item === 'string')
      : [];
    const found = audiences.length === 0 ? identify(token) : identify(token, audiences);
    if (!isIdentified(found)) {
      return withFields(review, { status: { user: {}, error: found.problem } });
    }
    const user = formatUserInfo(found.user);
    return withFields(review, {
      status: { authenticated: true, user, audiences: found.audiences },
    });
  },
});
