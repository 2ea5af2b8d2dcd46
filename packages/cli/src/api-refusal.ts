import type { TransportResponse } from '@fnlet/client';
import { readFailure } from '@fnlet/client';
import type { Status } from '@fnlet/machinery';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/** What was asked for. */
export interface RefusedQuestion {
  readonly path: string;
  /** What to do where the API knows what it was asked for, and does not do it. */
  readonly remedy: string | undefined;
}

/** Reads why the API did not do what it was asked for, and says what to do about it. */
export async function readRefusal(
  response: TransportResponse,
  question: RefusedQuestion,
  nowMs: number,
): Promise<CliError> {
  const { status } = await readFailure(response, nowMs);
  return decideRefusal({ ...status, code: response.status }, question);
}

/** Whether nobody answers just now: who waits may be answered. */
export function isUnavailable(error: unknown): error is CliError {
  return error instanceof CliError && error.retry === 'later';
}

/** What a user is told of a refusal. */
export function decideRefusal(
  { code, message = '' }: Pick<Status, 'code' | 'message'>,
  { path, remedy }: RefusedQuestion,
): CliError {
  // Who is no API server says it in text, which was quoted.
  const text = message.replace(/^The server answered with HTTP status \d+: /, '');
  const said = `The API answers ${code}: ${text}`;
  switch (code) {
    case 401:
      return new CliError(exitCodes.unreachable, said, { remedy: unauthorizedRemedy });
    case 403:
      return new CliError(exitCodes.failed, said, { remedy: forbiddenRemedy });
    case 404: {
      if (!isUnserved(message)) break;
      const group = /^\/apis\/([^/]+)/.exec(path)?.[1] ?? path;
      const found = `Cannot ask for ${group}: found nobody in this API who answers for it`;
      return new CliError(exitCodes.unreachable, found, { remedy: unservedRemedy });
    }
    case 503:
      return new CliError(exitCodes.unreachable, said, {
        ...{ remedy: unavailableRemedy, retry: 'later' },
      });
    default:
  }
  const exit = code === 404 ? exitCodes.notFound : exitCodes.failed;
  return new CliError(exit, said, remedy === undefined ? {} : { remedy });
}

/** What API servers say of a path that nobody serves: in text, or as a Status. */
function isUnserved(message: string): boolean {
  return (
    message.includes('404 page not found') ||
    message === 'the server could not find the requested resource'
  );
}

const unauthorizedRemedy =
  'Are the credentials of this context still good? A Fnlet that started just now may need a moment';

const forbiddenRemedy =
  'Ask for the role "view" or "edit" in the namespace, or use another context with --context';

const unservedRemedy =
  'Is this the right context? Whether Fnlet is there: fnlet status. It answers with ' +
  'aggregatedApi: true among the values of the installation';

const unavailableRemedy =
  'No controller of Fnlet leads, or the API does not reach it: fnlet status and fnlet doctor say more';
