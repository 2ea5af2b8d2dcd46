import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import type { NetworkProbe, ProbeOutcome } from './container-runtime.ts';
import { limits } from './limits.ts';

/** Asks once, as a kubelet does: 200 to 399 is well, and so is a connection that opens. */
export function probeNetwork(probe: NetworkProbe): Promise<ProbeOutcome> {
  return probe.kind === 'tcp' ? probeTcp(probe) : probeHttp(probe);
}

function probeTcp({ host, port, timeoutMs }: NetworkProbe): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (outcome: ProbeOutcome): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.once('timeout', () =>
      end({ ok: false, message: `dial tcp ${host}:${port}: i/o timeout` }),
    );
    socket.once('connect', () => end({ ok: true, message: '' }));
    socket.once('error', (error) =>
      end({ ok: false, message: `dial tcp ${host}:${port}: ${error.message}` }),
    );
  });
}

function probeHttp(probe: NetworkProbe): Promise<ProbeOutcome> {
  const { host, port, path, secure, headers, timeoutMs } = probe;
  const url = `${secure ? 'https' : 'http'}://${host}:${port}${path}`;
  const failed = (found: string): ProbeOutcome => ({
    ok: false,
    message: `Get "${url}": ${found}`,
  });
  return new Promise((resolve) => {
    const options = {
      ...{ host, port, path, agent: false as const, rejectUnauthorized: false },
      headers: { 'user-agent': 'kube-probe/fnlet', accept: '*/*', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    };
    const request = (secure ? requestHttps : requestHttp)(options, (response) => {
      const { statusCode = 0 } = response;
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (body.length < limits.probeMessageCharactersMax) body += text;
      });
      const end = (): void => {
        const ok = statusCode >= 200 && statusCode < 400;
        const message = ok ? body : `HTTP probe failed with statuscode: ${statusCode}`;
        resolve({ ok, message: message.slice(0, limits.probeMessageCharactersMax) });
      };
      response.once('end', end);
      response.once('error', (error) => resolve(failed(error.message)));
    });
    request.once('error', (error) => {
      const isLate = error.name === 'AbortError' || error.name === 'TimeoutError';
      resolve(failed(isLate ? 'context deadline exceeded' : error.message));
    });
    request.end();
  });
}
