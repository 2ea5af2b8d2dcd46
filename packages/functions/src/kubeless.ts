export type { FunctionCall, FunctionCaller } from './function-caller.ts';
export { createKubeless, type Kubeless, type KubelessOptions } from './kubeless/kubeless.ts';
export { type KubelessTranslation, translateKubeless } from './kubeless/translate-kubeless.ts';
