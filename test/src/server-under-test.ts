/** Every database that tests make on a server starts with this; tests touch no other. */
export const TEST_PREFIX = 'hephaisto_test_';

/** Only a database whose name says that it is for tests may name the server: everything else could be somebody's own. */
export function serverUnderTest(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return undefined;
  const name = URL.canParse(url) ? new URL(url).pathname.slice(1) : '';
  if (!name.startsWith(TEST_PREFIX))
    throw new Error(
      `expected HEPHAISTO_TEST_DATABASE_URL to name a database that starts with \`${TEST_PREFIX}\`, found \`${name}\`; create an empty one of such a name`,
    );
  return url;
}
