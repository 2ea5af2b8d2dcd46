export {
  type CronJobTriggerObject,
  cronJobTriggerCrd,
  cronJobTriggerType,
  parseCronJobTrigger,
} from './kubeless/cron-job-trigger.ts';
export {
  type HttpTriggerObject,
  httpTriggerCrd,
  httpTriggerType,
  parseHttpTrigger,
} from './kubeless/http-trigger.ts';
export {
  type KubelessFunctionObject,
  type KubelessFunctionSpec,
  type KubelessFunctionStatus,
  kubelessFunctionCrd,
  kubelessFunctionType,
  parseKubelessFunction,
} from './kubeless/kubeless-function.ts';
