import type { ApiExtension } from '../api/extension.ts';
import { ApiProblem } from '../api/problem.ts';
import { compressed } from './demo-config.ts';
import type { DemoTheatre } from './director/theatre.ts';
import { findStory, STORIES } from './stories/story-book.ts';

/**
 * The demo's own routes: which stories there are, and playing one while it is watched. The theatre opens only after the server has
 * started; until then the list is answered and playing is refused.
 */
export function stageRoutes(speed: number, theatre: () => DemoTheatre | undefined): ApiExtension {
  return {
    access: {
      'GET /demo/stories': { kind: 'role', role: 'viewer', scope: 'anywhere' },
      // A story makes a namespace that is nobody's yet, and a reset takes away what others look at: no role of one namespace reaches there.
      'POST /demo/stories/:id': { kind: 'role', role: 'responder', scope: 'everywhere' },
      'POST /demo/reset': { kind: 'role', role: 'approver', scope: 'everywhere' },
    },
    register(app, admit) {
      const hidden = { schema: { hide: true } };
      app.get('/demo/stories', hidden, async (request) => {
        await admit('GET /demo/stories', request);
        const states = theatre()?.states();
        const stories = Object.values(STORIES).map(({ id, title, summary, simulated }) => ({
          id,
          title,
          summary,
          simulated,
          ...(states?.get(id) ?? { state: 'idle' }),
        }));
        return { stories, speed, compressed: compressed(speed) };
      });
      app.post('/demo/stories/:id', hidden, async (request, reply) => {
        await admit('POST /demo/stories/:id', request);
        const { id } = request.params as { id: string };
        const story = findStory(id);
        if (story === undefined) throw new ApiProblem('not-found', `expected a story of the demo, found \`${id}\``);
        open().play(story.id);
        return reply.code(202).send({ story: story.id });
      });
      app.post('/demo/reset', hidden, async (request, reply) => {
        await admit('POST /demo/reset', request);
        open().reset();
        return reply.code(202).send({ reset: true });
      });
    },
  };

  function open(): DemoTheatre {
    const found = theatre();
    if (found === undefined)
      throw new ApiProblem('overloaded', 'the demo is still starting; try again', { headers: { 'retry-after': '1' } });
    return found;
  }
}
