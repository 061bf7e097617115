import { parseConfig } from '@hephaisto/core/config/parse';
import { type Operator, startOperator } from '@hephaisto/operator/main';
import type { FaultRule, FromOperator, ToOperator } from './operator-messages.ts';

/**
 * Runs one operator as a process of its own, for tests: told everything over the parent's channel and nothing by the environment, and able
 * to kill, stop or hold itself at a named fault point, which the product's own entries cannot.
 */
function main(): void {
  const rules: FaultRule[] = [];
  const held = new Map<string, () => void>();
  let operator: Operator | undefined;

  /** Resolves once the parent's end of the channel has the message, so that it is told before we are gone. */
  function tell(message: FromOperator): Promise<void> {
    return new Promise((resolve) => {
      if (process.send === undefined) resolve();
      else process.send(message, () => resolve());
    });
  }

  async function hit(point: string): Promise<void> {
    const rule = rules.find((each) => each.point === point);
    if (rule === undefined) return;
    if ((rule.skip ?? 0) > 0) {
      rules[rules.indexOf(rule)] = { ...rule, skip: (rule.skip ?? 0) - 1 };
      return;
    }
    rules.splice(rules.indexOf(rule), 1);
    await tell({ type: 'fault', point, did: rule.does });
    if (rule.does === 'kill') process.kill(process.pid, 'SIGKILL');
    if (rule.does === 'stop') process.kill(process.pid, 'SIGSTOP');
    if (rule.does === 'hold') await new Promise<void>((resolve) => held.set(point, resolve));
    if (rule.does === 'throw') throw new Error(`a test broke \`${point}\``);
  }

  async function start(message: Extract<ToOperator, { type: 'start' }>): Promise<void> {
    rules.push(...message.faults);
    const parsed = parseConfig(message.config, {});
    if (parsed.kind === 'refused') throw new Error(`configuration refused: ${JSON.stringify(parsed.problems)}`);
    operator = await startOperator(parsed.config, {
      ...(message.kubeconfigYaml === undefined ? {} : { kubeconfigYaml: message.kubeconfigYaml }),
      ...(message.policyText === undefined ? {} : { policyText: message.policyText }),
      actingSettings: message.actingSettings,
      ...(message.leaseTimes === undefined ? {} : { leaseTimes: message.leaseTimes }),
      faults: { hit },
    });
    await tell({ type: 'ready', url: operator.url, cluster: operator.cluster });
  }

  async function query({ id, text, values }: Extract<ToOperator, { type: 'query' }>): Promise<void> {
    try {
      const rows = await operator?.db.query(text, values);
      await tell({ type: 'rows', id, rows: rows ?? [], ...(rows === undefined ? { error: 'not started' } : {}) });
    } catch (error: unknown) {
      await tell({ type: 'rows', id, rows: [], error: String(error) });
    }
  }

  process.on('message', (message: ToOperator) => {
    if (message.type === 'start')
      void start(message).catch(async (error: unknown) => {
        await tell({
          type: 'failed',
          message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
        process.exit(1);
      });
    if (message.type === 'faults') rules.splice(0, rules.length, ...message.faults);
    if (message.type === 'release') {
      held.get(message.point)?.();
      held.delete(message.point);
    }
    if (message.type === 'query') void query(message);
    if (message.type === 'sign-in')
      void operator?.signInUrl(message.subject).then(
        (url) => tell({ type: 'signed-in', subject: message.subject, url }),
        (error: unknown) => tell({ type: 'failed', message: String(error) }),
      );
  });
  const end = () => void (operator?.close() ?? Promise.resolve()).finally(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('disconnect', end);
}

main();
