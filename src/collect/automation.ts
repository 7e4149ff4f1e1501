/**
 * Scores a browser as driven by a program, from the signals its page sent (docs/collecting.md,
 * "Bots").
 */
import { automationBits } from '../model/hit.ts';

/** One of these decides, and gives its name. */
const strong: readonly (readonly [bit: number, name: string])[] = [
  [automationBits.webdriver, 'WebDriver'],
  [automationBits.driverGlobals, 'Browser driver'],
  [automationBits.headless, 'Headless browser'],
];

/** These decide only when there is one of each class, and nobody touched the page. */
const weakA = automationBits.noOuterSize | automationBits.smallScreen;
const weakB = automationBits.noLanguages | automationBits.platformMismatch;

/** What to call the automation; null for a person's browser. */
export const automationName = (signals: number, interacted: boolean): string | null => {
  if (signals === 0) return null;
  for (const [bit, name] of strong) if ((signals & bit) !== 0) return name;
  return (signals & weakA) !== 0 && (signals & weakB) !== 0 && !interacted ? 'Automated browser' : null;
};
