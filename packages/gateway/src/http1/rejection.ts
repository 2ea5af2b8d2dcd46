/** Why bytes are not the HTTP/1.1 message that they claim to be. A value, not an exception. */
export class Rejection {
  /** The status that a client gets for it. */
  readonly status: number;
  readonly message: string;

  constructor(status: number, message: string) {
    this.status = status;
    this.message = message;
  }
}
