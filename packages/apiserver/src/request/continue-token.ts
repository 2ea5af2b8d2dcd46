import { isJsonObject } from '@fnlet/base';
import { badRequest } from '../answer/status-texts.ts';

/** Where a list goes on, and at which state (apiserver, storage/continue.go). */
export interface ContinueToken {
  /** The revision of the first page; -1 goes on with the current state. */
  readonly revision: number;
  /** The last key of the page before, relative to the collection. */
  readonly after: string;
}

export function formatContinueToken({ revision, after }: ContinueToken): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: after };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** @throws StatusError `BadRequest` */
export function parseContinueToken(text: string): ContinueToken {
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw badRequest(
      "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
    );
  }
  if (!isJsonObject(token) || token.v !== 'meta.k8s.io/v1') {
    throw badRequest(
      'invalid continue token: continue key is not valid: server does not recognize this encoded version',
    );
  }
  const { rv, start } = token;
  if (typeof rv !== 'number' || typeof start !== 'string') {
    throw badRequest('invalid continue token: continue key is not valid: incorrect encoded start');
  }
  return { revision: rv, after: start };
}
