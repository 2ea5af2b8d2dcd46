import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SubscriptionTranslation, translateSubscription } from './translate-subscription.ts';

const sink = 'http://receiver.shop.svc.cluster.local';

function translate(spec: object, metadata: object = {}): SubscriptionTranslation {
  return translateSubscription({
    apiVersion: 'eventing.kyma-project.io/v1alpha2',
    kind: 'Subscription',
    metadata: { name: 'receiver', namespace: 'shop', ...metadata },
    spec: { sink, source: 'my-app', types: ['payload.sanitised'], ...spec },
  });
}

function triggerOf(spec: object): Extract<SubscriptionTranslation, { kind: 'translated' }> {
  const translation = translate(spec);
  assert.ok(translation.kind === 'translated', JSON.stringify(translation));
  return translation;
}

test('translateSubscription() makes a Trigger on the Broker of the namespace', () => {
  const { trigger, types, notices } = triggerOf({});
  assert.deepEqual(trigger.metadata, { name: 'receiver', namespace: 'shop' });
  assert.deepEqual(trigger.spec, {
    source: { broker: { name: 'kyma-eventing', from: 'newest' } },
    filters: [{ any: [{ exact: { kymasubject: 'my-app.payload.sanitised' } }] }],
    target: { function: 'receiver' },
    delivery: { concurrency: 10 },
  });
  assert.deepEqual(types, [{ originalType: 'payload.sanitised', cleanType: 'payload.sanitised' }]);
  assert.deepEqual(notices, []);
});

function subjectsOf(spec: object): unknown[] {
  const [filter] = triggerOf(spec).trigger.spec.filters ?? [];
  return (filter?.any ?? []).map(({ exact }) => exact?.kymasubject);
}

// eventing-manager, pkg/backend/cleaner/jetstream_unit_test.go
test('translateSubscription() compares source and types as Kyma cleans them', () => {
  const source = 'source1-Part1/2-Part*2\\3-Ä.te--<>  <>s__t!!a@  \t @*p##p%%';
  const types = [
    'prefix.  testapp.\tSegment1>*.Segment3<.Segment4>>-Part1/2-Ä.v1',
    'order!!.created<<.v1##',
  ];
  const clean = 'source1-Part12-Part23-Äte--<<s__t!!a@@p##p%%';
  assert.deepEqual(subjectsOf({ source, types }), [
    `${clean}.prefix.testapp.Segment1.Segment3<.Segment4-Part12-Ä.v1`,
    `${clean}.order!!.created<<.v1##`,
  ]);
  assert.deepEqual(subjectsOf({ source: '', types: ['app.a>.b'], typeMatching: 'exact' }), [
    'app.a>.b',
  ]);
});

test('translateSubscription() takes more types than one list of filters holds', () => {
  const types = Array.from({ length: 40 }, (_, number) => `order.n${number}`);
  const [filter] = triggerOf({ types }).trigger.spec.filters ?? [];
  assert.deepEqual(
    filter?.any?.map(({ any }) => any?.length),
    [16, 16, 8],
  );
  const many = Array.from({ length: 300 }, (_, number) => `order.n${number}`);
  assert.equal(translate({ types: many }).kind, 'refused');
});

test('translateSubscription() has as many events under way as the config says', () => {
  const { trigger, notices } = triggerOf({ config: { maxInFlightMessages: '5', qos: 'x' } });
  assert.equal(trigger.spec.delivery?.concurrency, 5);
  assert.deepEqual(notices, ['config.qos: has no effect without SAP Event Mesh']);
});

// eventing-manager, internal/controller/eventing/subscription/validator/spec_test.go
const refused: readonly [object, RegExp][] = [
  [{ source: '' }, /spec[.]source: .*must not be empty/],
  [{ types: [] }, /spec[.]types: .*must not be empty/],
  [{ types: ['a.b', 'a.b'] }, /must not have duplicate types/],
  [{ types: [''] }, /must not be of length zero/],
  [{ types: ['order'] }, /must have minimum 2 segments/],
  [{ types: ['sap.kyma.custom.a.b'] }, /must not have sap[.]kyma[.]custom as type prefix/],
  [{ typeMatching: 'loose' }, /must be a valid TypeMatching value/],
  [{ config: { maxInFlightMessages: 'many' } }, /must be a stringified int value/],
  [{ config: { maxInFlightMessages: '0' } }, /concurrency/],
  [{ sink: '' }, /must have URL scheme/],
  [{ sink: 'ftp://receiver.shop.svc.cluster.local' }, /must have URL scheme/],
  [{ sink: 'https://receiver.example.com' }, /svc[.]cluster[.]local/],
  [{ sink: 'http://receiver.other.svc.cluster.local' }, /must have the same namespace/],
  [{ sink: `${sink}/path` }, /must have no path/],
  [{ sink: `${sink}:8080` }, /must be at port 80/],
  [{ types: 'a.b' }, /types/],
];
for (const [spec, reason] of refused) {
  test(`translateSubscription() refuses ${JSON.stringify(spec)}`, () => {
    const translation = translate(spec);
    assert.ok(translation.kind === 'refused');
    assert.match(translation.reasons.join('\n'), reason);
  });
}
