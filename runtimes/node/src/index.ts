export { podRunnerEntry, runnerEntry } from './runner-entry.ts';
