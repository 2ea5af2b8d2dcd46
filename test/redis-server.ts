import { createServer, type Socket } from 'node:net';

/** As much of Redis as a store of texts needs, in memory. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number;
}

/** A Redis that wants this password, on an address of its own or on this machine's. */
export async function startRedisServer(
  password: string,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<RedisServer> {
  const texts = new Map<string, string>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let isKnown = false;
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const { commands, rest } = readCommands(received);
      received = rest;
      for (const [name = '', ...words] of commands) {
        const given = name.toUpperCase() === 'AUTH' ? words.at(-1) : undefined;
        isKnown ||= given === password;
        const isRefused = given === undefined ? !isKnown : given !== password;
        socket.write(
          isRefused ? '-NOAUTH Authentication required.\r\n' : answer(texts, name, words),
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(texts: Map<string, string>, name: string, words: readonly string[]): string {
  const [key = '', value = ''] = words;
  switch (name.toUpperCase()) {
    case 'GET': {
      const found = texts.get(key);
      return found === undefined ? '$-1\r\n' : `$${found.length}\r\n${found}\r\n`;
    }
    case 'DEL':
      return `:${texts.delete(key) ? 1 : 0}\r\n`;
    case 'SET':
      texts.set(key, value);
      return '+OK\r\n';
    default:
      return '+OK\r\n';
  }
}

/** Whole commands of the protocol of Redis (RESP): lists of texts, each with its length. */
function readCommands(received: string): {
  readonly commands: readonly (readonly string[])[];
  readonly rest: string;
} {
  const commands: (readonly string[])[] = [];
  let rest = received;
  for (;;) {
    const count = /^\*(\d+)\r\n/.exec(rest);
    if (count === null) return { commands, rest };
    const words: string[] = [];
    let at = count[0].length;
    for (let index = 0; index < Number(count[1]); index++) {
      const length = /^\$(\d+)\r\n/.exec(rest.slice(at));
      if (length === null) return { commands, rest };
      at += length[0].length;
      const end = at + Number(length[1]);
      if (rest.length < end + 2) return { commands, rest };
      words.push(rest.slice(at, end));
      at = end + 2;
    }
    commands.push(words);
    rest = rest.slice(at);
  }
}
