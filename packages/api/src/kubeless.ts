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
  type KafkaTriggerObject,
  kafkaTriggerCrd,
  kafkaTriggerType,
  parseKafkaTrigger,
} from './kubeless/kafka-trigger.ts';
export {
  type KinesisTriggerObject,
  kinesisTriggerCrd,
  kinesisTriggerType,
  parseKinesisTrigger,
} from './kubeless/kinesis-trigger.ts';
export {
  type KubelessFunctionObject,
  type KubelessFunctionSpec,
  type KubelessFunctionStatus,
  kubelessFunctionCrd,
  kubelessFunctionType,
  parseKubelessFunction,
} from './kubeless/kubeless-function.ts';
export {
  type NatsTriggerObject,
  natsTriggerCrd,
  natsTriggerType,
  parseNatsTrigger,
} from './kubeless/nats-trigger.ts';
