import { errorMessage } from '@fnlet/base';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

export interface PublishFlags {
  readonly url: string;
  readonly topic: string;
  readonly message: string;
}

/** How long a server may take to let one in. */
const connectMs = 5_000;

/** `kubeless trigger nats publish`: sends a message to a server that this machine reaches. */
export async function publishToNats(
  { url, topic, message }: PublishFlags,
  { stderr }: CliContext,
): Promise<void> {
  const { connect } = await import('@nats-io/transport-node');
  try {
    const connection = await connect({ servers: url, timeout: connectMs, reconnect: false });
    try {
      connection.publish(topic, message);
      await connection.flush();
    } finally {
      await connection.close();
    }
  } catch (cause) {
    const text = `Failed to publish message to topic: ${errorMessage(cause)}`;
    throw new CliError(exitCodes.failed, text, { cause });
  }
  stderr.write(`Published [${topic}] : '${message}'\n`);
}
