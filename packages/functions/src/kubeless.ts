export { createKubeless, type Kubeless, type KubelessOptions } from './kubeless/kubeless.ts';
export { translateCronTrigger } from './kubeless/translate-cron-trigger.ts';
export { translateHttpTrigger } from './kubeless/translate-http-trigger.ts';
export { translateKinesisTrigger } from './kubeless/translate-kinesis-trigger.ts';
export { type KubelessTranslation, translateKubeless } from './kubeless/translate-kubeless.ts';
export { translateKafkaTrigger, translateNatsTrigger } from './kubeless/translate-topic-trigger.ts';
export type { TriggerTranslation } from './kubeless/trigger-translation.ts';
