import type { IncidentReport } from '@hephaisto/core/report/incident';
import type { Page } from 'playwright-core';

export type ReportChange = (report: Writable<IncidentReport>) => void;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Lets the page see the server's own report with a change in it, for states that a demo reaches only after an hour. */
export async function withReport(page: Page, change: ReportChange): Promise<void> {
  await page.route(/\/api\/v1\/incidents\/[0-9a-f-]+(\?.*)?$/, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const answer = await route.fetch();
    const report = (await answer.json()) as Writable<IncidentReport>;
    change(report);
    await route.fulfill({ response: answer, json: report });
  });
}
