import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Gathered } from './gather-objects.ts';

/**
 * Refuses names that nothing has, and having found nothing at all.
 *
 * @throws CliError `notFound`
 */
export function assertFound(
  { objects, refused, unknown }: Pick<Gathered, 'objects' | 'refused' | 'unknown'>,
  namespace: string,
): void {
  if (unknown.length > 0) {
    const text = `found nothing named ${unknown.join(', ')} in the namespace "${namespace}"`;
    const remedy = 'Name a Function, Trigger, Operator or Broker; choose the namespace with -n';
    throw new CliError(exitCodes.notFound, `Cannot choose: ${text}`, { remedy });
  }
  if (objects.length > 0 || refused.length > 0) return;
  const text = 'Cannot export: found no Functions, Triggers, Operators or Brokers of users';
  throw new CliError(exitCodes.notFound, text, {
    remedy: 'Choose a namespace with -n, or all: -A',
  });
}
