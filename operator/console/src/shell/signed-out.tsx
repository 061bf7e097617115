import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { rememberCsrf, sayError } from '../api/call.ts';
import { signIn } from '../api/writes.ts';
import { Mark } from '../parts/icons.tsx';

/** Shown to whoever has no session. The address stays, so that signing in leads to where one was going. */
export function SignedOut() {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [state, setState] = useState<{ readonly busy: boolean; readonly problem?: string }>({ busy: false });
  const enter = async (): Promise<void> => {
    setState({ busy: true });
    try {
      const session = await signIn(tokenOf(text));
      rememberCsrf(session.csrfToken);
      await client.resetQueries();
      location.reload();
    } catch (error: unknown) {
      setState({ busy: false, problem: sayError(error) });
    }
  };
  return (
    <main className="door">
      <div className="panel">
        <h1>
          <Mark /> Sign in to Hephaisto
        </h1>
        <p className="soft">
          Open the one-time link that was printed at start, or that an admin gave you. A link works once. If you had a
          session here, it has ended; this page stays where you were.
        </p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void enter();
          }}
        >
          <div className="field">
            <label htmlFor="link">Or paste the link</label>
            <input
              id="link"
              className="input"
              value={text}
              autoComplete="off"
              spellCheck={false}
              placeholder="https://…/sign-in?token=…"
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <button type="submit" className="button" data-kind="main" disabled={state.busy || tokenOf(text).length < 20}>
            Sign in
          </button>
        </form>
        {state.problem === undefined ? null : (
          <p className="note" data-tone="bad" role="alert">
            {state.problem}.
          </p>
        )}
      </div>
    </main>
  );
}

function tokenOf(text: string): string {
  return /[?&]token=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}
