import type { RuntimeLook } from '@fnlet/executor';
import type { StatusUpdate } from '@fnlet/reconcile';

/** What the status of a Runtime says about what the machine has of it. */
export function planRuntimeStatus({ state, program, version }: RuntimeLook): StatusUpdate {
  const message = messages[state];
  const isThere = state !== 'absent';
  return {
    fields: { state, program: program ?? null, version: version ?? null },
    conditions: [
      {
        type: 'Available',
        status: isThere ? 'True' : 'False',
        reason: isThere ? 'Available' : 'ProgramNotFound',
        message,
      },
    ],
  };
}

const messages: Readonly<Record<RuntimeLook['state'], string>> = {
  own: 'It is the Node.js that runs Fnlet',
  found: 'Its program is on this machine',
  fetched: 'It was fetched from the npm registry',
  fetchable: 'It is fetched from the npm registry when a Function first names it',
  absent: 'Its program is not on this machine: install it, then Functions find it by themselves',
};
