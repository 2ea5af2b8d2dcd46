import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGoDeclarations } from './go-declarations.ts';

const source = `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +enum
type Protocol string

const (
	// ProtocolTCP is the TCP protocol.
	ProtocolTCP Protocol = "TCP"
	ProtocolUDP Protocol = "UDP"
)

/*
type Old struct {
*/

// +genclient
// Port is a port.
type Port struct {
	metav1.TypeMeta \`json:",inline"\`
	// +listType=map
	// +listMapKey=port
	// The ports.
	Ports []*Port \`json:"ports,omitempty" patchStrategy:"merge" protobuf:"bytes,1,rep,name=ports"\` // twice
}

type Empty struct{}
`;

test('parseGoDeclarations() reads types, tags, markers, constants and imports', () => {
  const { types, constants, imports } = parseGoDeclarations(source);
  assert.deepEqual(
    types.map(({ name }) => name),
    ['Protocol', 'Port', 'Empty'],
  );
  assert.deepEqual(types[0], { name: 'Protocol', markers: ['enum'], underlying: 'string' });
  assert.deepEqual(types[1]?.markers, ['genclient']);
  const [meta, ports] = types[1]?.fields ?? [];
  assert.equal(meta?.type, 'metav1.TypeMeta');
  assert.equal(ports?.type, '[]*Port');
  assert.deepEqual(ports?.markers, ['listType=map', 'listMapKey=port']);
  assert.equal(ports?.tags.get('json'), 'ports,omitempty');
  assert.equal(ports?.tags.get('patchStrategy'), 'merge');
  assert.deepEqual(constants.get('Protocol'), ['TCP', 'UDP']);
  assert.equal(imports.get('metav1'), 'k8s.io/apimachinery/pkg/apis/meta/v1');
  assert.equal(imports.get('intstr'), 'k8s.io/apimachinery/pkg/util/intstr');
});

test('parseGoDeclarations() refuses a field that it cannot read', () => {
  assert.throws(() => parseGoDeclarations('type A struct {\n\tB func()\n}\n'), /Cannot read/);
});
