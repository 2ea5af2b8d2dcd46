export type {
  Context,
  ContextLog,
  EventContext,
  EventHandler,
  EventRequest,
  EventResponse,
  FunctionEvent,
  Handler,
  HandlerResult,
  KubelessContext,
  KubelessEvent,
  KymaContext,
  KymaEvent,
} from '@fnlet/sdk';
export { eventHandler, handler } from '@fnlet/sdk';
