import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { automationName } from '../../src/collect/automation.ts';
import { automationBits } from '../../src/model/hit.ts';

const { webdriver, driverGlobals, headless, noOuterSize, smallScreen, noLanguages, platformMismatch, neverVisible } =
  automationBits;

test('every combination of signals is scored as docs/collecting.md says', () => {
  for (let signals = 0; signals < 256; signals++) {
    for (const interacted of [false, true]) {
      const strong = (signals & (webdriver | driverGlobals | headless)) !== 0;
      const weakA = (signals & (noOuterSize | smallScreen)) !== 0;
      const weakB = (signals & (noLanguages | platformMismatch)) !== 0;
      const want = strong || (weakA && weakB && !interacted);
      assert.is(automationName(signals, interacted) !== null, want, `${signals} ${interacted}`);
    }
  }
});

test('the strongest signal names the automation', () => {
  const rows: [signals: number, name: string | null][] = [
    [webdriver | driverGlobals, 'WebDriver'],
    [driverGlobals | headless, 'Browser driver'],
    [headless | noOuterSize, 'Headless browser'],
    [smallScreen | noLanguages, 'Automated browser'],
    [neverVisible, null],
    [0, null],
  ];
  for (const [signals, name] of rows) assert.is(automationName(signals, false), name, String(signals));
});

test('a value that is no bitmask is no signal', () => {
  for (const signals of [Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 40, 256])
    assert.is(automationName(signals, false), null);
  assert.is(automationName(1.9, false), 'WebDriver');
});

test.run();
