export type {
  InvocationLimits,
  LoadFailure,
  RunnerCommand,
  RunnerReport,
  Specialisation,
} from './specialisation.ts';
