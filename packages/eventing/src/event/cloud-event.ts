/** What an attribute can hold, once it is read: binary, URI and time are texts on every wire. */
export type AttributeValue = string | number | boolean;

/** Attributes by name, extensions among them; names are lower case letters and digits. */
export interface EventAttributes {
  readonly id: string;
  /** A URI reference; together with `id` it tells which event this is. */
  readonly source: string;
  readonly type: string;
  readonly specversion: '1.0';
  readonly subject?: string;
  /** RFC 3339. */
  readonly time?: string;
  /** Media type of the data. Default: none; without data there is nothing to type. */
  readonly datacontenttype?: string;
  readonly dataschema?: string;
  readonly [extension: string]: AttributeValue | undefined;
}

/** An event as CloudEvents 1.0 defines it. */
export interface CloudEvent {
  readonly attributes: EventAttributes;
  /** The bytes as they came, `datacontenttype` says of what. */
  readonly data: Uint8Array | undefined;
}
