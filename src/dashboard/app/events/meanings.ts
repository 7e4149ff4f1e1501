/** What the types of events are. */
export const eventTypeMeanings = {
  custom: 'Sent by the page',
  outbound: 'A click on a link to another host',
  revenue: 'Sent with an amount of money',
} as const;
