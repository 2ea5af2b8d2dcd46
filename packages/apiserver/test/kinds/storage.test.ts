import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectField, withFields, withMetadata } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

describe('PersistentVolumeClaim', () => {
  const claims = new KindUnderTest('v1', 'persistentvolumeclaims');
  const good = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'pvc' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  it('is for files, and pending', () => {
    const claim = claims.create(good);
    assert.equal(objectField(claim, 'spec').volumeMode, 'Filesystem');
    assert.deepEqual(claim.status, { phase: 'Pending' });
  });
  claims.refuses(good, [
    [
      'spec.accessModes',
      [],
      'spec.accessModes: Required value: at least 1 access mode is required',
    ],
    [
      'spec.accessModes',
      ['Write'],
      'spec.accessModes: Unsupported value: "Write": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'spec.accessModes',
      ['ReadWriteOnce', 'ReadWriteOncePod'],
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
    ['spec.resources', {}, 'spec.resources[storage]: Required value'],
    [
      'spec.resources.requests.storage',
      '0',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
    [
      'spec.volumeMode',
      'Tape',
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ],
  ]);
  const fixed =
    'spec: Forbidden: spec is immutable after creation except resources.requests and ' +
    'volumeAttributesClassName for bound claims';
  claims.refusesChange(good, [
    ['spec.volumeName', 'pv'],
    ['spec.accessModes', ['ReadWriteMany'], fixed],
    ['spec.resources.requests.storage', '2Gi', fixed],
  ]);
  it('may grow once it is bound, and not shrink', () => {
    const status = { phase: 'Bound', capacity: { storage: '1Gi' } };
    const old = withFields(claims.create(good), { status });
    const sized = (storage: string) =>
      withFields(old, {
        spec: { ...objectField(old, 'spec'), resources: { requests: { storage } } },
      });
    assert.deepEqual(claims.refusals(sized('2Gi'), old), []);
    assert.deepEqual(claims.refusals(sized('1Mi'), old), [
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });
  it('shows what kubectl shows', () => {
    const claim = claims.create({
      ...good,
      spec: { ...good.spec, volumeName: 'pv', storageClassName: 'fast' },
    });
    const status = {
      phase: 'Bound',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
    };
    assert.deepEqual(claims.cells(withFields(claim, { status })), {
      Name: 'pvc',
      Status: 'Bound',
      Volume: 'pv',
      Capacity: '1Gi',
      'Access Modes': 'RWO,ROX',
      StorageClass: 'fast',
      VolumeAttributesClass: '<unset>',
      Age: '60m',
      VolumeMode: 'Filesystem',
    });
  });
});

describe('PersistentVolume', () => {
  const volumes = new KindUnderTest('v1', 'persistentvolumes');
  const good = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/data' },
    },
  };
  it('has the defaults of core/v1', () => {
    assert.deepEqual(objectField(volumes.create(good), 'spec'), {
      ...good.spec,
      hostPath: { path: '/data', type: '' },
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    });
  });
  volumes.refuses(good, [
    ['spec.accessModes', [], 'spec.accessModes: Required value'],
    ['spec.capacity', undefined, 'spec.capacity: Required value'],
    [
      'spec.capacity',
      { storage: '0' },
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
    ],
    ['spec.hostPath', undefined, 'spec: Required value: must specify a volume type'],
    [
      'spec.nfs',
      { server: 's', path: '/x' },
      'spec.nfs: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'spec.persistentVolumeReclaimPolicy',
      'Burn',
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
    ],
  ]);
  volumes.refusesChange(good, [
    ['spec.claimRef', { namespace: 'd', name: 'c' }],
    [
      'spec.hostPath.path',
      '/other',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ],
    ['spec.volumeMode', 'Block', 'spec.volumeMode: Invalid value: "Block": field is immutable'],
  ]);
  it('shows what kubectl shows', () => {
    const spec = { ...good.spec, claimRef: { namespace: 'd', name: 'c' } };
    const volume = withFields(volumes.create({ ...good, spec }), { status: { phase: 'Bound' } });
    assert.deepEqual(Object.values(volumes.cells(volume)), [
      'pv',
      '1Gi',
      'RWO',
      'Retain',
      'Bound',
      'd/c',
      '',
      '<unset>',
      '',
      '60m',
      'Filesystem',
    ]);
  });
});

describe('StorageClass', () => {
  const classes = new KindUnderTest('storage.k8s.io/v1', 'storageclasses');
  const good = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner: 'example.com/disk',
  };
  it('has the defaults of storage.k8s.io/v1', () => {
    const { reclaimPolicy, volumeBindingMode } = classes.create(good);
    assert.deepEqual([reclaimPolicy, volumeBindingMode], ['Delete', 'Immediate']);
  });
  classes.refuses(good, [
    ['provisioner', '', 'provisioner: Required value'],
    [
      'reclaimPolicy',
      'Recycle',
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    ],
    [
      'volumeBindingMode',
      'Later',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
    ['parameters', { '': 'x' }, 'parameters: Invalid value: "": field can not be empty.'],
    [
      'parameters',
      { big: 'x'.repeat(256 * 1024) },
      'parameters: Too long: may not be more than 262144 bytes',
    ],
  ]);
  classes.refusesChange(good, [
    ['parameters', { a: 'b' }, 'parameters: Invalid value: {"a":"b"}: field is immutable'],
    ['allowVolumeExpansion', true],
    [
      'volumeBindingMode',
      'WaitForFirstConsumer',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ]);
  it('shows what kubectl shows', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const standard = withMetadata(classes.create(good), { annotations });
    assert.deepEqual(Object.values(classes.cells(standard)), [
      'fast (default)',
      'example.com/disk',
      'Delete',
      'Immediate',
      false,
      '60m',
    ]);
  });
});
