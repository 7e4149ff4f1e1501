/** The declarations that pages use: what the type checker says about these calls is the test. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const calls = (tracker: Window['tracker']): void => {
  tracker('Signup');
  tracker('Signup', { plan: 'pro', seats: 3, trial: true, since: new Date(0), missing: undefined, empty: null });
  tracker('Purchase', { revenue: 4900, currency: 'EUR', sku: 7 });
  tracker.revenue(4900);
  tracker.revenue(4900, 'EUR', { sku: 7 });
  tracker.revenue(4900n, 'EUR');
  tracker.revenue('4900', 'EUR');
  tracker.identify({ email: 'ada@example.com' });
  tracker.identify('user-42', { plan: 'pro' });
  tracker.identify(42);
  tracker.pageview();

  // @ts-expect-error: a name is needed.
  tracker();
  // @ts-expect-error: properties are no structures.
  tracker('Signup', { deep: { er: 1 } });
  // @ts-expect-error: an amount is a whole number of minor units.
  tracker.revenue('49.00');
  // @ts-expect-error: somebody is needed.
  tracker.identify();
};

test('every documented call is declared', () => {
  const called: unknown[] = [];
  const note = (...args: unknown[]): void => {
    called.push(args);
  };
  calls(Object.assign(note, { pageview: note, identify: note, revenue: note }));
  assert.is(called.length, 15);
});

test.run();
