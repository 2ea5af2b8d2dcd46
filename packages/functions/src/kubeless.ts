export type { FunctionCall, FunctionCaller } from './function-caller.ts';
export { createKubeless, type Kubeless, type KubelessOptions } from './kubeless/kubeless.ts';
export { translateHttpTrigger } from './kubeless/translate-http-trigger.ts';
export { type KubelessTranslation, translateKubeless } from './kubeless/translate-kubeless.ts';
