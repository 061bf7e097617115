import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './logger.ts';

function lines(
  use: (log: ReturnType<typeof createLogger>) => void,
  level: 'debug' | 'info' = 'info',
): Record<string, unknown>[] {
  const written: string[] = [];
  use(
    createLogger('test', {
      level,
      redact: (t) => t.replaceAll('hunter2', '***'),
      write: (l) => written.push(l),
      traceId: () => 'abc',
    }),
  );
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a line has time, level, message, logger, trace and its fields in one spelling', () => {
  const [line] = lines((log) => log.info('incident opened', { incidentId: 'i1' }));
  assert.match(String(line?.time), /^\d{4}-.*Z$/);
  assert.deepEqual(
    {
      level: line?.level,
      msg: line?.msg,
      logger: line?.logger,
      trace_id: line?.trace_id,
      incident_id: line?.incident_id,
    },
    { level: 'info', msg: 'incident opened', logger: 'test', trace_id: 'abc', incident_id: 'i1' },
  );
});

test('secrets are taken out wherever they stand', () => {
  const text = JSON.stringify(
    lines((log) =>
      log.error('failed', {
        error: new Error('password was hunter2', { cause: new Error('hunter2 again') }),
        request: { headers: { authorization: 'Bearer abc' }, body: ['hunter2'] },
      }),
    ),
  );
  assert.ok(!text.includes('hunter2'));
  assert.ok(!text.includes('Bearer abc'));
});

test('what goes round in circles is cut, not followed', () => {
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  assert.match(JSON.stringify(lines((log) => log.info('ring', { ring }))), /too deep/);
});

test('lines below the level are not written', () => {
  assert.equal(lines((log) => log.debug('quiet')).length, 0);
  assert.equal(lines((log) => log.debug('loud'), 'debug').length, 1);
});
