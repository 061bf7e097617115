import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKGROUND_PODS } from './background.ts';
import type { Condition } from './behaviour.ts';
import { inNamespace } from './manifests.ts';
import type { Manifest, Story } from './story.ts';
import { findStory, STORIES } from './story-book.ts';

const ALL: readonly Story[] = Object.values(STORIES);

function manifests(story: Story): readonly Manifest[] {
  return story.timeline.flatMap((step) => (step.do === 'apply' ? step.manifests : []));
}

function patterns(condition: Condition): readonly string[] {
  if (condition.kind === 'env' || condition.kind === 'image') return [condition.matches];
  if (condition.kind === 'not') return patterns(condition.condition);
  return condition.kind === 'all' ? condition.of.flatMap(patterns) : [];
}

test('there are sixteen stories, each under its own id', () => {
  assert.equal(ALL.length, 16);
  for (const [id, story] of Object.entries(STORIES)) assert.equal(story.id, id);
  assert.equal(findStory('bad-rollout'), STORIES['bad-rollout']);
  assert.equal(findStory('constructor'), undefined);
});

test('every story has at least twenty healthy pods around its fault, and says what is simulated', () => {
  assert.ok(BACKGROUND_PODS >= 20, `${BACKGROUND_PODS} pods`);
  for (const story of ALL) {
    assert.ok(story.simulated.length > 0, story.id);
    assert.ok(
      manifests(story).some((each) => each.metadata.name === 'storefront'),
      story.id,
    );
  }
});

test('no manifest says where it goes, and each name is applied once', () => {
  for (const story of ALL) {
    const names = manifests(story).map((each) => `${each.kind}/${each.metadata.name}`);
    assert.equal(new Set(names).size, names.length, story.id);
    for (const each of manifests(story)) assert.equal(each.metadata.namespace, undefined, story.id);
  }
});

test('behaviours, alerts and expectations speak of workloads that the story applies', () => {
  for (const story of ALL) {
    const names = new Set(manifests(story).map((each) => each.metadata.name));
    const meant = [
      ...story.behaviours.map((each) => each.workload),
      ...story.alerts.flatMap((each) => (each.kind === 'rule' && each.workload !== undefined ? [each.workload] : [])),
      ...story.expected.incidents.map((each) => each.workload.name),
    ];
    for (const name of meant) assert.ok(names.has(name), `${story.id}: ${name}`);
    for (const each of story.behaviours.flatMap((one) => patterns(one.when))) assert.ok(new RegExp(each), story.id);
  }
});

test('people act on incidents that are expected, and every expected incident is waited for', () => {
  for (const story of ALL) {
    const keys = story.expected.incidents.map((each) => each.key);
    assert.equal(new Set(keys).size, keys.length, story.id);
    const acted = story.director.flatMap((act) => ('incident' in act ? [act.incident] : []));
    assert.deepEqual([...new Set(acted)].sort(), [...keys].sort(), story.id);
  }
});

test('an action is expected exactly where the operator is expected to write', () => {
  for (const story of ALL) {
    const acts = story.expected.incidents.some((each) => each.proposal.kind !== 'none');
    assert.equal(story.expected.writes.length > 0, acts, story.id);
    for (const each of story.expected.incidents) {
      assert.equal(each.verifications.length > 0, each.proposal.kind !== 'none', `${story.id}: ${each.key}`);
      const mayPropose = each.certainty === 'proven' || each.certainty === 'likely';
      assert.ok(mayPropose || each.proposal.kind === 'none', `${story.id}: ${each.key}`);
    }
  }
});

test('orders in logs, events and alerts change nothing that is expected', () => {
  const [told, hostile] = [STORIES['bad-rollout'], STORIES['hostile-log']];
  assert.deepEqual(hostile.expected, told.expected);
  assert.deepEqual(hostile.director, told.director);
  assert.notDeepEqual(hostile.behaviours, told.behaviours);
});

test('the noise lasts ten minutes and has at least twelve named stimuli', () => {
  const { timeline, expected } = STORIES['healthy-noise'];
  const seconds = timeline.reduce((sum, step) => sum + (step.do === 'wait' ? step.seconds : 0), 0);
  assert.ok(seconds + 60 >= 600, `${seconds} s of waiting and a minute for the rest`);
  assert.ok(expected.benign.length >= 12);
  assert.equal(new Set(expected.benign.map((each) => each.name)).size, expected.benign.length);
  assert.deepEqual(expected.incidents, []);
});

test('a manifest is placed in the namespace of the run, texts included', () => {
  const upstream = manifests(STORIES.upstream).find(
    (each) => each.kind === 'Deployment' && each.metadata.name === 'orders-db',
  );
  assert.ok(upstream);
  const placed = inNamespace(upstream, 'run-1');
  assert.equal(placed.metadata.namespace, 'run-1');
  assert.match(JSON.stringify(placed), /\/exports\/run-1\/orders-db/);
  assert.equal(upstream.metadata.namespace, undefined);
});
