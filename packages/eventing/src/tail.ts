export {
  type EventHappening,
  type EventPlace,
  formatHappening,
  type TailQuery,
} from './tail/event-happening.ts';
export { EventTail } from './tail/event-tail.ts';
