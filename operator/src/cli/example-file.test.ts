import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleFile } from '@hephaisto/core/config/document';
import { parseConfig } from '@hephaisto/core/config/parse';
import { parse } from 'yaml';

test('the example file is a configuration, and means the same as an empty one', () => {
  assert.deepEqual(parseConfig(parse(exampleFile()), {}), parseConfig(undefined, {}));
});
