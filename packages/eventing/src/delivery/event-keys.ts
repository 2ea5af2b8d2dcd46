import { errorMessage, type FnletError } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { ReconcileError, readKeys } from '@fnlet/reconcile';
import { type CelProgram, compileCel } from '@fnlet/schema';
import type { CloudEvent } from '../event/cloud-event.ts';
import { isJsonType } from '../event/media-type.ts';
import { targetLimits } from './target-limits.ts';

/** Whom an event concerns. */
export type EventKeys = (event: CloudEvent) => readonly ObjectKey[];

/**
 * Whom events concern, as CEL over `event` says it. What is returned throws `InvalidMapping` for an
 * event of which the expression cannot tell.
 *
 * @param home namespace of names alone
 * @throws ReconcileError `InvalidMapping` for what is no expression
 */
export function compileEventKeys(expression: string, home: string): EventKeys {
  const program = compile(expression);
  return (event) => {
    try {
      const { keyCostMax: costMax } = targetLimits;
      const found = program.evaluate({ event: celEvent(event) }, { costMax });
      return readKeys(found).map(({ namespace = home, name }) => ({ namespace, name }));
    } catch (error) {
      throw invalid(`Cannot tell by "${expression}" whom the event concerns`, error);
    }
  };
}

function compile(expression: string): CelProgram {
  try {
    return compileCel(expression, { event: 'dyn' });
  } catch (error) {
    throw invalid(`Cannot use object "${expression}"`, error);
  }
}

function invalid(what: string, cause: unknown): FnletError {
  return new ReconcileError('InvalidMapping', `${what}: ${errorMessage(cause)}`, { cause });
}

/** The event as JSON shows it, but for data that is neither JSON nor text. */
function celEvent({ attributes, data }: CloudEvent): object {
  if (data === undefined) return attributes;
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  const isJson = isJsonType(attributes.datacontenttype ?? 'application/json');
  return { ...attributes, data: isJson ? JSON.parse(text) : text };
}
