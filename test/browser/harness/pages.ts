import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { Page } from 'playwright-core';

export interface PlacedPage {
  readonly name: string;
  readonly path: string;
  /** What must be there before the page counts as drawn. */
  readonly ready: string;
}

/** Every page there is, with real content. */
export function allPages(report: IncidentReport): readonly PlacedPage[] {
  const step = report.investigations[0]?.steps.find((each) => each.text !== null)?.id ?? '';
  const incident = `/incidents/${report.number}`;
  return [
    { name: 'inbox', path: '/', ready: '[data-field="coverage"]' },
    { name: 'incidents', path: '/incidents', ready: '.list-row' },
    { name: 'incidents-nothing', path: '/incidents?text=nothing-of-that-name', ready: '[data-field="empty"]' },
    { name: 'incident', path: incident, ready: '[data-field="verdict"]' },
    { name: 'incident-evidence', path: `${incident}?tab=evidence`, ready: '.steps-list' },
    { name: 'incident-hypotheses', path: `${incident}?tab=hypotheses`, ready: '.hypotheses' },
    { name: 'incident-actions', path: `${incident}?tab=actions`, ready: '[data-field="tab-actions"]' },
    { name: 'incident-signals', path: `${incident}?tab=signals`, ready: '[data-field="tab-signals"] table' },
    { name: 'review', path: `${incident}?review=1`, ready: '[data-field="review-sheet"]' },
    { name: 'deny', path: `${incident}?review=deny`, ready: '[data-field="review-sheet"]' },
    { name: 'evidence', path: `${incident}/evidence/${step}`, ready: '[data-field="evidence-viewer"]' },
    { name: 'approvals', path: '/approvals', ready: '.card-row' },
    { name: 'actions', path: '/actions', ready: '.card-row' },
    { name: 'health', path: '/health', ready: '.component-row' },
    { name: 'no-such-page', path: '/nowhere', ready: '[data-field="not-found"]' },
    { name: 'stories', path: '/stories', ready: '[data-field="stories"]' },
  ];
}

/** Waits until the page is drawn and its font is there. */
export async function drawn(page: Page, ready: string): Promise<void> {
  await page.locator(ready).first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

/** Waits until the frame around a page has all that it reads: cluster, switch and line. */
export async function whole(page: Page): Promise<void> {
  await page.locator('[data-field="cluster"]').waitFor({ state: 'attached' });
  await page.locator('[data-field="switch"]:not([data-state="unknown"])').waitFor({ state: 'attached' });
  await page.locator('[data-field="freshness"][data-state="live"]').waitFor({ state: 'attached' });
}

/** Waits until the review says that approving is possible, or which one reason forbids it. The words may be empty, hence not visible. */
export function approveState(page: Page, code: string): Promise<void> {
  return page.locator(`[data-field="approve-state"][data-state="${code}"]`).waitFor({ state: 'attached' });
}
