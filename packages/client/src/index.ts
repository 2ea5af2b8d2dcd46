export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
