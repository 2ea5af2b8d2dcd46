import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinitionSpec } from '@fnlet/machinery';
import { writeKindSource } from './kind-source.ts';

const spec: CustomResourceDefinitionSpec = {
  group: 'example.dev',
  scope: 'Cluster',
  names: { kind: 'Widget', plural: 'widgets' },
  versions: [
    {
      name: 'v2',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          description: 'A widget.',
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
            spec: {
              type: 'object',
              description: 'What is wanted.\nAll of it. */ evil();',
              required: ['size'],
              properties: {
                size: { type: 'integer' },
                'odd-name': { type: 'string', enum: ["it's", 'b"q'] },
                mode: { type: 'string', default: 'slow' },
                port: { 'x-kubernetes-int-or-string': true },
                tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
                rows: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
                labels: { type: 'object', additionalProperties: { type: 'boolean' } },
                any: { 'x-kubernetes-preserve-unknown-fields': true },
                open: {
                  type: 'object',
                  nullable: true,
                  properties: { a: { type: 'string' } },
                  'x-kubernetes-preserve-unknown-fields': true,
                },
                template: { type: 'object', 'x-kubernetes-embedded-resource': true },
              },
            },
            status: { type: 'object', properties: { ready: { type: 'boolean' } } },
          },
        },
      },
    },
    { name: 'v1', served: false, storage: false },
  ],
};

const expected = `
// widgets.example.dev in v2, written by "fnlet operator types".

/** A widget. */
export interface Widget extends ObjectShape {
  /**
   * What is wanted.
   * All of it. *\\/ evil();
   */
  readonly spec?: {
    readonly size: number;
    readonly 'odd-name'?: 'it\\'s' | 'b"q';
    readonly mode: string;
    readonly port?: number | string;
    readonly tags?: readonly ('a' | 'b')[];
    readonly rows?: readonly (readonly number[])[];
    readonly labels?: Readonly<Record<string, boolean>>;
    readonly any?: unknown;
    readonly open?: {
      readonly a?: string;
      readonly [field: string]: unknown;
    } | null;
    readonly template?: ObjectShape & Readonly<Record<string, unknown>>;
  };
  readonly status?: {
    readonly ready?: boolean;
  };
}

export const Widget: Kind<Widget> = kind({
  group: 'example.dev',
  version: 'v2',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Cluster',
});
`;

test('writeKindSource() writes the types of a CRD, and the kind', () => {
  assert.equal(writeKindSource(spec), expected);
  assert.equal(writeKindSource(spec, 'v2'), expected);
});

test('writeKindSource() takes no version that is not served', () => {
  assert.equal(writeKindSource(spec, 'v1'), undefined);
  assert.equal(writeKindSource(spec, 'v3'), undefined);
});

test('writeKindSource() takes the newest version, wherever it stands', () => {
  const named = ['v1alpha1', 'v1', 'v2', 'v2beta1'];
  const versions = named.map((name) => ({ name, served: name !== 'v2', storage: name === 'v2' }));
  assert.match(writeKindSource({ ...spec, versions }) ?? '', /version: 'v1',/);
});

test('a kind without a schema has any fields', () => {
  const source = writeKindSource({
    ...spec,
    versions: [{ name: 'v1', served: true, storage: true }],
  });
  assert.match(
    source ?? '',
    /interface Widget extends ObjectShape \{\n {2}readonly \[field: string\]: unknown;\n\}/,
  );
});
