import { builtinRuntimes } from '@fnlet/api';
import { type AddedRuntime, RuntimeError, type RuntimeLook, type Runtimes } from '@fnlet/executor';

/**
 * The runtimes of a cluster: each is an image, which its machines fetch when they need it. What
 * somebody added is started with programs of a machine, and cannot be.
 */
export function createClusterRuntimes(): Pick<Runtimes, 'look' | 'prepare' | 'add' | 'remove'> {
  const builtin = new Set(builtinRuntimes.map(({ name }) => name));
  const added = new Map<string, AddedRuntime>();
  return {
    look(name): RuntimeLook | undefined {
      if (builtin.has(name)) return { state: 'found' };
      return added.has(name) ? { state: 'absent' } : undefined;
    },
    prepare(name) {
      if (builtin.has(name)) return Promise.resolve({ name, command: [] });
      const expected = `expected one of ${[...builtin].join(', ')}`;
      const message = `Cannot run runtime "${name}" in a cluster: no image is known, ${expected}`;
      return Promise.reject(new RuntimeError('RuntimeNotFound', message));
    },
    add: (runtime) => void added.set(runtime.name, runtime),
    remove: (name) => void added.delete(name),
  };
}
