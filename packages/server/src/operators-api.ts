/**
 * What operators did, as those see it who may see a namespace, by the roles that they have:
 *
 *     GET  /apis/operators.fnlet.dev/v1alpha1/namespaces/<ns>/runs?operator=&object=&outcome=&limit=
 *     GET  …/runs/<operator>.<id>           with what was sent and answered
 *     POST …/runs/<operator>.<id>/replay?function=   asks the function again; nothing is done with it
 *     GET  …/explanations/<operator>?object=   why an object is as it is
 *     POST …/wakeups?operator=&object=      asks for a run of an object
 *
 * Objects are `<namespace>/<name>`, or a name in the namespace of the Operator; of kinds of the whole
 * cluster `/<name>`. They are records, not objects: the last hundred of each operator are kept.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver/extension';
import { toDocument } from '@fnlet/apiserver/extension';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Invoker } from '@fnlet/invocation';
import { type ObjectKey, statusError } from '@fnlet/machinery';
import type { Hub } from '@fnlet/operators';
import { contractHeader, contractVersion } from '@fnlet/sdk/operator-wire';
import { replayAnswerBytesMax, replayTimeoutMs } from './limits.ts';

const apiVersion = 'operators.fnlet.dev/v1alpha1';

/** What is asked, and of whom. */
export interface OperatorsAsked {
  /** `undefined`: there was no Operator yet. */
  readonly hub: Hub | undefined;
  /** Calls Functions. */
  readonly invoke: Invoker | undefined;
  readonly route: ResourceRoute;
  readonly request: ApiRequest;
}

/** Answers one request about runs of operators. */
export async function answerOperators(asked: OperatorsAsked): Promise<ApiResponse> {
  const document = toDocument({ apiVersion, ...(await answerAsked(asked)) });
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', document },
  };
}

async function answerAsked(asked: OperatorsAsked): Promise<JsonObject> {
  const { hub, route, request } = asked;
  const { plural, name, namespace, subresource } = route;
  const { method, query } = request;
  if (`${method} ${plural}/${subresource}` === 'POST runs/replay') return replay(asked);
  if (subresource !== undefined || !['runs', 'explanations', 'wakeups'].includes(plural)) {
    throw statusError('NotFound', 'there are runs, explanations and wakeups here, nothing else');
  }
  if (namespace === '') throw statusError('BadRequest', 'give the namespace of the Operator');
  switch (`${method} ${plural}${name === undefined ? '' : ' one'}`) {
    case 'GET runs':
      return { kind: 'RunList', metadata: {}, items: listRuns(hub, namespace, query) };
    case 'GET runs one':
      return { kind: 'Run', ...findRun(hub, namespace, name ?? '') };
    case 'GET explanations one':
      return { kind: 'Explanation', ...explain(hub, { namespace, name: name ?? '' }, query) };
    case 'POST wakeups':
      return { kind: 'Wakeup', ...(await wake(hub, namespace, query)) };
    default:
      throw statusError(
        'MethodNotAllowed',
        'runs and explanations are read, wakeups are created by POST',
      );
  }
}

function listRuns(hub: Hub | undefined, namespace: string, query: URLSearchParams): JsonObject[] {
  const operator = { namespace, name: requireText(query, 'operator') };
  const runs = hub?.runs(operator);
  if (runs === undefined) throw missing(operator);
  const object = query.get('object');
  const key = object === null ? undefined : parseObject(object, namespace);
  const outcome = query.get('outcome');
  const limit = query.get('limit') ?? '100';
  if (!/^\d{1,4}$/.test(limit)) throw statusError('BadRequest', `limit is "${limit}"`);
  return runs
    .list()
    .filter((run) => outcome === null || run.outcome === outcome)
    .filter((run) => key === undefined || isAbout(run, key))
    .slice(0, Number(limit))
    .map(({ input: _, answer: _answer, ...run }) => ({
      name: `${operator.name}.${run.id}`,
      ...run,
    }));
}

function isAbout({ object }: JsonObject, { namespace, name }: ObjectKey): boolean {
  return isJsonObject(object) && object.namespace === namespace && object.name === name;
}

function findRun(hub: Hub | undefined, namespace: string, name: string): JsonObject {
  const [operator = '', id = ''] = name.split('.');
  const run = hub?.runs({ namespace, name: operator })?.get(id);
  if (run !== undefined) return { name, ...run };
  throw statusError('NotFound', `Cannot find run "${name}": there is none, or it was too long ago`);
}

/** What the function answers now to what it was sent in a run. */
async function replay({ hub, invoke, route, request }: OperatorsAsked): Promise<JsonObject> {
  const { namespace, name = '' } = route;
  const { input } = findRun(hub, namespace, name);
  if (!isJsonObject(input) || invoke === undefined) {
    const found = 'what it was sent was too large to be kept';
    throw statusError('Conflict', `Cannot replay run "${name}": ${found}`);
  }
  const invocation = {
    ...{ namespace, function: requireText(request.query, 'function'), method: 'POST', target: '/' },
    headers: [
      ['content-type', 'application/json'],
      [contractHeader, String(contractVersion)],
    ] as const,
    body: Buffer.from(JSON.stringify(input)),
    ...{ remoteAddress: '127.0.0.1', timeoutMs: replayTimeoutMs },
    answerBytesMax: replayAnswerBytesMax,
  };
  const answer = await invoke(invocation, request.signal);
  if (answer.kind === 'failed') {
    throw statusError('Conflict', `Cannot replay run "${name}": ${answer.message}`);
  }
  const text = Buffer.from(answer.body).toString();
  return { kind: 'RunReplay', name, status: answer.status, answer: text };
}

function explain(hub: Hub | undefined, operator: ObjectKey, query: URLSearchParams): JsonObject {
  const object = parseObject(requireText(query, 'object'), operator.namespace);
  const explanation = hub?.explain(operator, object);
  if (explanation === undefined) throw missing(operator);
  return { ...explanation };
}

async function wake(
  hub: Hub | undefined,
  namespace: string,
  query: URLSearchParams,
): Promise<JsonObject> {
  const operator = { namespace, name: requireText(query, 'operator') };
  const object = parseObject(requireText(query, 'object'), namespace);
  const outcome = await hub?.wake(operator, object, 'A wakeup');
  if (outcome !== 'noted') throw missing(operator);
  return { operator: operator.name, object };
}

function missing({ namespace, name }: ObjectKey): Error {
  const found = 'there is no such Operator, or it does not run: its status says why';
  return statusError('NotFound', `Cannot ask Operator "${namespace}/${name}": ${found}`);
}

function requireText(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? '';
  if (text === '') throw statusError('BadRequest', `${name} is not given`);
  return text;
}

function parseObject(text: string, home: string): ObjectKey {
  const slash = text.indexOf('/');
  if (slash === -1) return { namespace: home, name: text };
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
