import type { AddedRuntime, RuntimeCommand, RuntimeLook, Runtimes } from '@fnlet/executor';

/** The runtimes of a machine that has Node.js 24 and Python 3.12, and may fetch Node.js 22. */
export class MemoryRuntimes implements Pick<Runtimes, 'look' | 'prepare' | 'add' | 'remove'> {
  readonly added: Map<string, AddedRuntime> = new Map();
  readonly prepared: string[] = [];
  /** What fetching waits for, or fails with. */
  gate: Promise<unknown> = Promise.resolve();

  add(runtime: AddedRuntime): void {
    this.added.set(runtime.name, runtime);
  }

  remove(name: string): void {
    this.added.delete(name);
  }

  look(name: string): RuntimeLook | undefined {
    switch (name) {
      case 'nodejs24':
        return { state: 'own' };
      case 'python3.12':
        return { state: 'found' };
      case 'nodejs22':
        return { state: this.prepared.includes(name) ? 'fetched' : 'fetchable' };
      default:
        return { state: this.added.has(name) ? 'found' : 'absent' };
    }
  }

  async prepare(
    name: string,
    { signal, onProgress }: { readonly signal: AbortSignal; onProgress?(line: string): void },
  ): Promise<RuntimeCommand> {
    if (this.look(name)?.state === 'fetchable') {
      onProgress?.(`Fetching ${name}`);
      await this.gate;
    }
    signal.throwIfAborted();
    this.prepared.push(name);
    return { name, command: [] };
  }
}
