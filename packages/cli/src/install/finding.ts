/** What `fnlet doctor` concludes from what it found, without asking anybody. */

/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  /** `fail`: Fnlet cannot run like this; `warn`: something will be missing. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Minor releases of Kubernetes that Fnlet is made for. */
export const supportedMinors = { first: 28, last: 36 } as const;

/** @param gitVersion as `/version` says it, such as `v1.31.2+k3s1` */
export function judgeVersion(gitVersion: string): Finding {
  const check = 'Kubernetes';
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(gitVersion) ?? [];
  const { first, last } = supportedMinors;
  const expected = `Fnlet is made for 1.${first} to 1.${last}`;
  if (major !== '1') return { check, state: 'warn', found: gitVersion, remedy: expected };
  if (Number(minor) < first) {
    return { check, state: 'fail', found: gitVersion, remedy: `Upgrade the cluster: ${expected}` };
  }
  if (Number(minor) > last) return { check, state: 'warn', found: gitVersion, remedy: expected };
  if (gitVersion.endsWith('+fnlet')) {
    const remedy = 'It runs functions by itself: nothing has to be installed there';
    return { check, state: 'warn', found: `${gitVersion}, an embedded Fnlet`, remedy };
  }
  return { check, state: 'ok', found: gitVersion };
}

/** @param refused what the user may not do, such as `create deployments.apps` */
export function judgeAccess(refused: readonly string[]): Finding {
  const check = 'permissions';
  if (refused.length === 0) return { check, state: 'ok', found: 'all that installing needs' };
  const remedy = 'Installing takes the role cluster-admin: use a context that has it';
  return { check, state: 'fail', found: `may not ${refused.join(', ')}`, remedy };
}

/** @param refusal what the API said to who asked and may not see it */
export function judgeHidden(check: string, refusal: string): Finding {
  const found = `cannot be seen: ${refusal}`;
  return { check, state: 'warn', found, remedy: 'Ask for a role that allows it' };
}

/** @param missing kinds that the installation has and the API does not serve */
export function judgeKinds(missing: readonly string[]): Finding {
  const check = 'kinds';
  if (missing.length === 0)
    return { check, state: 'ok', found: 'the API serves all that is needed' };
  const remedy = 'Fnlet needs these of Kubernetes 1.28 or later; look at kubectl api-resources';
  return { check, state: 'fail', found: `missing ${missing.join(', ')}`, remedy };
}

/** A rule of an admission webhook, as far as it may be in the way. */
export interface WebhookFact {
  readonly name: string;
  readonly failurePolicy: string;
  readonly resources: readonly string[];
}

/** How rules name Pods, among others. */
const podResources: readonly string[] = ['pods', '*', '*/*'];

/** Webhooks that stand in the way of Pods when those who answer them do not. */
export function judgeWebhooks(webhooks: readonly WebhookFact[]): Finding {
  const check = 'webhooks';
  const strict = webhooks.filter(
    ({ failurePolicy, resources }) =>
      failurePolicy !== 'Ignore' && resources.some((name) => podResources.includes(name)),
  );
  if (strict.length === 0) return { check, state: 'ok', found: 'none that Pods depend on' };
  const found = `${strict.map(({ name }) => name).join(', ')} must answer for every Pod`;
  const remedy = 'Wakes wait for it, too: leave out the namespaces of functions where you can';
  return { check, state: 'warn', found, remedy };
}

/** @param ready addresses behind the Service that clusters call kube-dns; `undefined`: there is none */
export function judgeDns(ready: number | undefined): Finding {
  const check = 'DNS';
  const remedy = 'Pods find each other by names: look at kubectl -n kube-system get pods';
  if (ready === undefined) {
    return { check, state: 'warn', found: 'no Service kube-system/kube-dns', remedy };
  }
  const found = `${ready} servers ready`;
  return ready > 0 ? { check, state: 'ok', found } : { check, state: 'fail', found, remedy };
}

export interface StorageFact {
  readonly classes: readonly string[];
  readonly fallback: string | undefined;
}

/** The default StorageClass, which only volumes for artifacts need. */
export function judgeStorage({ classes, fallback }: StorageFact): Finding {
  const check = 'storage';
  if (fallback !== undefined) return { check, state: 'ok', found: `default ${fallback}` };
  const found = classes.length === 0 ? 'no StorageClass' : 'no default StorageClass';
  const remedy = 'Only artifacts.persistent needs one: name it in artifacts.storageClass';
  return { check, state: 'warn', found, remedy };
}

/** @param served whether the API serves metrics.k8s.io */
export function judgeMetrics(served: boolean): Finding {
  const check = 'metrics';
  if (served) return { check, state: 'ok', found: 'metrics.k8s.io' };
  const remedy = 'Install metrics-server: without it the Gateway stays at its least replicas';
  return { check, state: 'warn', found: 'no metrics.k8s.io', remedy };
}

/** What of an installation is there. */
export interface InstalledFact {
  readonly namespace: string;
  readonly definitions: readonly { readonly name: string; readonly established: boolean }[];
  readonly definitionsWanted: number;
  readonly parts: readonly {
    readonly name: string;
    readonly done: boolean;
    readonly text: string;
  }[];
  readonly leader: string | undefined;
  readonly authority: boolean;
}

/** What is wrong with an installation; nothing to say where there is none. */
export function judgeInstallation(fact: InstalledFact): readonly Finding[] {
  const { definitions, definitionsWanted, parts, leader, authority, namespace } = fact;
  if (parts.length === 0) {
    const remedy = 'fnlet install brings it';
    return [{ check: 'installation', state: 'warn', found: 'none', remedy }];
  }
  const established = definitions.filter((definition) => definition.established).length;
  const complete = established === definitionsWanted;
  const look = `kubectl -n ${namespace}`;
  return [
    {
      check: 'definitions',
      state: complete ? 'ok' : 'fail',
      found: `${established} of ${definitionsWanted} served`,
      ...(complete ? {} : { remedy: 'fnlet upgrade brings them' }),
    },
    ...parts.map(({ name, done, text }): Finding => {
      const remedy = `${look} describe pods -l app.kubernetes.io/name=${name}`;
      return { check: name, state: done ? 'ok' : 'fail', found: text, ...(done ? {} : { remedy }) };
    }),
    {
      check: 'leader',
      state: leader === undefined ? 'fail' : 'ok',
      found: leader ?? 'no replica of the controller leads',
      ...(leader === undefined ? { remedy: `${look} logs deployment/fnlet-controller` } : {}),
    },
    {
      check: 'trust',
      state: authority ? 'ok' : 'fail',
      found: authority ? 'the controller has its certificate' : 'no ConfigMap fnlet-authority',
      ...(authority ? {} : { remedy: 'The replica that leads makes it, before a Gateway starts' }),
    },
  ];
}
