/** What a click or a submit says: a link to another host, an element that carries an event. */

export interface TaggedEvent {
  element: Element;
  name: string;
  properties: Record<string, string>;
}

/**
 * A listener that sends the events of elements with the attribute: once a task, for a click on a
 * label is followed by one on its field.
 */
export const createTagged = (
  attribute: string,
  send: (name: string, properties: TaggedEvent['properties']) => void,
): ((event: Event) => void) => {
  let sent: Element | undefined;
  return event => {
    const tagged = taggedEvent(event, attribute);
    if (!tagged || tagged.element === sent) return;
    sent = tagged.element;
    setTimeout(() => {
      sent = undefined;
    });
    send(tagged.name, tagged.properties);
  };
};

/** `composedPath` sees into open shadow trees, where `event.target` is only their host. */
export const found = (event: Event, matches: (element: HTMLElement) => unknown): HTMLElement | undefined =>
  (event.composedPath() as HTMLElement[]).find(matches);

/**
 * The destination when the click is on a link to another host. In SVG a link has its address
 * elsewhere.
 */
export const outboundUrl = (event: Event): string | undefined => {
  const link = found(event, element => element.matches?.('a,area'));
  if (!link) return undefined;
  const { href } = link as unknown as { href: string | SVGAnimatedString };
  const url = new URL(typeof href === 'string' ? href : href.baseVal, document.baseURI);
  return url.host !== location.host && /^http/.test(url.protocol) ? url.href : undefined;
};

/**
 * The event of the nearest element with the attribute; `data-track-plan="pro"` is its
 * property `plan`. A form's is that of its submit, and only its.
 */
export const taggedEvent = (event: Event, attribute: string): TaggedEvent | undefined => {
  const element = found(
    event,
    one => one.getAttribute?.(attribute) && (one.localName === 'form') === (event.type === 'submit'),
  );
  if (!element) return undefined;
  const properties: Record<string, string> = {};
  for (const { name, value } of element.attributes) {
    if (name.startsWith(`${attribute}-`)) properties[name.slice(attribute.length + 1)] = value;
  }
  return { element, name: element.getAttribute(attribute)!, properties };
};
