import { request } from 'node:http';
import type { EventPort } from '../src/delivery/url-target.ts';

/** The way out, to servers of tests. */
export const httpPort: EventPort = {
  post: ({ url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const sending = request(url, { method: 'POST', headers, signal }, async (response) => {
        try {
          const chunks: Buffer[] = await response.toArray();
          const { statusCode: status = 0 } = response;
          const { date = '' } = response.headers;
          resolve({ status, headers: { date }, body: Buffer.concat(chunks) });
        } catch (error) {
          reject(error);
        }
      });
      sending.once('error', reject);
      sending.end(body);
    }),
};
