import type { ComponentProps, ReactNode } from 'react';

// biome-ignore-start lint/a11y/noRedundantRoles: drawn as blocks, the parts of a table are no table to some browsers unless they say so

interface StackedTableProps {
  /** Names of the columns, in order. */
  readonly heads: readonly string[];
  /** Its `StackedRow`s. */
  readonly children: ReactNode;
}

/** A table of which a narrow screen shows each row as a short list, named by its first cell. To whoever hears it, it stays a table. */
export function StackedTable({ heads, children }: StackedTableProps) {
  return (
    <table className="table stacks" role="table">
      <thead role="rowgroup">
        <tr role="row">
          {heads.map((head) => (
            <th key={head} scope="col" role="columnheader">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}

export function StackedRow(props: ComponentProps<'tr'>) {
  return <tr role="row" {...props} />;
}

/** `label`: what stands before it where the row is a list; the first cell of a row has none. */
export function StackedCell({ label, ...props }: ComponentProps<'td'> & { readonly label?: string }) {
  return <td role="cell" {...(label === undefined ? {} : { 'data-label': label })} {...props} />;
}
// biome-ignore-end lint/a11y/noRedundantRoles: as above
