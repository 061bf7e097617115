import { z } from 'zod';
import { duration } from '../duration.ts';

/** Where everything is kept. */
export const databaseSection = z.strictObject({
  kind: z
    .enum(['embedded', 'postgres'])
    .default('embedded')
    .describe(
      '`embedded` keeps a folder on disk and serves one process; `postgres` is a server, for several replicas.',
    ),
  folder: z.string().min(1).default('./hephaisto-data').describe('Folder of the embedded database.'),
  url: z.string().min(1).optional().describe('Connection string of the server. Prefer `urlFile`.'),
  urlFile: z.string().min(1).optional().describe('File that holds the connection string; read at start.'),
  poolSize: z.int().min(2).max(100).default(10).describe('Connections to the server a replica may open.'),
  statementTimeout: duration('30s', { min: '1s', max: '10m' }).describe('How long one statement may run.'),
});
