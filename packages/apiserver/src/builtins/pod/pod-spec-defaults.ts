import { isJsonObject, type JsonObject } from '@fnlet/base';
import { textField } from '../../object/object-form.ts';
import { type Change, change, changeItems, fill, fillZero } from '../fill.ts';

// What a PodSpec means where it says nothing (kubernetes, pkg/apis/core/v1/defaults.go): the same
// in a Pod and in the template of one.

/** core/v1 PodSpec with its defaults. */
export function podSpecDefaults(podSpec: JsonObject): JsonObject {
  const account = textField(podSpec, 'serviceAccountName') || textField(podSpec, 'serviceAccount');
  let spec = fill(podSpec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  // The older of the two names is kept in step with the newer one.
  if (account !== '') spec = { ...spec, serviceAccountName: account, serviceAccount: account };
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    spec = changeItems(spec, field, containerDefaults);
  }
  return changeItems(spec, 'volumes', volumeDefaults);
}

const containerDefaults: Change = (container) => {
  let changed = fill(container, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(textField(container, 'image')),
  });
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    changed = change(changed, probe, probeDefaults);
  }
  changed = change(changed, 'lifecycle', (lifecycle) =>
    change(change(lifecycle, 'postStart', actionDefaults), 'preStop', actionDefaults),
  );
  changed = changeItems(changed, 'ports', (port) => fill(port, { protocol: 'TCP' }));
  return changeItems(changed, 'env', (variable) =>
    change(variable, 'valueFrom', (source) => change(source, 'fieldRef', fieldDefaults)),
  );
};

/** On the node's own network a port of a Pod is a port of the node; a template says nothing of it. */
export function hostPortDefaults(podSpec: JsonObject): JsonObject {
  if (podSpec.hostNetwork !== true) return podSpec;
  const withHostPorts: Change = (container) =>
    changeItems(container, 'ports', (port) => fillZero(port, { hostPort: port.containerPort }));
  return changeItems(
    changeItems(podSpec, 'containers', withHostPorts),
    'initContainers',
    withHostPorts,
  );
}

/**
 * Always for a tag that can move, IfNotPresent for one that should not, and for what is no name of
 * an image (its repository has no capital letters).
 */
function pullPolicy(image: string): string {
  const repository = image.replace(/[@:][^/]*$/, '').replace(/^([^/]*[.:][^/]*|localhost)\//, '');
  if (!/^[a-z0-9]+([._/-]+[a-z0-9]+)*$/.test(repository)) return 'IfNotPresent';
  const tag = /:([^/:@]+)(?:@|$)/.exec(image)?.[1] ?? (image.includes('@') ? 'digest' : 'latest');
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

const probeDefaults: Change = (probe) =>
  fillZero(
    change(actionDefaults(probe), 'grpc', (grpc) => ({ service: '', ...grpc })),
    {
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
  );

const actionDefaults: Change = (handler) =>
  change(handler, 'httpGet', (request) => fill(request, { path: '/', scheme: 'HTTP' }));

const fieldDefaults: Change = (reference) => fill(reference, { apiVersion: 'v1' });

/** 0644: the mode of files that nobody said anything about. */
const fileMode = 0o644;
const tokenSeconds = 3600;

const fileDefaults: Change = (file) => change(file, 'fieldRef', fieldDefaults);

const projectionDefaults: Change = (source) => {
  const token = change(source, 'serviceAccountToken', (projection) =>
    fill(projection, { expirationSeconds: tokenSeconds }),
  );
  return change(token, 'downwardAPI', (projection) =>
    changeItems(projection, 'items', fileDefaults),
  );
};

/** The defaults of volume sources, by name. */
const sourceDefaults: Readonly<Record<string, Change>> = {
  secret: (source) => fill(source, { defaultMode: fileMode }),
  configMap: (source) => fill(source, { defaultMode: fileMode }),
  downwardAPI: (source) =>
    changeItems(fill(source, { defaultMode: fileMode }), 'items', fileDefaults),
  projected: (source) =>
    changeItems(fill(source, { defaultMode: fileMode }), 'sources', projectionDefaults),
  hostPath: (source) => ({ type: '', ...source }),
  iscsi: (source) => fill(source, { iscsiInterface: 'default' }),
  rbd: (source) => fill(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) =>
    fill(source, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false }),
  scaleIO: (source) => fill(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  image: (source) => fill(source, { pullPolicy: pullPolicy(textField(source, 'reference')) }),
  ephemeral: (source) =>
    change(source, 'volumeClaimTemplate', (claim) =>
      change(claim, 'spec', (spec) => fill(spec, { volumeMode: 'Filesystem' })),
    ),
};

/** The defaults of a volume's source; a volume without any is an empty directory. */
export const volumeDefaults: Change = (volume) => {
  if (!Object.entries(volume).some(([name, source]) => name !== 'name' && isJsonObject(source))) {
    return { ...volume, emptyDir: {} };
  }
  return persistentSourceDefaults(volume);
};

/** The defaults of whatever source is there. */
export const persistentSourceDefaults: Change = (volume) => {
  let changed = volume;
  for (const [name, by] of Object.entries(sourceDefaults)) changed = change(changed, name, by);
  return changed;
};
