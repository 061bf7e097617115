import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOL_NAMES } from '@hephaisto/core/diagnose/tools';
import { verifies } from '@hephaisto/test/verifies';
import { type AnyTool, anyTool } from './tool.ts';
import { createToolbox, TOOLBOX } from './toolbox.ts';
import { getNodes } from './tools/get-nodes/tool.ts';

test('every tool only reads, and one that does not cannot be registered', () => {
  verifies('H3-9');
  assert.deepEqual([...TOOLBOX.keys()].sort(), [...TOOL_NAMES].sort());
  for (const tool of TOOLBOX.values()) assert.equal(tool.effect, 'read');
  for (const effect of ['external', 'ledger', 'conclude', '']) {
    const tool: AnyTool = { ...anyTool(getNodes), effect };
    assert.throws(() => createToolbox([tool]), /read only/);
  }
  assert.throws(() => createToolbox([anyTool(getNodes), anyTool(getNodes)]), /two/);
});

test('every tool describes itself, bounds its text and says what its silence hides', () => {
  for (const tool of TOOLBOX.values()) {
    assert.ok(tool.description.length > 20 && tool.wouldHaveTold.length > 10, tool.name);
    assert.ok(tool.maxBytes <= 24_576, tool.name);
  }
});

const REFUSED: Readonly<Record<string, { tool: string; args: unknown }>> = {
  'a path in a name': { tool: 'get_pod', args: { namespace: 'shop', name: '../secrets/x' } },
  'a kind that is none': { tool: 'get_workload', args: { kind: 'Secret', namespace: 'shop', name: 'x' } },
  'a field too many': { tool: 'get_pod', args: { namespace: 'shop', name: 'x', verb: 'delete' } },
  'no namespace': { tool: 'get_services', args: {} },
  'a log without a container': { tool: 'get_logs', args: { namespace: 'shop', pod: 'x', previous: true } },
};
for (const [sentence, { tool, args }] of Object.entries(REFUSED)) {
  test(`arguments are refused: ${sentence}`, () => {
    assert.equal(TOOLBOX.get(tool)?.schema.safeParse(args).success, false);
  });
}
