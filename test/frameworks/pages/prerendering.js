/** Asks the browser to make every page ready that a link leads to. */
const rules = document.createElement('script');
rules.type = 'speculationrules';
rules.textContent = JSON.stringify({ prerender: [{ where: { href_matches: '/*' }, eagerness: 'immediate' }] });
document.head.append(rules);
