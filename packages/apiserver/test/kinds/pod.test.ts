import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectField, withFields } from '../../src/object/object-form.ts';
import { KindUnderTest, type Row, replaced } from './kind-under-test.ts';

const pods = new KindUnderTest('v1', 'pods');

const good = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'claim' } }],
    containers: [
      {
        name: 'c',
        image: 'img:1',
        ports: [{ name: 'http', containerPort: 80 }],
        env: [{ name: 'A', value: '1' }],
        livenessProbe: { httpGet: { port: 80 } },
        resources: { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    initContainers: [{ name: 'i', image: 'img' }],
  },
};

const c = 'spec.containers[0]';
const anti = 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';
const labelKeyForm =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
  "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const i = 'spec.initContainers[0]';
const v = 'spec.volumes[0]';
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
  "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const containers: readonly Row[] = [
  ['spec.containers', [], 'spec.containers: Required value'],
  [`${c}.name`, 'C', `${c}.name: Invalid value: "C": ${label}`],
  [`${c}.image`, undefined, `${c}.image: Required value`],
  [
    `${c}.imagePullPolicy`,
    'Sometimes',
    `${c}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
  ],
  [
    'spec.containers',
    [
      { name: 'c', image: 'a' },
      { name: 'c', image: 'b' },
    ],
    'spec.containers[1].name: Duplicate value: "c"',
  ],
  [
    `${c}.terminationMessagePolicy`,
    'Log',
    `${c}.terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "FallbackToLogsOnError"`,
  ],
  [`${c}.ports[0].containerPort`, undefined, `${c}.ports[0].containerPort: Required value`],
  [
    `${c}.ports[0].containerPort`,
    70_000,
    `${c}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
  ],
  [
    `${c}.ports[0].protocol`,
    'HTTP',
    `${c}.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"`,
  ],
  [
    `${c}.ports[1]`,
    { name: 'http', containerPort: 81 },
    `${c}.ports[1].name: Duplicate value: "http"`,
  ],
  [`${i}.name`, 'c', `${i}.name: Duplicate value: "c"`],
  [
    `${i}.livenessProbe`,
    { tcpSocket: { port: 1 } },
    `${i}.livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always`,
  ],
  [
    i,
    { name: 'i', image: 'x', restartPolicy: 'Always', livenessProbe: { tcpSocket: { port: 1 } } },
  ],
  [
    `${c}.securityContext`,
    { allowPrivilegeEscalation: false, privileged: true },
    `${c}.securityContext: Invalid value: {}: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
  ],
  [
    `${c}.securityContext`,
    { runAsUser: -1 },
    `${c}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`,
  ],
];

const environment: readonly Row[] = [
  [`${c}.env[0].name`, '1 odd'],
  [`${c}.env[1]`, { name: 'A', value: 'again' }],
  [`${c}.env[0].name`, '', `${c}.env[0].name: Required value`],
  [
    `${c}.env[0]`,
    { name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    `${c}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
  ],
  [
    `${c}.env[0]`,
    { name: 'A', valueFrom: {} },
    `${c}.env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`, \`secretKeyRef\` or \`fileKeyRef\``,
  ],
  [`${c}.env[0]`, { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a/b']" } } }],
  [
    `${c}.env[0]`,
    { name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.hostname' } } },
    `${c}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.hostname": error converting fieldPath: field label not supported: spec.hostname`,
  ],
  [
    `${c}.env[0]`,
    { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: '' } } },
    `${c}.env[0].valueFrom.secretKeyRef.key: Required value`,
  ],
  [
    `${c}.envFrom`,
    [{ prefix: 'X_' }],
    `${c}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
  ],
];

const probes: readonly Row[] = [
  [`${c}.livenessProbe`, {}, `${c}.livenessProbe: Required value: must specify a handler type`],
  [
    `${c}.livenessProbe`,
    { exec: { command: ['x'] }, httpGet: { port: 80 } },
    `${c}.livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type`,
  ],
  [
    `${c}.livenessProbe.successThreshold`,
    2,
    `${c}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
  ],
  [
    `${c}.livenessProbe.httpGet.port`,
    0,
    `${c}.livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
  ],
  [
    `${c}.livenessProbe.httpGet.scheme`,
    'FTP',
    `${c}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
  ],
  [`${c}.readinessProbe`, { httpGet: { port: 80 }, successThreshold: 2 }],
  [
    `${c}.readinessProbe`,
    { exec: { command: [] }, periodSeconds: -1 },
    `${c}.readinessProbe.exec.command: Required value`,
    `${c}.readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    `${c}.lifecycle`,
    { preStop: {} },
    `${c}.lifecycle.preStop: Required value: must specify a handler type`,
  ],
];

const volumes: readonly Row[] = [
  [`${c}.volumeMounts[0].name`, 'nope', `${c}.volumeMounts[0].name: Not found: "nope"`],
  [`${c}.volumeMounts[0].mountPath`, '', `${c}.volumeMounts[0].mountPath: Required value`],
  [
    `${c}.volumeMounts[1]`,
    { name: 'data', mountPath: '/data' },
    `${c}.volumeMounts[1].mountPath: Invalid value: "/data": must be unique`,
  ],
  [
    `${c}.volumeMounts[0].subPath`,
    '../x',
    `${c}.volumeMounts.subPath: Invalid value: "../x": must not contain '..'`,
  ],
  [
    `${c}.volumeMounts[0].mountPropagation`,
    'Bidirectional',
    `${c}.volumeMounts[0].mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
  ],
  [
    'spec.volumes[1]',
    { name: 'data', emptyDir: {} },
    'spec.volumes[1].name: Duplicate value: "data"',
  ],
  [
    'spec.volumes[1]',
    { name: 'x', emptyDir: {}, hostPath: { path: '/x' } },
    'spec.volumes[1].hostPath: Forbidden: may not specify more than 1 volume type',
  ],
  [
    'spec.volumes[1]',
    { name: 'x', secret: { secretName: '', defaultMode: 1000 } },
    'spec.volumes[1].secret.secretName: Required value',
    'spec.volumes[1].secret.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
  ],
  [
    'spec.volumes[1]',
    { name: 'x', configMap: { name: 'm', items: [{ key: 'k', path: '/abs' }] } },
    'spec.volumes[1].configMap.items[0].path: Invalid value: "/abs": must be a relative path',
  ],
  [
    'spec.volumes[1]',
    {
      name: 'x',
      projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 1 } }] },
    },
    'spec.volumes[1].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
  ],
  [
    v,
    { name: 'Data', emptyDir: {} },
    `${v}.name: Invalid value: "Data": ${label}`,
    `${c}.volumeMounts[0].name: Not found: "data"`,
  ],
];

