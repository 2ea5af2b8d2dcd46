/** What a client shows to get in; texts are PEM or a bearer token. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly certData?: string | undefined;
  readonly keyData?: string | undefined;
}

/** Where credentials come from that do not last: a file that is rotated, a plugin. */
export interface CredentialSource {
  /** Those of now; asked before every request, so it answers from memory where it can. */
  read(signal?: AbortSignal): Promise<Credentials>;
  /** The server has refused what was read last (401): the next ones must be new. */
  refuse(): void;
}
