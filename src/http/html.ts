/** Text within HTML. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes a text one that HTML shows as it is, in an element and in a quoted attribute. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, sign => entities[sign]!);
