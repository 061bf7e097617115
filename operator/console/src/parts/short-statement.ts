const VARIABLE = /\bspec\.template\.spec\.(?:initC|c)ontainers\[([^\]\s]+)\]\.env\[([^\]\s]+)\]\.value\b/g;
const LEADING = /\bspec\.template\.spec\.(?=[a-z])/g;

/** A statement with the paths of fields as people say them. The whole one stands in the title and in the evidence. */
export function shortStatement(statement: string): string {
  return statement.replace(VARIABLE, '$2 of container $1').replace(LEADING, '');
}

/** A title without the namespace, for places that name it beside. */
export function shortTitle(row: { readonly title: string; readonly namespace: string | null }): string {
  const tail = ` in ${row.namespace ?? ''}`;
  return row.namespace !== null && row.title.endsWith(tail) ? row.title.slice(0, -tail.length) : row.title;
}
