import type { KubeObject } from '@fnlet/machinery';
import type { Resource } from '../resource/resource.ts';
import type { Admission } from './admission.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import { checkParamAccess, needsParamAccess } from './policy/param-access.ts';
import { PolicyAdmission } from './policy/policy-admission.ts';
import { type AdmissionPorts, WebhookAdmission } from './webhook-admission.ts';

/** Everybody who is asked about writes: policies, which are here, before webhooks, which are not. */
export class RequestAdmission implements Admission {
  readonly #ports: AdmissionPorts;
  readonly #policies: PolicyAdmission;
  readonly #webhooks: WebhookAdmission;

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
    this.#policies = new PolicyAdmission(ports);
    this.#webhooks = new WebhookAdmission(ports);
  }

  asksAbout(resource: Resource): boolean {
    return (
      this.#policies.asksAbout(resource) ||
      this.#webhooks.asksAbout(resource) ||
      needsParamAccess(resource)
    );
  }

  async mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
    const isAsked = this.#webhooks.asksAbout(attributes.resource);
    return isAsked ? await this.#webhooks.mutate(attributes) : attributes.object;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource } = attributes;
    if (needsParamAccess(resource)) await checkParamAccess(this.#ports, attributes);
    if (this.#policies.asksAbout(resource)) await this.#policies.validate(attributes);
    if (this.#webhooks.asksAbout(resource)) await this.#webhooks.validate(attributes);
  }

  close(): void {
    this.#policies.close();
    this.#webhooks.close();
  }
}
