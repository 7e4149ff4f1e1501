/** The line that a site holds in the head of its pages. `collector` ends without a slash. */
export const trackingTag = (collector: string, publicKey: string): string =>
  `<script defer src="${collector}/t.js" data-site="${publicKey}"></script>`;
