/**
 * Asynchronous calls over HTTP:
 *
 *     Prefer: respond-async, or /async/<namespace>/<function>/…   202, Location: /-/calls/<id>
 *     GET    /-/calls/<id>          how far it is
 *     GET    /-/calls/<id>/answer   what the function answered, with its status and headers
 *     DELETE /-/calls/<id>          takes it back, if it is not running
 *     POST   /-/calls/<id>/retry    tries it anew, if it came to nothing
 *
 * The id is what gives access: nobody can guess it.
 */
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import type { HeaderField } from '@fnlet/invocation';
import { AsyncCallError, type AsyncCallErrorCode } from './async-call-error.ts';
import type { AsyncCalls } from './async-calls.ts';
import type { CallView } from './call-view.ts';
import { bodyBytes } from './kept-body.ts';

const codes: Readonly<Record<AsyncCallErrorCode, number>> = {
  InvalidRequest: 400,
  CallbackRefused: 400,
  KeyReused: 422,
  FunctionQueueFull: 429,
  QueueFull: 503,
  StoreFull: 503,
  NotFound: 404,
  NotFinished: 409,
  Finished: 409,
  Running: 409,
  Closing: 503,
};

/** Which refusals may be gone a moment later, and after how many seconds. */
const passing: ReadonlyMap<string, number> = new Map([
  ['FunctionQueueFull', 5],
  ['QueueFull', 5],
  ['StoreFull', 30],
  ['NotFinished', 1],
  ['Running', 1],
  ['Closing', 1],
]);

/** Accepts a call, or answers what is asked about one. */
export async function answerRequest(
  calls: AsyncCalls,
  request: ReceivedRequest,
): Promise<ResponderAnswer> {
  try {
    const { call } = request;
    if (call === undefined) return await answerAbout(calls, request);
    const { call: _, ...sent } = request;
    const view = await calls.accept({ ...sent, ...call });
    return accepted(view, request.headers);
  } catch (error) {
    if (error instanceof AsyncCallError) return refusal(error);
    throw error;
  }
}

async function answerAbout(
  calls: AsyncCalls,
  { method, target }: ReceivedRequest,
): Promise<ResponderAnswer> {
  const path = target.split('?', 1)[0] ?? '';
  const [, id = '', rest = ''] = /^\/-\/calls\/([\w-]{1,64})(\/answer|\/retry)?$/.exec(path) ?? [];
  const asked = `${method === 'HEAD' ? 'GET' : method} ${rest}`;
  if (id === '') throw new AsyncCallError('NotFound', `Nothing is at ${path}: ask /-/calls/<id>`);
  switch (asked) {
    case 'GET ':
      return describe(200, calls.find(id));
    case 'DELETE ':
      return describe(200, await calls.cancel(id));
    case 'POST /retry':
      return accepted(await calls.redrive(id), []);
    case 'GET /answer':
      return functionAnswer(calls, id);
    default:
      return notAllowed(rest);
  }
}

function accepted(view: CallView, headers: readonly HeaderField[]): ResponderAnswer {
  // RFC 7240 §3: said where it was asked for.
  const preferred = headers.some(([name]) => name.toLowerCase() === 'prefer');
  const extra: HeaderField[] = [
    ['Location', `/-/calls/${view.id}`],
    ['X-Call-Id', view.id],
  ];
  if (preferred) extra.push(['Preference-Applied', 'respond-async']);
  return describe(202, view, extra);
}

function describe(
  status: number,
  view: CallView,
  extra: readonly HeaderField[] = [],
): ResponderAnswer {
  const answer = view.status === undefined ? {} : { answer: `/-/calls/${view.id}/answer` };
  return json(status, { ...view, ...answer }, extra);
}

function functionAnswer(calls: AsyncCalls, id: string): ResponderAnswer {
  const { status, headers, body, truncated } = calls.answer(id);
  const own: HeaderField[] = [['X-Call-Id', id]];
  if (truncated) own.push(['X-Call-Truncated', 'true']);
  return { status, headers: [...headers, ...own], body: bodyBytes(body) };
}

function refusal({ code, message, remedy }: AsyncCallError): ResponderAnswer {
  const status = codes[code];
  const seconds = passing.get(code);
  const text = remedy === undefined ? message : `${message}. ${remedy}`;
  const extra: HeaderField[] = seconds === undefined ? [] : [['Retry-After', String(seconds)]];
  return json(status, { status, code, message: text }, extra);
}

function notAllowed(rest: string): ResponderAnswer {
  const allowed = { '/answer': 'GET, HEAD', '/retry': 'POST' }[rest] ?? 'GET, HEAD, DELETE';
  const message = `Only ${allowed} are understood here`;
  return json(405, { status: 405, code: 'MethodNotAllowed', message }, [['Allow', allowed]]);
}

function json(status: number, value: object, extra: readonly HeaderField[]): ResponderAnswer {
  const headers: readonly HeaderField[] = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'no-store'],
    ...extra,
  ];
  return { status, headers, body: `${JSON.stringify(value)}\n` };
}
