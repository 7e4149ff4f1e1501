/** Everything from the keyboard alone: each stop is reached and seen, and the focus stays near where somebody worked. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, settled } from './dashboard.ts';
import { openScene, type scenes } from './scenes.ts';

const stage = await openStage();
if (stage !== null) {
  /**
   * In the page: marks what the keyboard should stop at, of the dialog that is open or of the whole
   * page, and then what it stopped at, and whether that was seen. Gives how many stops there are.
   */
  const watchStops = (): number => {
    const within: HTMLElement = document.querySelector<HTMLElement>('dialog[open]') ?? document.body;
    const stops = [
      ...within.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]'),
    ].filter(
      stop =>
        stop.tabIndex >= 0 &&
        // Of radio buttons, the chosen one.
        !stop.matches(':disabled, input[type="radio"]:not(:checked)') &&
        stop.checkVisibility({ visibilityProperty: true }),
    );
    for (const stop of stops) stop.dataset.stop = 'missed';
    // The keyboard begins at the top.
    within.tabIndex = -1;
    within.focus();
    document.addEventListener('focusin', ({ target }) => {
      const stop = target as HTMLElement;
      const { outlineStyle, boxShadow } = getComputedStyle(stop);
      const { width, top, bottom } = stop.getBoundingClientRect();
      const isMarked = outlineStyle !== 'none' || boxShadow !== 'none';
      stop.dataset.stop = isMarked && width > 0 && bottom > 0 && top < window.innerHeight ? 'seen' : 'unseen';
    });
    return stops.length;
  };

  for (const name of [
    ...['overview', 'all rows', 'the period', 'notes', 'a new filter', 'goals', 'one event', 'a visitor', 'a funnel'],
    ...['a journey', 'hits as they come', 'vitals', 'crawlers', 'failures', 'health', 'a public page in settings'],
    ...['account', 'sites', 'sign in'],
  ] satisfies (keyof typeof scenes)[]) {
    stage.test(`each stop of ${name} is reached and seen`, async () => {
      const page = await openScene(stage, name, {});
      // A date has a stop for its day, its month and its year.
      const count = (await page.evaluate(watchStops)) + 3 * (await page.locator('input[type="date"]').count());
      // Boxes that scroll are stops, too, as soon as their content is there.
      const ofBoxes = 3;
      for (let i = 0; i < count + ofBoxes; i++) await page.keyboard.press('Tab');
      const left = page.locator('[data-stop]:not([data-stop="seen"])');
      assert.equal(await left.evaluateAll(stops => stops.map(stop => stop.outerHTML.slice(0, 120))), []);
    });
  }

  /** What is pressed in a scene, and where the focus is then. */
  const presses: [scene: keyof typeof scenes, pressed: string, then: string][] = [
    ['overview', '.skip-link', '#main'],
    ['overview', '.brand', '#main'],
    ['overview', '.panel .tabs a:not([aria-current])', '.panel .tabs'],
    ['overview', '.panel .row-link', '.panel'],
    ['with filters', '.chip-remove', '.filter-bar'],
    ['with filters', '.filter-bar .quiet-link', '.filter-bar'],
    ['all rows', '.dialog-head .icon-button', '.panel'],
    ['events', '.event-name a', '#main'],
    ['one event', '.detail-head .icon-button', '#main'],
    ['visits', '.visit-link', '.visits'],
    ['visits', '.visitor a', '#main'],
    ['a funnel', '.funnel-tools button[aria-label*="later"]', '.funnel-tools'],
    ['a funnel', '.funnel-tools button[aria-label^="Remove"]', 'section[aria-label="Funnel"]'],
    // It closes what is open, so that the way gets shorter.
    ['a journey', '.journey-level .row-link', '.journey'],
    ['a journey', '.segmented a:not([aria-current])', '.segmented'],
    ['vitals', '.table-scroll > .button', '.table-scroll'],
    ['crawlers', '.panel .rows + .button', '.panel'],
    ['crawlers', '.panel-head .quiet-link', '.panel'],
    ['failures', '.panel .row-link', '#main'],
    ['settings', '.settings-nav a:not([aria-current])', '.settings'],
    ['a public page in settings', '.dialog .form-actions > button[type="button"]', '.dialog'],
  ];
  for (const [scene, pressed, then] of presses) {
    stage.test(`the focus stays where somebody worked, though ${pressed} in ${scene} goes away`, async () => {
      const page = await openScene(stage, scene, {});
      await page.keyboard.press('Tab');
      await page.locator(pressed).first().focus();
      await page.keyboard.press('Enter');
      await settled(page);
      const [isThere, where] = await page.evaluate(
        selector => [
          document.activeElement!.closest(selector) !== null,
          document.activeElement!.outerHTML.slice(0, 120),
        ],
        then,
      );
      assert.ok(isThere, `${pressed} in ${scene} leads to ${where}`);
    });
  }
}

test.run();
