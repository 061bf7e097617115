/** The process's environment as plain data: the one place where it is read. Everything else is told what it needs. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}
