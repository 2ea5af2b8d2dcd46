import type { TransportRequest } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { CliError } from '../cli-error.ts';
import type { Connection } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';

/**
 * Calls a Function that is internal, as those inside do: through the API's proxy of its Service. The
 * answer is read from the connection, which has to stay.
 *
 * @throws CliError (usage) what that proxy does not let through
 */
export async function callInside(
  request: Request,
  to: {
    readonly connection: Pick<Connection, 'transport'>;
    readonly key: ObjectKey;
    readonly signal: AbortSignal;
  },
): Promise<Response> {
  const { namespace, name } = to.key;
  const { pathname, searchParams } = new URL(request.url);
  const query = Object.fromEntries(searchParams);
  if (Object.keys(query).length < searchParams.size) {
    throw refused('a query with two values of one name', 'one value of each');
  }
  if (request.headers.has('authorization')) {
    throw refused('the header Authorization', "none, since the API's own takes its place");
  }
  const body = new Uint8Array(await request.arrayBuffer());
  const answer = await to.connection.transport.request({
    method: methodOf(request),
    path: `/api/v1/namespaces/${namespace}/services/${name}/proxy${pathname}`,
    query,
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...Object.fromEntries(request.headers),
    },
    ...(request.body === null ? {} : { body }),
    signal: to.signal,
  });
  const { status, headers } = answer;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : ReadableStream.from(answer.bytes()), { status, headers });
}

function methodOf({ method }: Request): TransportRequest['method'] {
  switch (method) {
    case 'GET':
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
      return method;
    default:
      throw refused(method, 'GET, POST, PUT, PATCH or DELETE');
  }
}

function refused(found: string, expected: string): CliError {
  const message = `Cannot call a Function that is internal: found ${found}, expected ${expected}`;
  return new CliError(exitCodes.usage, message);
}
