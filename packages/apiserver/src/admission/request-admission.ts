import type { KubeObject } from '@fnlet/machinery';
import type { Resource } from '../resource/resource.ts';
import type { Admission } from './admission.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import { MutatingPolicies } from './policy/mutating-policies.ts';
import { checkParamAccess, needsParamAccess } from './policy/param-access.ts';
import { ValidatingPolicies } from './policy/validating-policies.ts';
import { type MutationRound, Reinvocation } from './reinvocation.ts';
import type { Webhook } from './webhook.ts';
import { type AdmissionPorts, WebhookAdmission } from './webhook-admission.ts';

/** Everybody who is asked about writes: policies, which are here, before webhooks, which are not. */
export class RequestAdmission implements Admission {
  readonly #ports: AdmissionPorts;
  readonly #mutating: MutatingPolicies;
  readonly #validating: ValidatingPolicies;
  readonly #webhooks: WebhookAdmission;

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
    this.#mutating = new MutatingPolicies(ports);
    this.#validating = new ValidatingPolicies(ports);
    this.#webhooks = new WebhookAdmission(ports);
  }

  asksAbout(resource: Resource): boolean {
    return (
      this.#mutating.asksAbout(resource) ||
      this.#validating.asksAbout(resource) ||
      this.#webhooks.asksAbout(resource) ||
      needsParamAccess(resource)
    );
  }

  async mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
    const policies = new Reinvocation<string>();
    const webhooks = new Reinvocation<Webhook>();
    const { resource } = attributes;
    const [asksPolicies, asksWebhooks] = [
      this.#mutating.asksAbout(resource),
      this.#webhooks.asksAbout(resource),
    ];
    let { object } = attributes;
    const askAll = async (round: MutationRound): Promise<void> => {
      if (asksPolicies) {
        const by = { reinvocation: policies, round };
        object = await this.#mutating.mutate({ ...attributes, object }, by);
      }
      if (asksWebhooks) {
        const by = { reinvocation: webhooks, round };
        object = await this.#webhooks.mutate({ ...attributes, object }, by);
      }
    };
    await askAll('first');
    // Once more, and no more than once (KEP-492).
    if (policies.isWanted || webhooks.isWanted) await askAll('second');
    return object;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource } = attributes;
    if (needsParamAccess(resource)) await checkParamAccess(this.#ports, attributes);
    if (this.#validating.asksAbout(resource)) await this.#validating.validate(attributes);
    if (this.#webhooks.asksAbout(resource)) await this.#webhooks.validate(attributes);
  }

  close(): void {
    this.#mutating.close();
    this.#validating.close();
    this.#webhooks.close();
  }
}
