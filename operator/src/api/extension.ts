import type { Caller } from '@hephaisto/core/principal/access';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from './access-table.ts';

/** Lets a request in as the extension's table says, or throws the problem that refuses it. */
export type Admit = (key: string, request: FastifyRequest) => Promise<Caller | undefined>;

/**
 * Routes that not every installation has, with who may call them: the same rule as for the API's own, that a route without an entry
 * stops the start. `register` is called once, before the server listens.
 */
export interface ApiExtension {
  readonly access: Readonly<Record<string, Access>>;
  register(app: FastifyInstance, admit: Admit): void | Promise<void>;
}
