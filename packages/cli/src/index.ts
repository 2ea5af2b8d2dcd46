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
} from '@fnlet/sdk';
export { eventHandler, handler } from '@fnlet/sdk';
