import type { ApiContext } from '../api-context.ts';
import { TokenSecrets } from '../auth/token-secrets.ts';
import { CrdController } from '../crd/crd-controller.ts';
import { NamespaceController } from '../namespace/namespace-controller.ts';
import { nextTurn } from '../object/in-turns.ts';
import { QuotaController } from '../quota/quota-controller.ts';
import type { Resource } from '../resource/resource.ts';
import { sweepEvents } from './event-expiry.ts';
import { GarbageCollector } from './garbage-collector.ts';

/** The work behind the API: until `signal` aborts. */
export interface Controllers {
  /** What was defined before is served, and the namespaces that are always there are there. */
  readonly ready: Promise<void>;
  /** Everything has ended. */
  readonly done: Promise<void>;
}

export function startControllers(
  context: ApiContext,
  caPem: string,
  signal: AbortSignal,
): Controllers {
  const definitions = new CrdController(
    context,
    requireBuiltin(context, 'apiextensions.k8s.io', 'customresourcedefinitions'),
  );
  const namespaceResource = requireBuiltin(context, '', 'namespaces');
  const namespaces = new NamespaceController(context, namespaceResource, caPem);
  definitions.restore();
  namespaces.keepFurnished(signal);
  const secrets = requireBuiltin(context, '', 'secrets');
  const accounts = requireBuiltin(context, '', 'serviceaccounts');
  const tokens = new TokenSecrets(context, { secrets, accounts }, caPem);
  const collector = new GarbageCollector(context);
  const quotas = new QuotaController(context, requireBuiltin(context, '', 'resourcequotas'));
  // The loops begin with what is there, so the first thing is to make it be there.
  const bootstrapped = namespaces.bootstrap();
  const ready = bootstrapped.then(() => namespaces.loop.synced);
  const run = async (): Promise<void> => {
    await bootstrapped;
    const sweeping = sweepEvents(context, signal);
    const first = namespaces.loop.run(signal);
    // Nobody waits for the others: the server begins to listen before them.
    await Promise.race([ready, first]);
    await nextTurn();
    const rest = [definitions.loop, collector.loop, ...tokens.loops];
    const running = rest.map((loop) => loop.run(signal));
    await Promise.all([first, sweeping, quotas.run(signal), ...running]);
  };
  return { ready, done: run() };
}

function requireBuiltin(context: ApiContext, group: string, plural: string): Resource {
  const resource = context.catalog.find(group, 'v1', plural);
  if (resource === undefined) throw new Error(`Broken invariant: ${plural} is not a builtin kind`);
  return resource;
}
