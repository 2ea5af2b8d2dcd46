import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceEndpointsMax } from './limits.ts';
import {
  type EndpointSlice,
  type Endpoints,
  findEndpoints,
  ofPod,
  type Service,
} from './service-endpoints.ts';

const metadata = { name: 'redis', namespace: 'default' };

function service(spec: Service['spec'] = { ports: [{ port: 6379 }] }): Service {
  return { apiVersion: 'v1', kind: 'Service', metadata, spec };
}

function slice(fields: Partial<EndpointSlice>): EndpointSlice {
  return {
    ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [{ name: '', port: 16379, protocol: 'TCP' }],
    ...fields,
  };
}

function endpoints(subsets: NonNullable<Endpoints['subsets']>): Endpoints {
  return { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
}

const noEndpoints = { kind: 'none', code: 'NoReadyEndpoint' };

describe('findEndpoints()', () => {
  test('finds the port of the endpoints for that of the Service', () => {
    const objects = { slices: [slice({})], endpoints: undefined };
    assert.deepEqual(findEndpoints(service(), objects, 6379), {
      kind: 'found',
      endpoints: [{ host: '10.0.0.1', port: 16379 }],
    });
    const none = { kind: 'none', code: 'PortNotFound' };
    assert.deepEqual(findEndpoints(service(), objects, 16379), none);
    const udp = service({ ports: [{ port: 6379, protocol: 'UDP' }] });
    assert.deepEqual(findEndpoints(udp, objects, 6379), none);
  });

  test('goes by the names of ports where there are several', () => {
    const ports = [
      { name: 'http', port: 80 },
      { name: 'admin', port: 81 },
    ];
    const subsets = [
      { addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'admin', port: 9000 }] },
      {
        addresses: [{ ip: '10.0.0.2' }],
        ports: [
          { name: 'http', port: 8080 },
          { name: 'admin', port: 9001 },
        ],
      },
    ];
    const objects = { slices: [], endpoints: endpoints(subsets) };
    const found = (port: number): unknown => findEndpoints(service({ ports }), objects, port);
    assert.deepEqual(found(80), {
      kind: 'found',
      endpoints: [{ host: '10.0.0.2', port: 8080 }],
    });
    assert.deepEqual(found(81), {
      kind: 'found',
      endpoints: [
        { host: '10.0.0.1', port: 9000 },
        { host: '10.0.0.2', port: 9001 },
      ],
    });
  });

  test('takes none that is not ready, and none whose address is a name', () => {
    const find = (...slices: EndpointSlice[]): unknown =>
      findEndpoints(service(), { slices, endpoints: undefined }, 6379);
    const unready = { addresses: ['10.0.0.1'], conditions: { ready: false } };
    assert.deepEqual(find(slice({ endpoints: [unready] })), noEndpoints);
    assert.deepEqual(find(slice({ addressType: 'FQDN' })), noEndpoints);
    assert.deepEqual(find(), noEndpoints);
    const ready = { addresses: ['10.0.0.2'], conditions: { ready: true } };
    assert.deepEqual(find(slice({ endpoints: [unready, ready] })), {
      kind: 'found',
      endpoints: [{ host: '10.0.0.2', port: 16379 }],
    });
  });

  test('believes slices where there are some', () => {
    const subsets = [{ addresses: [{ ip: '10.0.0.9' }], ports: [{ port: 1 }] }];
    const empty = slice({ endpoints: [] });
    const objects = { slices: [empty], endpoints: endpoints(subsets) };
    assert.deepEqual(findEndpoints(service(), objects, 6379), noEndpoints);
  });

  test('leads to the Pods of a headless Service, at any port', () => {
    const objects = { slices: [slice({ ports: [] })], endpoints: undefined };
    assert.deepEqual(findEndpoints(service({ clusterIP: 'None' }), objects, 1234), {
      kind: 'found',
      endpoints: [{ host: '10.0.0.1', port: 1234 }],
    });
  });

  test('names so many at most', () => {
    const many = Array.from({ length: 2 * serviceEndpointsMax }, (_, i) => ({
      addresses: [`10.0.1.${i}`],
    }));
    const objects = { slices: [slice({ endpoints: many })], endpoints: undefined };
    const found = findEndpoints(service(), objects, 6379);
    assert.equal(found.kind === 'found' && found.endpoints.length, serviceEndpointsMax);
  });
});

test('ofPod() leaves the endpoints of one Pod, by its name or its host name', () => {
  const targetRef = { kind: 'Pod', name: 'db-0' };
  const slices = [
    slice({
      endpoints: [
        { addresses: ['10.0.0.1'], targetRef },
        { addresses: ['10.0.0.2'], targetRef: { ...targetRef, name: 'db-1' } },
        { addresses: ['10.0.0.3'], hostname: 'db-2' },
      ],
    }),
  ];
  const subsets = [{ addresses: [{ ip: '10.0.0.4', hostname: 'db-0' }, { ip: '10.0.0.5' }] }];
  const headless = service({ clusterIP: 'None' });
  const hosts = (pod: string, of: EndpointSlice[]): unknown => {
    const found = findEndpoints(
      headless,
      ofPod(pod, { slices: of, endpoints: endpoints(subsets) }),
      5,
    );
    return found.kind === 'found' ? found.endpoints.map(({ host }) => host) : found.code;
  };
  assert.deepEqual(hosts('db-0', slices), ['10.0.0.1']);
  assert.deepEqual(hosts('db-2', slices), ['10.0.0.3']);
  assert.deepEqual(hosts('db-3', slices), 'NoReadyEndpoint');
  assert.deepEqual(hosts('db-0', []), ['10.0.0.4']);
});
