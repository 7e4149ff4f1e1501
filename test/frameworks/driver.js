/**
 * A visitor, in the page: clicks, goes back, reloads, and notes what a person would have seen. It
 * keeps its place in local storage, since pages come and go under it. The server puts it first into
 * every document and says which visit it is to make.
 */
(() => {
  if (window.isDriven) return;
  window.isDriven = true;
  const { steps, isHash, elsewhere } = /* visit */ {};
  const dwellMs = 350;
  const briefMs = 30;
  const pollMs = 5;
  const patienceMs = 30_000;

  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  const now = () => performance.timeOrigin + performance.now();
  /** `left` is when the page before was. */
  const stored = () => JSON.parse(localStorage.getItem('visit') ?? '{"step":0,"left":0,"seen":[]}');
  const keep = state => localStorage.setItem('visit', JSON.stringify(state));
  const address = () =>
    isHash ? location.hash.slice(1) || '/' : location.pathname + location.search.replace(/^\?utm_.*/, '');
  const tell = body => fetch('/told', { method: 'POST', body: JSON.stringify(body) });
  const linkTo = to => [...document.links].find(({ textContent }) => textContent.trim() === to);

  // A person's clicks say that there is one; those of a script do not, so the page is told.
  let isActive = false;
  Object.defineProperty(navigator.userActivation ?? {}, 'hasBeenActive', { get: () => isActive });

  const act = {
    click: to => linkTo(to).click(),
    // By way of another site, since a page can intercept what leads from it to itself.
    load: to =>
      location.assign(
        `${elsewhere}/?to=${encodeURIComponent(location.origin + (isHash ? to.replace(/^(.*?)(\?.*)/, '/$2#$1') : to))}`,
      ),
    reload: () => location.reload(),
    back: () => history.back(),
    forward: () => history.forward(),
  };

  const isShown = ({ at, title, isBrief }, next) =>
    address() === at &&
    document.readyState === 'complete' &&
    // Time on page begins with the script, which some frameworks load after the page.
    window.tracker &&
    (next?.do !== 'click' || linkTo(next.to)) &&
    (isBrief || (document.title === title && document.querySelector('h1')?.textContent === title));

  const visit = async () => {
    if (document.prerendering) await new Promise(shown => document.addEventListener('prerenderingchange', shown));
    let waited = 0;
    for (;;) {
      // Read each time: a page that comes back from the cache finds the visit further on.
      const state = stored();
      const step = steps[state.step];
      const next = steps[state.step + 1];
      if (!step) return;
      if (!isShown(step, next)) {
        if (waited++ === patienceMs / pollMs)
          await tell({
            error: `Step ${state.step}: ${location.href} '${document.title}' ${document.body?.textContent}`,
          });
        await sleep(pollMs);
        continue;
      }
      waited = 0;
      const shownAt = now();
      await sleep(step.isBrief ? Math.max(0, briefMs - (shownAt - state.left)) : dwellMs);
      const left = now();
      const seen = [
        ...state.seen,
        { ...step, title: document.title, shownAt, leftAt: left, document: performance.timeOrigin },
      ];
      keep({ step: state.step + 1, left, seen });
      if (!next) {
        await tell({ seen });
        location.assign(`${elsewhere}/end`);
        return;
      }
      isActive = true;
      act[next.do](next.to);
      // Until the next document is there this one looks like it.
      if (next.do === 'load' || next.do === 'reload') return;
    }
  };
  visit();
})();
