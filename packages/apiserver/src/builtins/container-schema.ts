import type { JsonSchema } from '@fnlet/machinery';
import { mergedList } from '../patch/patch-annotations.ts';
import {
  anything,
  atomic,
  flag,
  integer,
  intOrString,
  list,
  long,
  object,
  quantities,
  text,
  texts,
} from './schema-words.ts';

const keyed = (description: string): JsonSchema =>
  atomic(description, {
    name: text('Name of the object.'),
    key: text('The key in it.'),
    optional: flag('Whether it may be missing.'),
  });

const source = (description: string): JsonSchema =>
  object(description, {
    name: text('Name of the object.'),
    optional: flag('Whether it may be missing.'),
  });

const env = mergedList(
  object('An environment variable.', {
    name: text('Name of the variable.'),
    value: text('Its value.'),
    valueFrom: object('Where its value comes from.', {
      configMapKeyRef: keyed('A key of a ConfigMap.'),
      secretKeyRef: keyed('A key of a Secret.'),
      fieldRef: atomic('A field of the Pod.', {
        apiVersion: text('The version that the path is written in.'),
        fieldPath: text('Path of the field.'),
      }),
      resourceFieldRef: atomic('A resource of the container.', {
        containerName: text('Which container.'),
        resource: text('Which resource.'),
        divisor: { 'x-kubernetes-int-or-string': true },
      }),
      fileKeyRef: anything('A key in a file of a volume.'),
    }),
  }),
  'name',
  { description: 'Environment variables.' },
);

const envFrom = list(
  'Where more environment variables come from.',
  object('A source of variables.', {
    prefix: text('What stands before each name.'),
    configMapRef: source('All keys of a ConfigMap.'),
    secretRef: source('All keys of a Secret.'),
  }),
);

const ports = mergedList(
  object('A port that the container listens on.', {
    name: text('Name of the port.'),
    containerPort: integer('The port in the Pod.'),
    hostPort: integer('The port on the node.'),
    hostIP: text('The address on the node.'),
    protocol: text('TCP, UDP or SCTP.', { default: 'TCP' }),
  }),
  'containerPort',
  { description: 'Ports that the container listens on.', mapKeys: ['containerPort', 'protocol'] },
);

const httpGet = object('An HTTP request.', {
  path: text('Path of the URL.'),
  port: intOrString('The port, by number or name.'),
  host: text('Whom to connect to; default: the Pod.'),
  scheme: text('HTTP or HTTPS.'),
  httpHeaders: list(
    'Headers of the request.',
    object('A header.', { name: text('Its name.'), value: text('Its value.') }),
  ),
});

const action: Readonly<Record<string, JsonSchema>> = {
  exec: object('A command in the container.', { command: texts('The command.') }),
  httpGet,
  tcpSocket: object('A TCP connection.', {
    port: intOrString('The port.'),
    host: text('Whom to connect to.'),
  }),
};

const probe = (description: string): JsonSchema =>
  object(description, {
    ...action,
    grpc: object('A gRPC health check.', {
      port: integer('The port.'),
      service: text('The service.'),
    }),
    initialDelaySeconds: integer('How long after the start it begins.'),
    periodSeconds: integer('How often it runs.'),
    timeoutSeconds: integer('How long it may take.'),
    successThreshold: integer('How many successes in a row count.'),
    failureThreshold: integer('How many failures in a row count.'),
    terminationGracePeriodSeconds: long('How long the container has to stop after it failed.'),
  });

const hook = (description: string): JsonSchema =>
  object(description, {
    ...action,
    sleep: object('A pause.', { seconds: long('How long.') }),
  });

const volumeMounts = mergedList(
  object('Where a volume appears in the container.', {
    name: text('Name of the volume.'),
    mountPath: text('Where it appears.'),
    mountPropagation: text('How mounts travel.'),
    readOnly: flag('Whether it cannot be written.'),
    recursiveReadOnly: text('Whether mounts inside are read-only too.'),
    subPath: text('The part of the volume.'),
    subPathExpr: text('The part of the volume, with variables.'),
  }),
  'mountPath',
  { description: 'Volumes that appear in the container.' },
);

const resources = object('What it needs and may use.', {
  limits: quantities('What it may use.'),
  requests: quantities('What it needs.'),
  claims: mergedList(
    object('A claimed resource.', {
      name: text('Name of the claim.'),
      request: text('Part of it.'),
    }),
    'name',
    { description: 'Claims that it uses.' },
  ),
});

const lifecycle = object('What happens when it starts and stops.', {
  postStart: hook('After it started.'),
  preStop: hook('Before it stops.'),
  stopSignal: text('The signal that stops it.'),
});

/** core/v1 Container. */
export const containerSchema: JsonSchema = object('A container of a Pod.', {
  name: text('Name of the container.'),
  image: text('What runs.'),
  imagePullPolicy: text('Always, Never or IfNotPresent.'),
  command: texts('The program; default: that of the image.'),
  args: texts('Arguments of the program.'),
  workingDir: text('The directory it starts in.'),
  env,
  envFrom,
  ports,
  resources,
  lifecycle,
  resizePolicy: list('How resources change.', anything('A policy.')),
  restartPolicy: text('Always, for an init container that stays.'),
  restartPolicyRules: list('When it is restarted.', anything('A rule.')),
  livenessProbe: probe('When to restart it.'),
  readinessProbe: probe('When it can take traffic.'),
  startupProbe: probe('When it has started.'),
  securityContext: anything('What the processes may do.'),
  volumeMounts,
  volumeDevices: mergedList(
    object('A block device.', {
      name: text('Name of the claim.'),
      devicePath: text('Its path.'),
    }),
    'devicePath',
    { description: 'Block devices of the container.' },
  ),
  stdin: flag('Whether it reads standard input.'),
  stdinOnce: flag('Whether standard input closes after the first client.'),
  tty: flag('Whether it has a terminal.'),
  terminationMessagePath: text('File of its last words.'),
  terminationMessagePolicy: text('File or FallbackToLogsOnError.'),
});
