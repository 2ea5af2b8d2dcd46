import type { JsonObject, Logger } from '@fnlet/base';

/** A logger that adds `scope` to the fields of everything that is said. */
export function scopedLogger(logger: Logger, scope: JsonObject): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { ...scope, ...fields }),
    info: (message, fields) => logger.info(message, { ...scope, ...fields }),
    warn: (message, fields) => logger.warn(message, { ...scope, ...fields }),
    error: (message, fields) => logger.error(message, { ...scope, ...fields }),
  };
}
