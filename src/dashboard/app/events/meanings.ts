/** What the numbers about events count (docs/api.md). The list and the page of one event share the words. */
export const eventMeanings = {
  events: { label: 'Occurrences', meaning: 'How often the event was sent' },
  visitors: { label: 'Visitors', meaning: 'Distinct visitors who sent it; a visitor is a browser on one UTC day' },
  perVisitor: { label: 'Per visitor', meaning: 'Occurrences divided by visitors' },
  visitorShare: {
    label: 'Share of visitors',
    meaning: 'Of the period’s visitors, those who sent it at least once, in percent',
  },
  sessions: { label: 'Visits', meaning: 'Distinct visits in which it was sent' },
  medianPerSession: { label: 'Median per visit', meaning: 'The middle number of occurrences within one visit' },
  firstSeen: { label: 'First seen', meaning: 'Its first occurrence in the period' },
  lastSeen: { label: 'Last seen', meaning: 'Its latest occurrence in the period' },
  delta: { label: 'Change', meaning: 'Of occurrences, against the period before' },
} as const;

export const propertyMeanings = {
  key: { label: 'Property', meaning: 'Name under which the event carried something' },
  coverage: { label: 'Coverage', meaning: 'Occurrences of the event that carried it, in percent' },
  values: { label: 'Values', meaning: 'How many different values there are' },
  type: { label: 'Type', meaning: 'The type most values have' },
} as const;

export const eventTypeMeanings = {
  custom: 'Sent by the page',
  outbound: 'A click on a link to another host',
  revenue: 'Sent with an amount of money',
} as const;
