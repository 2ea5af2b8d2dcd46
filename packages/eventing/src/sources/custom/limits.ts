/** Every bound of events of programs of users and its reason. */
export const customLimits = {
  /** Characters of a token, of 27 kinds: 190 bits. */
  tokenCharacters: 40,
  /** How long a token is believed to be the one in the Secret: each request would have it read. */
  tokenMs: 5_000,
  /** How often a token that is not the known one has the Secret read: anybody may send one. */
  tokenAgainMs: 1_000,
} as const;
