import type { Config } from '@hephaisto/core/config/schema';
import { StorageRefused, StoreRejected, StoreUnavailable } from '@hephaisto/core/ports/database';
import { CommandFailed, EXIT } from './exit.ts';

/** Why a start failed, as an exit code and a sentence. What is not recognised is passed on as it is. */
export function bootFailure(error: unknown, config: Config, portOption = 'server.port'): unknown {
  if (error instanceof StorageRefused || error instanceof CommandFailed) return error;
  const code = codeOf(error);
  if (code === 'EADDRINUSE')
    return new CommandFailed(
      EXIT.portTaken,
      `expected port ${config.server.port} on ${config.server.host} to be free, found it taken; stop who has it or choose another with ${portOption}`,
      error,
    );
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new CommandFailed(
      EXIT.surroundings,
      `expected to listen on ${config.server.host}:${config.server.port}, found ${code}; choose an address and port that we may use`,
      error,
    );
  switch (tagOf(error)) {
    case 'PolicyRefused':
      return new CommandFailed(EXIT.usage, messageOf(error), error);
    case 'ClusterUnreachable':
      return new CommandFailed(EXIT.surroundings, messageOf(error), error);
    case 'OverPrivileged':
      return new CommandFailed(EXIT.overPrivileged, messageOf(error), error);
    default:
      break;
  }
  if (error instanceof StoreUnavailable || error instanceof StoreRejected)
    return new CommandFailed(
      EXIT.surroundings,
      `expected the database to answer, found ${error.message}; is it running, and is database.url right?`,
      error,
    );
  return error;
}

function tagOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'tag' in error ? error.tag : undefined;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
