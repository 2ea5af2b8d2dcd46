/** Every bound of what policies remember and read, and its reason. */
export const policyLimits = {
  /** Clients of one rate limit: about 100 bytes each. Beyond, see `rate-limiter.ts`. */
  rateClientsMax: 20_000,
  /** Characters of a key that clients choose themselves; longer ones count as one. */
  rateKeyCharactersMax: 256,
  /** Passwords and tokens that were checked: of as many as call at the same time. */
  rememberedCredentialsMax: 1_000,
  /** User name and password in base64. SHA-crypt takes the square of their length. */
  passwordCharactersMax: 512,
  /** Passwords that wait for bcrypt: at the dearest cost, half of what a request may wait. */
  bcryptChecksMax: 16,
  /** 2 to the power of it are the rounds: a third of a second. Each step takes twice as long. */
  bcryptCostMax: 12,
  /** A token in a header; those of issuers with many groups reach 4 KB. */
  tokenCharactersMax: 16_384,
  /** Keys of one issuer: two or three while it rotates them. Each is tried for tokens without kid. */
  issuerKeysMax: 32,
  /** Issuers whose keys are kept. */
  issuersMax: 256,
  /** Characters of what an issuer answers. */
  issuerAnswerBytesMax: 524_288,
  /** How long an issuer may take for one answer: a request waits for it. */
  issuerTimeoutMs: 5_000,
  /** How long keys are used without a look whether there are others. */
  keysFreshMs: 600_000,
  /** How long after that they are still used while the issuer cannot be asked. */
  keysStaleMs: 3_600_000,
  /** How often an issuer is asked at most, whatever key identifiers tokens name. */
  keysAskedEveryMs: 30_000,
  /** Answers compressed at once: an encoder has up to a megabyte, and the thread pool few threads. */
  compressionsMax: 128,
  /** How long a client may refuse to read the rest of an answer that is being compressed. */
  compressedStallMs: 60_000,
} as const;
