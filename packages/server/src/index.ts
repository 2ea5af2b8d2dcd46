export { resolveConfig, type ServerConfig, type Setting, settings } from './config.ts';
export { type ConsoleLoggerOptions, createConsoleLogger } from './console-logger.ts';
export { type Endpoints, type Server, type ServerOptions, startServer } from './server.ts';
