import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sayError } from '../api/call.ts';
import { type DemoStory, playStory, resetDemo, storiesQuery } from '../api/stories.ts';
import { Icon } from '../parts/icons.tsx';
import { Waiting } from '../parts/query-state.tsx';
import { say } from '../parts/toasts.tsx';
import { usePageTitle } from '../shell/use-page-title.ts';

/** The demo's stories: what each shows, what of it is simulated, and a button. Exists only in the demo. */
export function Stories() {
  usePageTitle('Stories');
  const query = useQuery({ ...storiesQuery, refetchInterval: 3_000 });
  const demo = query.data;
  if (demo === undefined)
    return (
      <section className="panel">
        <h1 className="only-read">Stories</h1>
        <Waiting query={query} what="the stories" lines={6} />
      </section>
    );
  if (demo === null)
    return (
      <section className="panel">
        <div className="empty">
          <h1>Stories exist only in the demo</h1>
          <p>
            This server watches a real cluster. <Link to="/">To the inbox</Link>
          </p>
        </div>
      </section>
    );
  return (
    <>
      <div className="page-title">
        <h1>Stories</h1>
        <span className="soft">
          Faults played against a simulated cluster. Everything that watches, decides and acts is the real product; time
          runs {demo.speed}× faster.
        </span>
        <span className="push" />
        <Reset />
      </div>
      <details className="more note simulated" open={!matchMedia('(max-width: 720px)').matches}>
        <summary>What is simulated, and what is compressed in time</summary>
        <ul className="plain-list">
          {[...new Set([...common(demo.stories), ...demo.compressed])].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
      <div className="tiles stories" data-field="stories">
        {demo.stories.map((story) => (
          <Tile key={story.id} story={story} shared={common(demo.stories)} />
        ))}
      </div>
    </>
  );
}

/** What every story says of itself is said once above. */
function common(stories: readonly DemoStory[]): readonly string[] {
  const [first, ...rest] = stories;
  return first === undefined
    ? []
    : first.simulated.filter((line) => rest.every((story) => story.simulated.includes(line)));
}

const WORDS: Readonly<Record<DemoStory['state'], string>> = { idle: '', playing: 'Playing', ended: 'Ended' };

function Tile({ story, shared }: { readonly story: DemoStory; readonly shared: readonly string[] }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const play = async (): Promise<void> => {
    setBusy(true);
    await playStory(story.id)
      .then(() => say(`Playing: ${story.title}. Watch the inbox.`))
      .catch((error: unknown) => say(`Not played: ${sayError(error)}`));
    await client.invalidateQueries({ queryKey: ['stories'] });
    setBusy(false);
  };
  const word = story.state === 'ended' ? 'Play again' : 'Play';
  const own = story.simulated.filter((line) => !shared.includes(line));
  return (
    <section className="panel tile" data-story={story.id} data-state={story.state} aria-label={story.title}>
      <h2>{story.title}</h2>
      <p className="soft">{story.summary}</p>
      {own.map((line) => (
        <p key={line} className="faint small">
          Simulated: {line}
        </p>
      ))}
      <div className="bottom">
        <span className="tag" data-tone={story.state === 'playing' ? 'run' : 'calm'}>
          {story.state === 'idle' ? null : <Icon name={story.state === 'playing' ? 'pulse' : 'check'} size={12} />}
          {WORDS[story.state]}
          {story.verdict === undefined ? '' : `: ${story.verdict}`}
        </span>
        <button
          type="button"
          className="button"
          disabled={busy || story.state === 'playing'}
          onClick={() => void play()}
          aria-label={`${word}: ${story.title}`}
        >
          <Icon name="play" size={11} />
          {word}
        </button>
      </div>
    </section>
  );
}

function Reset() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const reset = async (): Promise<void> => {
    setBusy(true);
    await resetDemo()
      .then(() => say('Resetting the demo'))
      .catch((error: unknown) => say(`Not reset: ${sayError(error)}`));
    await client.invalidateQueries();
    setBusy(false);
  };
  return (
    <button type="button" className="button" disabled={busy} onClick={() => void reset()}>
      Reset the demo
    </button>
  );
}
