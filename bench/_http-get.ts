import { Agent, get } from 'node:http';

// One connection that stays: what is measured is the call, not the connecting.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** The body of a GET, over one kept connection; anything but 200 is an error. */
export function httpGet(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${url} answered ${answer.statusCode}: ${text}`));
      });
    });
    request.on('error', reject);
  });
}
