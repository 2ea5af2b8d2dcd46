import { errorMessage } from '@fnlet/base';
import { applyJsonPatch, type JsonPatch, type KubeObject, StatusError } from '@fnlet/machinery';
import { forbidden, internalError } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { admissionWarningsMax, warningCharactersMax } from '../limits.ts';
import { isKubeObject } from '../object/object-form.ts';
import type { Resource } from '../resource/resource.ts';
import { type AdmissionAttributes, isExempt } from './admission-attributes.ts';
import { expressionValues } from './admission-expressions.ts';
import { admissionReview, parseVerdict, reviewRequest, type Verdict } from './admission-review.ts';
import { convertObject, createMatchWorld, showAs } from './admission-world.ts';
import { type MatchWorld, matchRequest } from './match-request.ts';
import type { MutationRound, Reinvocation } from './reinvocation.ts';
import type { Webhook } from './webhook.ts';
import { askWebhook, type WebhookPorts } from './webhook-client.ts';
import { WebhookConfigurations } from './webhook-configurations.ts';

/** What asking webhooks takes. */
export type AdmissionPorts = WebhookPorts & Pick<ApiContext, 'logger' | 'access'>;

/**
 * Asks webhooks about writes (admissionregistration.k8s.io/v1).
 *
 * I1. Mutating webhooks are asked one after the other, each about what those before it made of the
 *     object; validating ones at once, about what will be stored.
 * I2. Nobody is asked about the configurations of webhooks and policies themselves.
 * I3. A write that was refused, or could not be checked by one that must, is not made.
 */
export class WebhookAdmission {
  readonly #ports: AdmissionPorts;
  readonly #configurations: WebhookConfigurations;
  readonly #world: MatchWorld;

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
    this.#configurations = new WebhookConfigurations(ports.store);
    this.#world = createMatchWorld(ports);
  }

  asksAbout(resource: Resource): boolean {
    const { mutating, validating } = this.#configurations.current;
    return (mutating.length > 0 || validating.length > 0) && !isExempt(resource);
  }

  close(): void {
    this.#configurations.close();
  }

  /** The object as the webhooks want it; the same one when none wants a change. */
  async mutate(
    attributes: AdmissionAttributes,
    { reinvocation, round }: WebhookRound,
  ): Promise<KubeObject | undefined> {
    let { object } = attributes;
    reinvocation.begin(object, round);
    for (const webhook of this.#configurations.current.mutating) {
      if (!reinvocation.isDue(webhook)) continue;
      const changed = await this.#change(webhook, { ...attributes, object });
      if (changed === 'unasked') continue;
      if (changed !== undefined) {
        object = changed;
        reinvocation.changed();
      }
      if (webhook.isReinvoked) reinvocation.asked(webhook);
    }
    reinvocation.end(object);
    return object;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { validating } = this.#configurations.current;
    const asked = validating.map((webhook) => this.#ask(webhook, attributes));
    for (const outcome of await Promise.allSettled(asked)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  /** The object as one webhook makes it; undefined where it changes nothing. */
  async #change(
    webhook: Webhook,
    attributes: AdmissionAttributes,
  ): Promise<KubeObject | 'unasked' | undefined> {
    const answer = await this.#ask(webhook, attributes);
    if (answer === 'unasked') return answer;
    if (answer === undefined || answer.patch.length === 0) return undefined;
    const { shown, seenAs, patch } = answer;
    if (attributes.object === undefined || shown.object === undefined) {
      const text = 'attempted to modify the object, which is not supported for this operation';
      throw internalError(`admission webhook "${webhook.name}" ${text}`);
    }
    const patched = patchedObject(shown.object, patch);
    const { resource } = attributes;
    return seenAs === resource ? patched : await convertObject(patched, seenAs, resource);
  }

  /** What a webhook says; nothing where it could not be asked and need not be. */
  async #ask(
    webhook: Webhook,
    attributes: AdmissionAttributes,
  ): Promise<Answer | 'unasked' | undefined> {
    const seenAs = matchRequest(webhook, attributes, this.#world);
    if (seenAs === undefined) return 'unasked';
    const shown = await showAs(attributes, seenAs);
    const request = reviewRequest({ attributes, seenAs, shown }, this.#ports.random.uuid());
    const decide = await this.#ports.access.decider();
    const met = webhook.conditions.decide(() => expressionValues({ shown, request, decide }));
    if (met === 'unmet') return 'unasked';
    if (met !== 'met') {
      if (webhook.failurePolicy === 'Ignore') {
        this.#ignore(webhook, met.problem);
        return 'unasked';
      }
      const { type } = attributes.resource.strategy;
      throw forbidden(type, attributes.name, { text: met.problem });
    }
    const verdict = await this.#verdict(webhook, admissionReview(request), String(request.uid));
    if (verdict === undefined) return undefined;
    for (const text of verdict.warnings.slice(0, admissionWarningsMax)) {
      attributes.warn(text.slice(0, warningCharactersMax));
    }
    if (!verdict.allowed) throw new StatusError(verdict.status);
    return { shown, seenAs, patch: verdict.patch };
  }

  async #verdict(
    webhook: Webhook,
    review: ReturnType<typeof admissionReview>,
    uid: string,
  ): Promise<Verdict | undefined> {
    const { name, isMutating, client, timeoutMs, failurePolicy } = webhook;
    try {
      const answer = await askWebhook(this.#ports, client, { review, timeoutMs });
      return parseAnswer(answer, { name, isMutating, uid });
    } catch (error) {
      const problem = `failed calling webhook "${name}": ${errorMessage(error)}`;
      if (failurePolicy === 'Fail') throw internalError(problem);
      return this.#ignore(webhook, problem);
    }
  }

  #ignore({ name }: Webhook, problem: string): undefined {
    this.#ports.logger.warn(`A request goes on without webhook "${name}": ${problem}`);
    return undefined;
  }
}

/** One of the two times that webhooks are asked about a request. */
export interface WebhookRound {
  readonly reinvocation: Reinvocation<Webhook>;
  readonly round: MutationRound;
}

/** What one webhook said, and what it was shown. */
interface Answer {
  readonly shown: AdmissionAttributes;
  readonly seenAs: Resource;
  readonly patch: JsonPatch;
}

function parseAnswer(...[answer, asked]: Parameters<typeof parseVerdict>): Verdict {
  try {
    return parseVerdict(answer, asked);
  } catch (error) {
    throw new Error(`received invalid webhook response: ${errorMessage(error)}`, { cause: error });
  }
}

function patchedObject(object: KubeObject, patch: JsonPatch): KubeObject {
  try {
    const patched = applyJsonPatch(object, patch);
    if (isKubeObject(patched)) return patched;
  } catch (error) {
    throw internalError(errorMessage(error));
  }
  throw internalError('the patch of a webhook leaves no object');
}
