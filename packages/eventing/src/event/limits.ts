/** Every bound of what an event is read from and its reason. */
export const eventLimits = {
  /** Attributes of one event: real ones have ten; each becomes a header of a delivery. */
  attributesMax: 64,
  /** Characters of a name: the specification asks for 20 and forbids no more. */
  nameCharactersMax: 64,
  /** Names and values together: they have to fit among the 16 kB of headers that Node reads. */
  attributeCharactersMax: 8_192,
  /** Events of one batch: they are accepted in one append. */
  batchEventsMax: 1_000,
  /** A packed event: what the log takes. */
  keptBytesMax: 1_000_000,
  /** What the attributes of an event can take in it, each character escaped in JSON. */
  attributeBytesMax: 65_536,
  /** Beyond it the digest of source and id stands for them: an id of the log is short. */
  identityCharactersMax: 256,
  /** What an error quotes of a value. */
  quotedCharactersMax: 64,
} as const;
