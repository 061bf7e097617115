import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverUnderTest } from './server-under-test.ts';

describe('a database server that tests may use', () => {
  it('is none where none is named', () => {
    assert.deepEqual([serverUnderTest(undefined), serverUnderTest('')], [undefined, undefined]);
  });

  it('is named by a database whose name says that it is for tests', () => {
    const url = 'postgresql://somebody@127.0.0.1:5432/hephaisto_test_here';
    assert.equal(serverUnderTest(url), url);
  });

  for (const url of ['postgresql://somebody@127.0.0.1/production', 'postgresql://somebody@127.0.0.1/', 'nonsense'])
    it(`is refused when named as ${url}`, () => {
      assert.throws(
        () => serverUnderTest(url),
        /expected HEPHAISTO_TEST_DATABASE_URL to name a database that starts with/,
      );
    });
});
