/** What decides which executor runs a function: fields of a Function, by their names. */
export interface ExecutorQuestion {
  readonly executor?: 'auto' | 'pool' | 'deployment' | undefined;
  readonly development?: boolean | undefined;
  readonly mounts?: readonly unknown[] | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly resources?: object | undefined;
  readonly imageOverride?: string | undefined;
  readonly pod?: object | undefined;
}

/** Which executor runs a function, and why; `unfit`: the one that is asked for cannot. */
export interface ExecutorChoice {
  readonly kind: 'pool' | 'ownPool' | 'deployment' | 'unfit';
  /** A sentence without its full stop. */
  readonly message: string;
}

/**
 * Chooses what runs a function in a cluster. A Pod of a pool runs already when it is given code:
 * its volumes, account, resources, image and node are what they are. Whoever needs one of these has
 * Pods of its own. While it is developed these are a pool, too, of Pods made for it alone: an edit
 * finds one that runs.
 */
export function planExecutor(question: ExecutorQuestion): ExecutorChoice {
  const { executor = 'auto', development = false } = question;
  const needs = needsOf(question);
  const isFit = executor !== 'pool' || needs.length === 0;
  if (development && isFit && (executor === 'deployment' || needs.length > 0)) {
    const message = 'A warm Pod of its own is given each new code, as spec.development says';
    return { kind: 'ownPool', message };
  }
  if (executor === 'deployment') {
    const message = 'A Deployment of its own runs it, as spec.executor says';
    return { kind: 'deployment', message };
  }
  if (needs.length === 0) {
    const message = 'A warm Pod is given its code: it needs nothing that a running Pod cannot take';
    return { kind: 'pool', message };
  }
  const named = needs.join(', ');
  if (executor === 'auto') {
    const message = `A Deployment of its own runs it: a running Pod cannot take ${named}`;
    return { kind: 'deployment', message };
  }
  const message =
    `Cannot run it in a Pod of a pool, which runs already: found ${named}, ` +
    'expected none of them, or spec.executor to be auto or deployment';
  return { kind: 'unfit', message };
}

function needsOf(question: ExecutorQuestion): readonly string[] {
  const { mounts = [], serviceAccountName, resources, imageOverride, pod } = question;
  return [
    mounts.length > 0 && 'spec.mounts',
    serviceAccountName !== undefined && 'spec.serviceAccountName',
    isGiven(resources) && 'spec.resources',
    imageOverride !== undefined && 'spec.imageOverride',
    isGiven(pod) && 'spec.pod',
  ].filter((name) => name !== false);
}

// An object without fields asks for nothing.
function isGiven(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}
