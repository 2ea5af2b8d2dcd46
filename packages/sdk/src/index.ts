export type { Context, ContextLog } from './context.ts';
export type { EventRequest, EventResponse } from './event-extensions.ts';
export type { EventContext, EventHandler, FunctionEvent } from './event-handler.ts';
export { eventHandler } from './event-handler.ts';
export type {
  EmittedEvent,
  EventTracer,
  KubelessContext,
  KubelessEvent,
  KymaContext,
  KymaEvent,
  PublisherAnswer,
} from './foreign-event.ts';
export type { Handler, HandlerResult } from './handler.ts';
export { handler } from './handler.ts';
