/** Where AWS has Kinesis in a region. */
export function kinesisEndpoint(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://kinesis.${region}.${domain}`;
}
