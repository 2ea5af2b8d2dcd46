/**
 * Reads lists and watches object by object. Of a body that comes as text, what is not kept is never
 * built: in memory are the bytes of one object, and what is kept of those before.
 */
import { isJsonObject } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { ByteFrame } from './byte-frame.ts';
import { JsonScanner, planScan, type ScanPlan } from './json-scanner.ts';
import { parseItem } from './kube-object-guard.ts';
import { limits } from './limits.ts';
import { LineFramer } from './line-framer.ts';
import { ListFramer } from './list-framer.ts';
import { type ObjectList, parseList } from './object-list.ts';
import type { Projection } from './projection.ts';
import type { TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';
import { parseWatchEvent, type WatchEvent } from './watch-event.ts';

/**
 * The page in an answer, with what is kept of its objects.
 *
 * @throws ClientError `InvalidAnswer`, TransportError
 */
export async function readList<T extends KubeObject>(
  type: ResourceType,
  response: TransportResponse,
  projection: Projection,
): Promise<ObjectList<T>> {
  // Whole objects are parsed faster by V8 itself.
  if (response.chunks === undefined || projection === 'all') {
    return parseList(type, await response.json(), projection);
  }
  const scanner = new JsonScanner();
  const framer = new ListFramer();
  const plan = planScan(projection);
  const items: T[] = [];
  try {
    for await (const chunk of response.chunks()) {
      framer.push(chunk);
      for (let item = framer.next(); item !== undefined; item = framer.next()) {
        items.push(parseItem<T>(type, scanner.read(item, plan)));
      }
    }
    return { ...parseList<T>(type, JSON.parse(framer.envelope), projection), items };
  } catch (error) {
    throw toTransportError(error, `list of ${type.plural}`);
  }
}

/**
 * The events of a watch, with what is kept of their objects.
 *
 * @throws StatusError, ClientError `InvalidAnswer`, TransportError
 */
export async function* readWatch<T extends KubeObject>(
  type: ResourceType,
  response: TransportResponse,
  projection: Projection,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  if (response.chunks === undefined || projection === 'all') {
    for await (const document of response.documents()) {
      yield parseWatchEvent<T>(type, document, projection);
    }
    return;
  }
  const scanner = new JsonScanner();
  const framer = new LineFramer(limits.lineBytesMax);
  const plan = planEvent(projection);
  const parse = (line: ByteFrame): WatchEvent<T> =>
    parseWatchEvent<T>(type, readEvent(scanner, line, plan), 'all');
  try {
    for await (const chunk of response.chunks()) {
      framer.push(chunk);
      for (let line = framer.next(); line !== undefined; line = framer.next()) yield parse(line);
    }
    const rest = framer.rest();
    if (rest !== undefined) yield parse(rest);
  } catch (error) {
    throw toTransportError(error, `watch of ${type.plural}`);
  }
}

function planEvent(object: Projection): ScanPlan {
  const fields = new Map<string, Projection>([
    ['type', 'all'],
    ['object', object],
  ]);
  return planScan({ fields, others: 'none', items: 'none' });
}

// Bookmarks and errors are not objects of the kind: nothing is left out of them.
function readEvent(scanner: JsonScanner, line: ByteFrame, plan: ScanPlan): unknown {
  const event = scanner.read(line, plan);
  const isChange =
    isJsonObject(event) &&
    (event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED');
  if (isChange) return event;
  const { bytes, start, end } = line;
  return JSON.parse(bytes.toString('utf8', start, end));
}

function toTransportError(error: unknown, what: string): unknown {
  if (!(error instanceof SyntaxError || error instanceof RangeError)) return error;
  const message = `Cannot read the ${what}: ${error.message}`;
  return new TransportError('Interrupted', message, { cause: error });
}
