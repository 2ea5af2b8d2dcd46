/**
 * An OpenAPI v2 document without paths, in the protobuf form of gnostic (OpenAPIv2.proto:
 * Document.swagger is field 1, Document.info field 2; Info.title field 1, Info.version field 2).
 * kubectl before 1.29 fetches the document before every create and apply and stops without one;
 * an empty one is enough for it. The whole document comes with all builtin kinds.
 */
export function emptyOpenApiV2(version: string): Uint8Array {
  const info = [...field(1, text('Kubernetes')), ...field(2, text(version))];
  return Uint8Array.from([...field(1, text('2.0')), ...field(2, info), ...field(8, [])]);
}

function text(value: string): readonly number[] {
  return [...Buffer.from(value)];
}

/** A length-delimited protobuf field shorter than 128 bytes. */
function field(number: number, content: readonly number[]): readonly number[] {
  return [(number << 3) | 2, content.length, ...content];
}
