import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from './core-kinds.ts';
import { isChangedService, projectService } from './known-service.ts';

const port = { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' } as const;
const plan: Service = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'hello' } },
  spec: { clusterIP: 'None', selector: { app: 'hello' }, ports: [port] },
};

function isChanged(spec: Service['spec']): boolean {
  return isChangedService(projectService({ ...plan, ...{ spec } }), plan);
}

test('isChangedService() tells what others changed from what they added', () => {
  const metrics = { ...port, name: 'metrics', port: 9090 };
  assert.equal(isChanged(plan.spec), false);
  assert.equal(isChanged({ ...plan.spec, ports: [metrics, port] }), false);
  assert.equal(isChanged({ ...plan.spec, ports: [metrics] }), true);
  assert.equal(isChanged({ ...plan.spec, ports: [{ ...port, targetPort: 80 }] }), true);
  assert.equal(isChanged({ ...plan.spec, selector: { app: 'hello', x: 'y' } }), true);
  assert.equal(isChanged({}), true);
});
