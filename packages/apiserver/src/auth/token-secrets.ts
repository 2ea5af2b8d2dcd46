import type { KubeObject } from '@fnlet/machinery';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { ControllerLoop } from '../controllers/controller-loop.ts';
import { controllerManager } from '../crd/crd-controller.ts';
import { objectField, textField, withFields, withMetadata } from '../object/object-form.ts';
import { collectionPrefix } from '../object/object-keys.ts';
import { readObject, storedObjects } from '../object/objects.ts';
import type { Resource } from '../resource/resource.ts';
import { deleteObject } from '../write/delete.ts';
import { updateObject } from '../write/update.ts';
import { formatLegacyClaims } from './token-claims.ts';
import { accountNameAnnotation, tokenSecretType } from './token-secret-type.ts';

const accountUidAnnotation = 'kubernetes.io/service-account.uid';

/**
 * Fills Secrets of {@link tokenSecretType} with a token that does not expire, and deletes them when
 * their ServiceAccount is not there, or no longer the one they were made for (tokens controller).
 */
export class TokenSecrets {
  readonly #context: ApiContext;
  readonly #secrets: Resource;
  readonly #accounts: Resource;
  readonly #caPem: string;
  /** One follows the Secrets, the other the ServiceAccounts that go. */
  readonly loops: readonly ControllerLoop[];

  constructor(
    context: ApiContext,
    resources: { readonly secrets: Resource; readonly accounts: Resource },
    caPem: string,
  ) {
    this.#context = context;
    this.#secrets = resources.secrets;
    this.#accounts = resources.accounts;
    this.#caPem = caPem;
    const prefix = collectionPrefix(this.#secrets.strategy);
    const secrets = new ControllerLoop(context, {
      name: 'token controller',
      prefix,
      observe: ({ key, value }) =>
        value?.type === tokenSecretType ? [key.slice(prefix.length)] : [],
      reconcile: (place) => this.#reconcile(place),
    });
    const accountPrefix = collectionPrefix(this.#accounts.strategy);
    const accounts = new ControllerLoop(context, {
      name: 'token controller (accounts)',
      prefix: accountPrefix,
      observe: ({ key, value }) => (value === undefined ? [key.slice(accountPrefix.length)] : []),
      reconcile: async (place) => {
        for (const secret of this.#secretsOf(place)) secrets.enqueue(secret);
        return undefined;
      },
    });
    this.loops = [secrets, accounts];
  }

  *#secretsOf(place: string): Generator<string, void, undefined> {
    const [namespace = '', account] = place.split('/');
    for (const secret of storedObjects(this.#context, this.#secrets, namespace)) {
      if (secret.type === tokenSecretType && accountOf(secret) === account) {
        yield `${namespace}/${secret.metadata.name}`;
      }
    }
  }

  async #reconcile(place: string): Promise<undefined> {
    const [namespace = '', name = ''] = place.split('/');
    const key = { namespace, name };
    const secret = readObject(this.#context, this.#secrets, key)?.object;
    if (secret?.type !== tokenSecretType) return;
    const account = this.#accountFor(secret, namespace);
    try {
      if (account === undefined) {
        const { uid = '' } = secret.metadata;
        await deleteObject(this.#context, this.#secrets, { key, uid });
      } else if (!this.#isFilled(secret)) {
        await this.#fill(key, secret, account);
      }
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  #accountFor(secret: KubeObject, namespace: string): KubeObject | undefined {
    const key = { namespace, name: accountOf(secret) };
    const account = readObject(this.#context, this.#accounts, key)?.object;
    const made = secret.metadata.annotations?.[accountUidAnnotation] ?? '';
    return made === '' || made === account?.metadata.uid ? account : undefined;
  }

  #isFilled(secret: KubeObject): boolean {
    const data = objectField(secret, 'data');
    const ca = textField(data, 'ca.crt');
    return (
      textField(data, 'token') !== '' &&
      textField(data, 'namespace') !== '' &&
      (ca !== '' || this.#caPem === '') &&
      secret.metadata.annotations?.[accountUidAnnotation] !== undefined
    );
  }

  async #fill(
    key: { namespace: string; name: string },
    secret: KubeObject,
    account: KubeObject,
  ): Promise<void> {
    const { name, uid = '' } = account.metadata;
    const { namespace } = key;
    const claims = { namespace, account: { name, uid }, secret: key.name };
    const token = await this.#context.tokenIssuer.issue(formatLegacyClaims(claims));
    const texts = { 'ca.crt': this.#caPem, namespace, token };
    const filled = Object.entries(texts).map(([field, text]) => [field, encode(text)] as const);
    await updateObject(this.#context, this.#secrets, {
      key,
      dryRun: false,
      propose: (current) => {
        const annotations = { ...current.metadata.annotations, [accountUidAnnotation]: uid };
        // What somebody else has made of the name is not to be filled.
        const pinned = { annotations, uid: secret.metadata.uid };
        const data = { ...Object.fromEntries(filled), ...objectField(current, 'data') };
        const object = withFields(withMetadata(current, pinned), { data });
        return { object, manager: controllerManager };
      },
    });
  }
}

function accountOf(secret: KubeObject): string {
  return secret.metadata.annotations?.[accountNameAnnotation] ?? '';
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
