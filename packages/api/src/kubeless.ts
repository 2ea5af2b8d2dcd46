export {
  type KubelessFunctionObject,
  type KubelessFunctionSpec,
  type KubelessFunctionStatus,
  kubelessFunctionCrd,
  kubelessFunctionType,
  parseKubelessFunction,
} from './kubeless/kubeless-function.ts';
