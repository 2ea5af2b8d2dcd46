export {
  isSigned,
  type SignatureScheme,
  type SignedRequest,
  type WebhookSignature,
} from './webhook/webhook-signature.ts';
