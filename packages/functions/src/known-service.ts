import { canonicalJson, isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Service } from './core-kinds.ts';
import { projectObject } from './project-object.ts';

/** What is remembered of the Service of a Function: there are as many as Functions. */
export interface KnownService extends KubeObject {
  /** Which Pods it leads to. */
  readonly selects?: string;
  /** Each of its ports, with a space before and behind it. */
  readonly opens?: string;
}

/** Whose it is, and what Fnlet has said of it. */
export function projectService(service: KnownService): KnownService {
  return { ...projectObject(service), ...essenceOf('spec' in service ? service.spec : undefined) };
}

/** Whether somebody has changed what Fnlet has said; what they have added stays theirs. */
export function isChangedService({ selects, opens = '' }: KnownService, plan: Service): boolean {
  const wanted = essenceOf(plan.spec);
  if (selects !== wanted.selects) return true;
  const ports = wanted.opens.split(' ').filter((port) => port !== '');
  return !ports.every((port) => opens.includes(` ${port} `));
}

function essenceOf(spec: unknown): Required<Pick<KnownService, 'selects' | 'opens'>> {
  const { selector = {}, ports = [] } = isJsonObject(spec) ? spec : {};
  const named = (Array.isArray(ports) ? ports : []).filter(isJsonObject).map((port) => {
    return [port.name, port.port, port.targetPort, port.protocol].join('/');
  });
  return { selects: canonicalJson(selector), opens: ` ${named.join(' ')} ` };
}
