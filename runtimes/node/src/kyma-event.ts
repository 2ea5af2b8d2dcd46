import type { KymaContext, KymaEvent } from '@fnlet/sdk';
import type { Call } from './call.ts';
import { readCloudEvent } from './cloud-event.ts';
import type { EventBody } from './event-body.ts';
import { createExtensions } from './event-extensions.ts';
import { expressResponse } from './express-response.ts';
import { emitCloudEvent, publishCloudEvent } from './kyma-publisher.ts';
import { kymaTracer } from './kyma-tracer.ts';

/**
 * The event that handlers of Kyma's first form are called with. A plain object: handlers delete,
 * copy and print its keys.
 */
export function createKymaEvent(call: Call, body: EventBody): KymaEvent {
  const { request, response } = call;
  const cloudEvent = readCloudEvent(request.headers, body);
  const express = (): ReturnType<typeof expressResponse> => expressResponse(response);
  return {
    tracer: kymaTracer,
    extensions: createExtensions(call, body.requestBody),
    setResponseHeader: (name: string, value: string) => void express().set(name, value),
    setResponseContentType: (type: string) => void express().type(type),
    setResponseStatus: (status: number) => void express().status(status),
    emitCloudEvent,
    publishCloudEvent,
    /** An answer to the event that came, in the words of the publisher. */
    buildResponseCloudEvent: (id: string, type: string, data: unknown) => ({
      id,
      type,
      source: cloudEvent?.attributes['ce-source'],
      eventtypeversion: cloudEvent?.attributes['ce-eventtypeversion'],
      specversion: cloudEvent?.attributes['ce-specversion'],
      datacontenttype: 'application/json',
      data,
    }),
    ...cloudEvent?.attributes,
    data: cloudEvent === undefined ? body.data : cloudEvent.data,
  };
}

const bytesPerMegabyte = 1024 * 1024;

/** What such a handler learns about its Function. */
export function createKymaContext(call: Call): KymaContext {
  const { env, limits, ...names } = call.setting.specialisation;
  return {
    'function-name': env.FUNC_NAME ?? names.function,
    runtime: env.FUNC_RUNTIME ?? names.runtime,
    namespace: env.SERVICE_NAMESPACE ?? names.namespace,
    timeout: limits.timeoutMs / 1000,
    'body-size-limit': limits.bodyBytesMax / bytesPerMegabyte,
  };
}
