import { errorMessage, hasCode } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';

/** What kept somebody from a container, in the words of a kubelet, which kubectl prints. */
export function toStatusError(error: unknown, container: string): unknown {
  if (hasCode(error, 'InstanceNotFound')) {
    return statusError('NotFound', `container not found ("${container}")`);
  }
  if (hasCode(error, 'NoTerminal')) return statusError('BadRequest', errorMessage(error));
  if (hasCode(error, 'PortUnreachable')) {
    return statusError('ServiceUnavailable', errorMessage(error));
  }
  return error;
}
