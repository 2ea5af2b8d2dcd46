import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import { errorAnswer } from '../../ingress/event-answers.ts';
import type { SourceContext } from '../source.ts';
import type { EventEndpoints } from './event-endpoints.ts';

export interface ServedEvents {
  readonly endpoints: EventEndpoints;
  readonly context: Pick<SourceContext, 'report'>;
  /** Which endpoint. */
  readonly id: string;
  /** Takes a request; what it rejects with is told to who sent it, where it is for them. */
  readonly take: (request: ReceivedRequest) => Promise<ResponderAnswer>;
}

/** Takes the requests of an endpoint as events, until `signal` aborts. */
export async function serveEvents(
  { endpoints, context, id, take }: ServedEvents,
  signal: AbortSignal,
): Promise<void> {
  const answer = (request: ReceivedRequest): Promise<ResponderAnswer> => take(request).catch(tell);
  const close = endpoints.open(id, answer, (trouble) =>
    context.report(trouble === undefined ? { connected: true } : { connected: false, trouble }),
  );
  const ended = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  if (!signal.aborted) await ended.promise;
  close();
}

function tell(error: unknown): ResponderAnswer {
  const told = errorAnswer(error);
  if (told === undefined) throw error;
  return told;
}
