import type { SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import type { AwsCredentials } from './aws-signature.ts';

/**
 * The keys of a Secret: named as in AWS' file of credentials, and as Kubeless has them; or in upper
 * case, as AWS names them in the environment.
 *
 * @throws SourceError `Forbidden` when the Secret lacks one: it may come later
 */
export async function readAwsCredentials(
  secret: string,
  context: Pick<SourceContext, 'secret'>,
): Promise<AwsCredentials> {
  const read = async (key: string): Promise<string | undefined> => {
    const value =
      (await context.secret(secret, key)) ?? (await context.secret(secret, key.toUpperCase()));
    return value?.trim();
  };
  const [accessKeyId = '', secretAccessKey = '', sessionToken = ''] = await Promise.all(
    ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'].map(read),
  );
  if (accessKeyId === '' || secretAccessKey === '') {
    throw new SourceError(
      'Forbidden',
      `Cannot use Secret "${secret}": expected the keys aws_access_key_id and aws_secret_access_key`,
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
}
