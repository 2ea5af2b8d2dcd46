export { runnerEntry } from './runner-entry.ts';
