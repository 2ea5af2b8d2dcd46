export { appendParts, entryBytes } from './log/append-parts.ts';
export type {
  JetStreamOptions,
  NatsCredentials,
  NatsTls,
} from './log/jetstream/connect-jetstream.ts';
export {
  inspectJetStream,
  type JetStreamHealth,
  type StreamHealth,
} from './log/jetstream/inspect-jetstream.ts';
export { type JetStreamLogOptions, openJetStreamLog } from './log/jetstream/jetstream-log.ts';
export { type LmdbLogOptions, openLmdbLog } from './log/lmdb-log.ts';
export type {
  Appended,
  AppendOptions,
  ConsumerCommit,
  Log,
  LogConsumer,
  LogEntry,
  LogRecord,
  LogStream,
  OutstandingRecord,
  ReadOptions,
  StreamOptions,
  StreamSize,
} from './log/log.ts';
export { LogError, type LogErrorCode } from './log/log-error.ts';
export { type MemoryLogOptions, openMemoryLog } from './log/memory-log.ts';
