/** What a click says: a link to another host, an element that carries an event. */

export interface ClickEvent {
  name: string;
  properties: Record<string, string>;
}

/** `composedPath` sees into open shadow trees, where `event.target` is only their host. */
const find = (
  event: Event,
  matches: (element: HTMLElement & HTMLAnchorElement) => unknown,
): HTMLAnchorElement | undefined => (event.composedPath() as HTMLAnchorElement[]).find(matches);

/** The destination when the click is on a link to another host. */
export const outboundUrl = (event: Event): string | undefined => {
  const link = find(event, ({ href, host }) => href && host);
  return link && link.host !== location.host && /^http/.test(link.protocol) ? link.href : undefined;
};

/** The event of the nearest element with `data-track`, or Umami's attribute; `data-track-plan="pro"` is its property `plan`. */
export const taggedEvent = (event: Event): ClickEvent | undefined => {
  for (const attribute of ['data-track', 'data-umami-event']) {
    const element = find(event, element => element.getAttribute?.(attribute));
    if (!element) continue;
    const properties: Record<string, string> = {};
    for (const { name, value } of element.attributes) {
      if (name.startsWith(`${attribute}-`)) properties[name.slice(attribute.length + 1)] = value;
    }
    return { name: element.getAttribute(attribute)!, properties };
  }
  return undefined;
};
