import type { FunctionEvent } from '@fnlet/sdk';
import type { Call } from './call.ts';
import { readCloudEvent } from './cloud-event.ts';
import type { EventBody } from './event-body.ts';
import { createExtensions } from './event-extensions.ts';

/** The event of one call. A plain object: handlers delete, copy and print its keys. */
export function createEvent(call: Call, body: EventBody): FunctionEvent {
  const { response } = call;
  const cloudEvent = readCloudEvent(call.request.headers, body);
  return {
    ...cloudEvent?.attributes,
    data: cloudEvent === undefined ? body.data : cloudEvent.data,
    extensions: createExtensions(call, body.requestBody),
    setResponseHeader: (name, value) => void response.setHeader(name, value),
    setResponseContentType: (type) => void response.setHeader('content-type', type),
    setResponseStatus(status) {
      response.statusCode = status;
    },
  };
}
