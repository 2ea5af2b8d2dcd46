import { type ApiResponse, type DocumentLine, toDocument } from '@fnlet/apiserver';
import { TransportError } from '@fnlet/client';
import { failureStatus, type Status } from '@fnlet/machinery';
import type { Refusal } from './fault.ts';
import type { SeenRequest } from './seen-request.ts';

/** The fault's answer in place of the server's. */
export function refusal(fault: Refusal, seen: SeenRequest): ApiResponse {
  switch (fault.kind) {
    case 'gone': {
      const status = failureStatus('Expired', 'too old resource version: 1 (2)');
      return seen.verb === 'watch' ? watchError(status) : statusAnswer(status);
    }
    case 'conflict': {
      const resource = seen.group === '' ? seen.resource : `${seen.resource}.${seen.group}`;
      const text =
        `Operation cannot be fulfilled on ${resource} "${seen.name}": the object has been ` +
        'modified; please apply your changes to the latest version and try again';
      const group = seen.group === '' ? {} : { group: seen.group };
      const details = { name: seen.name, ...group, kind: seen.resource };
      return statusAnswer(failureStatus('Conflict', text, details));
    }
    case 'throttle': {
      const { retryAfterSeconds } = fault;
      const text = 'the server has received too many requests and has asked us to try again later';
      const status = failureStatus('TooManyRequests', text, { retryAfterSeconds });
      return statusAnswer(status, { 'retry-after': String(retryAfterSeconds) });
    }
    case 'unavailable': {
      const text = 'the server is currently unable to handle the request';
      return statusAnswer(failureStatus('ServiceUnavailable', text));
    }
    case 'fail':
      return statusAnswer(failureStatus('InternalError', 'Internal error occurred: by a test'));
  }
}

/** An answer that breaks off before its first byte. */
export function lostAnswer({ path }: SeenRequest): ApiResponse {
  // biome-ignore lint/correctness/useYield: nothing arrives, that is the point.
  async function* chunks(): AsyncGenerator<Uint8Array> {
    throw interrupted(path);
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'stream', chunks: chunks() },
  };
}

/** What a reader meets whose connection was reset. */
export function interrupted(path: string): TransportError {
  const message = `Cannot read the answer to ${path}: the connection was reset by a test`;
  return new TransportError('Interrupted', message);
}

function statusAnswer(status: Status, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return {
    status: status.code,
    headers: { 'content-type': 'application/json', ...headers },
    body: { kind: 'json', document: toDocument(status) },
  };
}

function watchError(status: Status): ApiResponse {
  async function* batches(): AsyncGenerator<readonly DocumentLine[]> {
    const value = { type: 'ERROR', object: status };
    yield [{ value, line: Buffer.from(`${JSON.stringify(value)}\n`) }];
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'events', batches: batches() },
  };
}
