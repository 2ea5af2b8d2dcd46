import { nodeModule } from './builtins.ts';

declare global {
  interface ImportMeta {
    /**
     * Writes down what a bundle has compiled until now, for the next start of the same command.
     * Absent where sources run (packages/cli/bin/start-scripts.js).
     */
    readonly keepCompiledCode?: () => void;
  }
}

/**
 * Writes down what is compiled by now, for the Runners that start next: of the Runner's own code all
 * that has run, of a Function's modules what Node compiled when it read them.
 */
export function keepCompiledCode(): void {
  nodeModule.flushCompileCache();
  import.meta.keepCompiledCode?.();
}
