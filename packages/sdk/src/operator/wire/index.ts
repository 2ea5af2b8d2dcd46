/** The contract between a hub and the functions of operators, as docs/operator-contract.md tells. */
export { ContractError, contractHeader, contractVersion } from './contract.ts';
export {
  type FailureNote,
  type MapAnswer,
  type OperatorAnswer,
  parseMapAnswer,
  parseOperatorAnswer,
} from './operator-answer.ts';
export type {
  MapCall,
  OperatorCall,
  ReconcileCall,
  RequiredObjects,
  SentState,
} from './operator-call.ts';
export { type OperatorServer, type ServeOptions, serveOperator } from './serve-operator.ts';