const resources: readonly Row[] = [
  [
    `${c}.resources.requests`,
    { cpu: '2' },
    `${c}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
  ],
  [
    `${c}.resources.limits`,
    { cpu: '-1' },
    `${c}.resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
    `${c}.resources.requests: Invalid value: "500m": must be less than or equal to cpu limit of -1`,
  ],
  [
    `${c}.resources`,
    { limits: { gpu: '1' } },
    `${c}.resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified`,
    `${c}.resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers`,
    `${c}.resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified`,
    `${c}.resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers`,
  ],
  [`${c}.resources`, { limits: { 'nvidia.com/gpu': '1' } }],
];

const wholePod: readonly Row[] = [
  [
    'spec.restartPolicy',
    'Perhaps',
    'spec.restartPolicy: Unsupported value: "Perhaps": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    'spec.dnsPolicy',
    'None',
    'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
  ],
  [
    'spec.activeDeadlineSeconds',
    0,
    'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  ],
  ['spec.hostname', 'A', `spec.hostname: Invalid value: "A": ${label}`],
  [
    'spec.tolerations',
    [{ operator: 'Equal', value: 'x' }],
    'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ],
  [
    'spec.tolerations',
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }],
    'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
  ],
  [
    'spec.affinity',
    { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } },
    `${anti}.topologyKey: Required value: can not be empty`,
    `${anti}.topologyKey: Invalid value: "": name part must be non-empty`,
    `${anti}.topologyKey: Invalid value: "": ${labelKeyForm}`,
  ],
  [
    'spec.topologySpreadConstraints',
    [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
  ],
  [
    'spec',
    {
      nodeName: 'n',
      schedulingGates: [{ name: 'g' }],
      containers: [{ name: 'c', image: 'x' }],
    },
    'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  ],
];

describe('Pod', () => {
  it('has the defaults of core/v1 and of admission', () => {
    const { spec, status } = pods.create(good);
    assert.deepEqual(spec, {
      ...good.spec,
      containers: [
        {
          ...good.spec.containers[0],
          ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
          livenessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          // What may be used and is not asked for is asked for.
          resources: {
            requests: { cpu: '500m', memory: '1Gi' },
            limits: { cpu: '1', memory: '1Gi' },
          },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      initContainers: [
        {
          name: 'i',
          image: 'img',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: ['not-ready', 'unreachable'].map((trouble) => ({
        key: `node.kubernetes.io/${trouble}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    });
    assert.deepEqual(status, { phase: 'Pending', qosClass: 'Burstable' });
  });

  const volumeDefaults: readonly (readonly [given: object, complete: object])[] = [
    [{}, { emptyDir: {} }],
    [{ secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
    [{ configMap: { name: 'm' } }, { configMap: { name: 'm', defaultMode: 420 } }],
    [{ hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    [
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      {
        projected: {
          sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }],
          defaultMode: 420,
        },
      },
    ],
  ];
  for (const [given, complete] of volumeDefaults) {
    it(`a volume of ${JSON.stringify(given)} has defaults`, () => {
      const pod = { ...good, spec: { ...good.spec, volumes: [{ name: 'v', ...given }] } };
      assert.deepEqual(objectField(pods.complete(pod), 'spec').volumes, [
        { name: 'v', ...complete },
      ]);
    });
  }

  it('shares the ports of its node when it shares the network', () => {
    const pod = pods.complete({ ...good, spec: { ...good.spec, hostNetwork: true } });
    const ports = replacedPorts(pod.spec);
    assert.deepEqual(ports, [{ name: 'http', containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  });

  pods.refuses(good, [
    ...containers,
    ...environment,
    ...probes,
    ...volumes,
    ...resources,
    ...wholePod,
  ]);

  const fixed =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,' +
    '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
    'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set ' +
    'to 1 if it was previously negative)';
  pods.refusesChange(good, [
    [`${c}.image`, 'img:2'],
    [`${i}.image`, 'img:2'],
    ['spec.activeDeadlineSeconds', 5],
    ['spec.restartPolicy', 'Never', fixed],
    ['spec.nodeName', 'n', fixed],
    ['spec.terminationGracePeriodSeconds', 1, fixed],
    [
      'spec.containers[1]',
      { name: 'x', image: 'x' },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      `${c}.image`,
      ' img',
      `${c}.image: Invalid value: " img": must not have leading or trailing whitespace`,
    ],
    [
      'spec.tolerations',
      [],
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    ['spec.tolerations[0].tolerationSeconds', 5],
    [
      'spec.schedulingGates',
      [{ name: 'g' }],
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'",
    ],
  ]);

  it('may not lengthen its deadline, nor drop it', () => {
    const old = pods.create({ ...good, spec: { ...good.spec, activeDeadlineSeconds: 5 } });
    const change = (seconds: number | undefined): readonly string[] => {
      const spec = replaced(old.spec, 'activeDeadlineSeconds', seconds);
      return pods.refusals(withFields(old, { spec }), old);
    };
    const at = 'spec.activeDeadlineSeconds';
    assert.deepEqual(change(3), []);
    assert.deepEqual(change(6), [
      `${at}: Invalid value: 6: must be less than or equal to previous value`,
    ]);
    assert.deepEqual(change(undefined), [
      `${at}: Invalid value: null: must not update from a positive integer to nil value`,
    ]);
  });
});

function replacedPorts(spec: unknown): unknown {
  const holder = typeof spec === 'object' && spec !== null ? spec : {};
  const list: unknown = 'containers' in holder ? holder.containers : [];
  return Array.isArray(list) ? list[0].ports : undefined;
}
