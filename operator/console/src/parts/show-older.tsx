interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Fetches the next page of a list that is read newest first; nothing where all of it is shown. */
export function ShowOlder({ query }: { readonly query: Pages }) {
  if (!query.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      Show older
    </button>
  );
}
