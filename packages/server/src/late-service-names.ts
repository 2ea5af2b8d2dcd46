import { type Client, createClient } from '@fnlet/client';
import type { Responder } from '@fnlet/gateway';
import type { House } from './house.ts';

/** Tells Runners what names of Services lead to; what finds it out is loaded when one asks. */
export function createLateServiceNames({ options, server }: House): Responder {
  let client: Client | undefined;
  return {
    bodyBytesMax: 0,
    async respond(request, signal) {
      const { clock } = options;
      client ??= createClient(server.transport(), { fieldManager: 'fnlet-names', clock });
      const { answerServiceName } = await import('./service-names.ts');
      return answerServiceName(client, request, signal);
    },
  };
}
