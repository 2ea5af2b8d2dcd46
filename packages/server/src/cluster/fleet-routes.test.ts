import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HttpRoute, parseRoutePath, type Responder } from '@fnlet/gateway';
import type { RoutePolicySettings } from '@fnlet/gateway/policies';
import { type FleetOrder, parseFleetOrder } from './fleet-message.ts';
import { FleetRoutes } from './fleet-routes.ts';
import { readSettings, ToldPolicy } from './policy-terms.ts';

const path = parseRoutePath({ kind: 'pattern', text: '/shop/{item}/{rest...}' });
const route: HttpRoute = {
  id: 'default/shop',
  matches: [{ host: '', path, methods: ['GET'] }],
  target: { namespace: 'default', function: 'shop' },
};
const settings: RoutePolicySettings = {
  rateLimits: [],
  auth: {
    methods: [
      { kind: 'apiKey', header: 'X-Api-Key', consumers: new Map([['$entries', ['ab', 'cd']]]) },
    ],
    anonymous: false,
    forwardCredentials: false,
  },
};

/** As a Gateway reads it. */
function received(order: FleetOrder | undefined): FleetOrder | undefined {
  return parseFleetOrder(JSON.parse(JSON.stringify(order)));
}

test('a route comes to Gateways as it was, parameters of its path included', () => {
  const orders: FleetOrder[] = [];
  const routes = new FleetRoutes((order) => orders.push(order));
  routes.setHttpRoute(route);
  assert.deepEqual(received(orders[0]), { type: 'httpRoute', route });
  routes.setHttpRoute({ ...route });
  assert.equal(orders.length, 1, 'what changes nothing is not sent');
  routes.removeHttpRoute(route.id);
  assert.deepEqual(received(orders[1]), { type: 'httpRouteRemoved', id: route.id });
});

test('a policy comes with its keys; one that cannot be told lets nobody through', () => {
  const orders: FleetOrder[] = [];
  const routes = new FleetRoutes((order) => orders.push(order));
  routes.setHttpRoute({ ...route, policy: new ToldPolicy(settings) });
  const told = received(orders[0]);
  assert.ok(told?.type === 'httpRoute' && told.route.policy?.kind === 'demands');
  assert.deepEqual(readSettings(told.route.policy.settings), settings);
  routes.setHttpRoute({ ...route, policy: { admit: () => ({ kind: 'pass' }) } });
  const closed = received(orders[1]);
  assert.ok(closed?.type === 'httpRoute');
  assert.deepEqual(closed.route.policy, { kind: 'closed' });
});

test('what is no policy lets nobody through', () => {
  for (const policy of [null, 'text', {}, { kind: 'demands' }, { kind: 'demands', settings: 1 }]) {
    const order = parseFleetOrder({ type: 'httpRoute', route: { ...route, policy } });
    assert.ok(order?.type === 'httpRoute');
    assert.deepEqual(order.route.policy, { kind: 'closed' });
  }
  assert.equal(readSettings({ auth: 'none' }), undefined);
});

test('who answers in the controller is found by the place that was asked', () => {
  const orders: FleetOrder[] = [];
  const routes = new FleetRoutes((order) => orders.push(order));
  const responder: Responder = { bodyBytesMax: 9, respond: () => Promise.reject(new Error('-')) };
  routes.setHttpRoutes([{ ...route, target: { responder } }]);
  routes.setService({ namespace: 'a', name: 'b' }, responder);
  assert.equal(routes.responderAt({ kind: 'route', id: route.id }), responder);
  assert.equal(routes.responderAt({ kind: 'service', namespace: 'a', name: 'b' }), responder);
  assert.equal(routes.responderAt({ kind: 'sinks' }), undefined);
  assert.deepEqual(orders.map(received), [
    { type: 'httpRoutes', routes: [{ ...route, target: { bodyBytesMax: 9 } }], isLast: true },
    { type: 'names', names: [{ namespace: 'a', name: 'b', bodyBytesMax: 9 }] },
  ]);
  routes.removeService({ namespace: 'a', name: 'b' });
  assert.equal(routes.responderAt({ kind: 'service', namespace: 'a', name: 'b' }), undefined);
});
