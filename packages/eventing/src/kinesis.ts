export type { EventPort } from './delivery/url-target.ts';
export type { AwsCredentials } from './sources/kinesis/aws-signature.ts';
export {
  KinesisClient,
  type KinesisClientOptions,
  type NewRecord,
  type RecordPlace,
} from './sources/kinesis/kinesis-client.ts';
export { kinesisEndpoint } from './sources/kinesis/kinesis-endpoint.ts';
export { KinesisError, type KinesisErrorCode } from './sources/kinesis/kinesis-error.ts';
export { readAwsCredentials } from './sources/kinesis/kinesis-identity.ts';
