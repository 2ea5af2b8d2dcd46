import type { Operator } from '@fnlet/sdk/operator';
import { ContractError, contractHeader, serveOperator } from '@fnlet/sdk/operator-wire';
import { answer } from './answer.ts';
import type { Call } from './call.ts';
import { parseEventBody } from './event-body.ts';
import { MalformedBody } from './incoming-body.ts';
import { limits } from './limits.ts';

/** Answers the calls of a hub with an operator; docs/operator-contract.md tells of them. */
export function answerHub(operator: Operator): (call: Call) => Promise<void> {
  return async (call) => {
    if (call.request.headers[contractHeader] === undefined) {
      if (call.claim('runner')) call.answerText(415, notOfHub(operator));
      return;
    }
    const bytes = await call.body().bytes();
    const { data } = parseEventBody({ contentType: 'application/json', bytes, style: 'event' });
    const serve = serveOperator(operator, {
      after,
      onError: (error) => call.noteFailure(error),
    });
    const value = await refusing(serve(data, call.signal));
    await answer(call, {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: { kind: 'text', text: JSON.stringify(value) },
    });
  };
}

// What breaks the contract is the caller's mistake, and is told to it.
async function refusing<T>(served: Promise<T>): Promise<T> {
  try {
    return await served;
  } catch (error) {
    if (error instanceof ContractError) throw new MalformedBody(error.message);
    throw error;
  }
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(ms, limits.timerMsMax));
  return () => clearTimeout(timer);
}

function notOfHub({ name, for: of }: Operator): string {
  const found = `found no header ${contractHeader}, expected the call of a hub`;
  const remedy = `"${name}" is an operator: it runs when an object of the kind ${of.kind} changes`;
  return `Cannot answer the request: ${found}. ${remedy}`;
}
