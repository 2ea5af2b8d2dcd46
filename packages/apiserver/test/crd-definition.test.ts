import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { at, listAt, textAt } from './at.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = { type: 'string' };

/** A good definition of Toys, with some parts changed; `fields` are those of the spec of a Toy. */
function toys(changes: {
  spec?: object;
  version?: object;
  fields?: object;
  name?: string;
}): object {
  const { spec = {}, version = {}, fields = {}, name = 'toys.x.com' } = changes;
  const properties = { spec: { type: 'object', properties: fields } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'x.com',
      scope: 'Namespaced',
      names: { plural: 'toys', kind: 'Toy' },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...version }],
      ...spec,
    },
  };
}

const named = (names: object) =>
  toys({ spec: { names: { plural: 'toys', kind: 'Toy', ...names } } });
const scaled = (scale: object) => toys({ version: { subresources: { scale } } });
const selecting = (...paths: readonly string[]) =>
  toys({
    version: { selectableFields: paths.map((jsonPath) => ({ jsonPath })) },
    fields: { a: text, l: { type: 'array', items: text } },
  });
const column = (rest: object) =>
  toys({ version: { additionalPrinterColumns: [{ name: 'A', type: 'string', ...rest }] } });
const twoVersions = (a: object, b: object) => {
  const version = { served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return toys({
    spec: {
      versions: [
        { name: 'v1', ...version, ...a },
        { name: 'v2', ...version, storage: false, ...b },
      ],
    },
  });
};
const ruled = (...rules: readonly object[]) =>
  toys({
    fields: {
      o: {
        type: 'object',
        properties: { x: text, n: { type: 'integer' } },
        'x-kubernetes-validations': rules,
      },
    },
  });

const label = /a DNS-1035 label must consist of lower case/;
const rule =
  'spec.validation.openAPIV3Schema.properties[spec].properties[o].x-kubernetes-validations[0]';

/** What is defined, which field is refused, and what is said about it. */
const refusals: readonly (readonly [string, object, string, string | RegExp])[] = [
  [
    'a group that is no domain',
    toys({ spec: { group: 'x' }, name: 'toys.x' }),
    'spec.group',
    'Invalid value: "x": should be a domain with at least one dot',
  ],
  [
    'a group that is no name',
    toys({ spec: { group: 'X_.y' }, name: 'toys.X_.y' }),
    'spec.group',
    /subdomain must consist/,
  ],
  [
    'a group of the community without its approval',
    toys({ spec: { group: 'x.k8s.io' }, name: 'toys.x.k8s.io' }),
    'metadata.annotations[api-approved.kubernetes.io]',
    /^Required value: protected groups must have approval/,
  ],
  [
    'a kind with a blank',
    named({ kind: 'To y', singular: 'toy', listKind: 'Toys' }),
    'spec.names.kind',
    /may have mixed case, but should otherwise match/,
  ],
  [
    'a list kind like its kind',
    named({ listKind: 'Toy' }),
    'spec.names.listKind',
    'Invalid value: "Toy": kind and listKind may not be the same',
  ],
  [
    'a short name with an underscore',
    named({ shortNames: ['t', 'T_'] }),
    'spec.names.shortNames[1]',
    label,
  ],
  ['a category with a blank', named({ categories: ['a b'] }), 'spec.names.categories[0]', label],
  [
    'a version twice',
    twoVersions({}, { name: 'v1' }),
    'spec.versions',
    'Invalid value: ["v1","v1"]: must contain unique version names',
  ],
  [
    'two storage versions',
    twoVersions({}, { storage: true }),
    'spec.versions',
    /must have exactly one version marked as storage version$/,
  ],
  ['no version', toys({ spec: { versions: [] } }), 'spec.versions', /must have exactly one/],
  [
    'a warning of a version that is not deprecated',
    toys({ version: { deprecationWarning: 'old' } }),
    'spec.versions[0].deprecationWarning',
    'Invalid value: "old": can only be set for deprecated versions',
  ],
  [
    'a warning with a line break',
    toys({ version: { deprecated: true, deprecationWarning: 'o\nd' } }),
    'spec.versions[0].deprecationWarning',
    /non-printable character found at index 1$/,
  ],
  [
    'a warning that is a story',
    toys({ version: { deprecated: true, deprecationWarning: 'o'.repeat(257) } }),
    'spec.versions[0].deprecationWarning',
    /must be <= 256 characters long$/,
  ],
  [
    'a scale without paths',
    scaled({}),
    'spec.subresources.scale.specReplicasPath',
    'Required value',
  ],
  [
    'a scale outside of spec',
    scaled({ specReplicasPath: '.status.n', statusReplicasPath: '.status.n' }),
    'spec.subresources.scale.specReplicasPath',
    'Invalid value: ".status.n": should be a json path under .spec',
  ],
  [
    'a scale outside of status',
    scaled({ specReplicasPath: '.spec.n', statusReplicasPath: 'n' }),
    'spec.subresources.scale.statusReplicasPath',
    'Invalid value: "n": must be a simple json path starting with .',
  ],
  [
    'a selector in metadata',
    scaled({
      specReplicasPath: '.spec.n',
      statusReplicasPath: '.status.n',
      labelSelectorPath: '.metadata.labels',
    }),
    'spec.subresources.scale.labelSelectorPath',
    /should be a json path under either .spec or .status$/,
  ],
  [
    'a scale of one version',
    twoVersions({ subresources: { scale: {} } }, {}),
    'spec.versions[0].subresources.scale.specReplicasPath',
    'Required value',
  ],
  [
    'a column of no type',
    column({ type: 'list', jsonPath: '.a' }),
    'spec.additionalPrinterColumns[0].type',
    /must be one of boolean,date,integer,number,string$/,
  ],
  [
    'a column in no format',
    column({ format: 'hex', jsonPath: '.a' }),
    'spec.additionalPrinterColumns[0].format',
    /must be one of byte,date,date-time,double,float,int32,int64,password$/,
  ],
  [
    'a column without a path',
    column({}),
    'spec.additionalPrinterColumns[0].JSONPath',
    'Required value',
  ],
  [
    'a selectable field that is not there',
    selecting('.spec.b'),
    'spec.selectableFields[0].jsonPath',
    'Invalid value: ".spec.b": is an invalid path: does not refer to a valid field',
  ],
  [
    'a selectable field in metadata',
    selecting('.metadata.name'),
    'spec.selectableFields[0]',
    'Invalid value: ".metadata.name": must not point to fields in metadata',
  ],
  [
    'a selectable list',
    selecting('.spec.l'),
    'spec.selectableFields[0]',
    /must point to a field of type string, boolean or integer/,
  ],
  [
    'a selectable field twice',
    selecting('.spec.a', '.spec.a'),
    'spec.selectableFields[1]',
    'Duplicate value: ".spec.a"',
  ],
  ['a selectable nothing', selecting(''), 'spec.selectableFields[0].jsonPath', 'Required value'],
  [
    'a conversion by magic',
    toys({ spec: { conversion: { strategy: 'Magic' } } }),
    'spec.conversion.strategy',
    'Unsupported value: "Magic": supported values: "None", "Webhook"',
  ],
  [
    'a webhook that nobody asks',
    toys({
      spec: { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
    }),
    'spec.conversion.webhookClientConfig',
    /should not be set when strategy is not set to Webhook$/,
  ],
  [
    'a default of another type',
    toys({ fields: { a: { type: 'integer', default: 'x' } } }),
    'spec.validation.openAPIV3Schema.properties[spec].properties[a].default',
    /must be of type integer/,
  ],
  [
    'a rule about a field that is not there',
    ruled({ rule: 'self.y == 1' }),
    `${rule}.rule`,
    /undefined field 'y'/,
  ],
  [
    'a rule that compares text with numbers',
    ruled({ rule: 'self.x == 1' }),
    `${rule}.rule`,
    /no matching overload for '_==_' applied to '\(string, int\)'/,
  ],
  [
    'a rule that is no question',
    ruled({ rule: 'self.x' }),
    `${rule}.rule`,
    /cel expression must evaluate to a bool$/,
  ],
  ['a rule that ends too soon', ruled({ rule: 'self.x ==' }), `${rule}.rule`, /Syntax error/],
  [
    'a rule of its own invention',
    ruled({ rule: 'self.x.foo()' }),
    `${rule}.rule`,
    /undeclared reference to 'foo'/,
  ],
  [
    'a message that is a number',
    ruled({ rule: 'has(self.x)', messageExpression: '1' }),
    `${rule}.messageExpression`,
    /messageExpression must evaluate to a string$/,
  ],
  [
    'a message in two lines',
    ruled({ rule: 'has(self.x)', message: 'a\nb' }),
    `${rule}.message`,
    /must not contain line breaks$/,
  ],
  [
    'a reason of its own invention',
    ruled({ rule: 'has(self.x)', reason: 'Bad' }),
    `${rule}.reason`,
    /^Unsupported value: "Bad": supported values: "FieldValueDuplicate"/,
  ],
  [
    'a path that leads nowhere',
    ruled({ rule: 'has(self.x)', fieldPath: '.y' }),
    `${rule}.fieldPath`,
    /must be a valid path$/,
  ],
  [
    'an old value that is not used',
    ruled({ rule: 'true', optionalOldSelf: true }),
    `${rule}.optionalOldSelf`,
    /may not be set if oldSelf is not used in rule$/,
  ],
  [
    'a rule that can take for ever',
    ruled({ rule: 'self.x.contains(self.x)' }),
    `${rule}.rule`,
    /^Forbidden: estimated rule cost exceeds budget by factor of more than 100x \(try simplifying/,
  ],
  [
    'rules that can take for ever together',
    ruled({ rule: 'self.x.contains(self.x)' }),
    'spec.validation.openAPIV3Schema',
    /^Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema/,
  ],
];

it('a definition that is no good is refused, with the field and the reason', async (t) => {
  await using server = await openServer({ clock: new VirtualClock() });
  for (const [what, body, field, message] of refusals) {
    const answer = await server.ask('POST', crds, { body });
    assert.equal(answer.status, 422, what);
    const causes = listAt(answer.body, '/details/causes');
    const cause = causes.find((one) => at(one, '/field') === field);
    assert.ok(cause !== undefined, `${what}: ${JSON.stringify(causes)}`);
    if (typeof message === 'string') assert.equal(textAt(cause, '/message'), message, what);
    else assert.match(textAt(cause, '/message'), message, what);
  }
  t.diagnostic(`${refusals.length} definitions refused`);
});

const accepted: readonly (readonly [string, object])[] = [
  [
    'all names',
    named({ listKind: 'ToyBox', singular: 'toy', shortNames: ['t'], categories: ['all'] }),
  ],
  [
    'a scale',
    scaled({
      specReplicasPath: '.spec.n',
      statusReplicasPath: '.status.n',
      labelSelectorPath: '.status.s',
    }),
  ],
  ['selectable fields', selecting('.spec.a')],
  ['a column', column({ format: 'date-time', jsonPath: '.spec.a', priority: 1 })],
  [
    'a deprecated version',
    toys({ version: { deprecated: true, deprecationWarning: 'Use v2, please.' } }),
  ],
  [
    'rules',
    ruled(
      { rule: 'self.x == "a"', message: 'no', reason: 'FieldValueForbidden', fieldPath: '.x' },
      {
        rule: 'oldSelf.hasValue() || self.n > 0',
        optionalOldSelf: true,
        messageExpression: '"x is " + self.x',
      },
    ),
  ],
];

it('a good definition is accepted', async () => {
  for (const [what, body] of accepted) {
    await using server: OpenedServer = await openServer({ clock: new VirtualClock() });
    const { status, body: answer } = await server.ask('POST', crds, { body });
    assert.equal(status, 201, `${what}: ${at(answer, '/message')}`);
  }
});
