import { isJsonObject } from '@fnlet/base';
import type { PodHello, PodInstance, PodState } from '@fnlet/invocation';
import { parseLoadFailure } from '../runner-report.ts';

/**
 * Reads the first line of a Runner. It shares its process with user code, so nothing that it says
 * is trusted beyond its own Pod; `undefined` for what is no hello.
 */
export function parseHello(line: string): PodHello | undefined {
  const value = tryParseJson(line);
  if (!isJsonObject(value) || value.type !== 'hello') return undefined;
  const { port, runtime } = value;
  const state = parseState(value.state);
  const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
  if (!isPort || typeof runtime !== 'string' || state === undefined) return undefined;
  return { type: 'hello', runtime, port, state };
}

function parseState(value: unknown): PodState | undefined {
  if (!isJsonObject(value)) return undefined;
  const { phase } = value;
  if (phase === 'warm') return { phase };
  const instance = parseInstance(value.instance);
  if (instance === undefined) return undefined;
  if (phase === 'failed') return { phase, instance, failure: parseLoadFailure(value.failure) };
  const isKnown = phase === 'loading' || phase === 'ready' || phase === 'draining';
  return isKnown ? { phase, instance } : undefined;
}

function parseInstance(value: unknown): PodInstance | undefined {
  if (!isJsonObject(value)) return undefined;
  const { namespace, revision, instance } = value;
  const isWhole =
    typeof namespace === 'string' && typeof revision === 'string' && typeof instance === 'string';
  return isWhole ? { namespace, revision, instance } : undefined;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
