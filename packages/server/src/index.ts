export { resolveConfig, type ServerConfig, type Setting, settings } from './config.ts';
export { type ConsoleLoggerOptions, createConsoleLogger } from './console-logger.ts';
export type { ServerOptions } from './house.ts';
export { type Endpoints, type Server, startServer } from './server.ts';
