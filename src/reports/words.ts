/** What mails and their pages say, in each language: no browser loads these, so they stand here. */
import type { Language } from '../model/locale.ts';
import type { ReportBlock, ReportFigureName } from '../model/reports.ts';

/** Each language has what English has. */
export type ReportWords = typeof en;

const en = {
  blocks: {
    ...{ figures: 'At a glance', days: 'Visitors by day', changes: 'What changed', pages: 'Pages', sources: 'Sources' },
    ...{ countries: 'Countries', goals: 'Goals', assistants: 'AI assistants', notes: 'Notes', sites: 'All sites' },
    missing: 'New missing pages (404)',
  } satisfies Record<ReportBlock, string>,
  crawlers: 'Crawlers',
  figures: {
    ...{ visitors: 'Visitors', visits: 'Visits', pageviews: 'Page views', viewsPerVisit: 'Views per visit' },
    ...{ bounceRate: 'Bounce rate', avgVisitSeconds: 'Visit duration', events: 'Events', revenue: 'Revenue' },
  } satisfies Record<ReportFigureName, string>,
  dimensions: { referrer: 'Source', utmCampaign: 'Campaign', entryPath: 'Entry page', country: 'Country' },
  before: 'before',
  yearBefore: 'a year before',
  conversions: 'Conversions',
  rate: 'Rate',
  direct: 'Direct',
  none: '(none)',
  nothingChanged: 'Nothing changed by more than chance.',
  noVisitors: 'Nobody came in this period.',
  outage: 'These numbers are incomplete: the server was down for a part of the period.',
  imported: 'These numbers are incomplete: an import does not tell all of them.',
  limited: 'These numbers are incomplete: the plan of the account does not reach that far back.',
  more: (count: string) => `and ${count} more`,
  subject: (site: string, days: string, visitors: string, change: string) =>
    `${site}, ${days}: ${visitors} visitors${change === '' ? '' : ` (${change})`}`,
  filtered: (filters: string) => `Only hits with ${filters}`,
  open: 'Open these numbers',
  unsubscribe: 'No longer get this report',
  why: (name: string, site: string) => `You get the report “${name}” of ${site}.`,
  ask: {
    subject: (site: string) => `Do you want reports of ${site}?`,
    text: (by: string, name: string, site: string) =>
      `${by} wants to send you the report “${name}” with numbers of the website ${site}.`,
    button: 'Yes, send it to me',
    ignore: 'If you do nothing, you get no further mail.',
  },
  invite: {
    subject: (team: string) => `Invitation to ${team}`,
    text: (by: string, team: string) =>
      `${by} invites you to the team ${team}. The link works once, and for seven days.`,
    button: 'Accept the invitation',
  },
  paused: {
    subject: (name: string, site: string) => `The report “${name}” of ${site} is paused`,
    text: (name: string, site: string) =>
      `The report “${name}” of ${site} filters by a segment or goal that there no longer is. It is paused until its filters are changed.`,
  },
  pages: {
    confirm: (site: string) => `Do you want reports of ${site}?`,
    confirmButton: 'Yes, send them to me',
    confirmed: 'You get the reports from now on.',
    unsubscribe: (site: string) => `No longer get this report of ${site}?`,
    unsubscribeButton: 'Stop it',
    unsubscribed: 'You no longer get this report.',
    gone: 'This link no longer works. The report may have been removed.',
  },
};

const de: ReportWords = {
  blocks: {
    ...{ figures: 'Auf einen Blick', days: 'Besucher pro Tag', changes: 'Was sich geändert hat', pages: 'Seiten' },
    ...{ sources: 'Quellen', countries: 'Länder', goals: 'Ziele', assistants: 'KI-Assistenten', notes: 'Notizen' },
    ...{ sites: 'Alle Websites', missing: 'Neue fehlende Seiten (404)' },
  },
  crawlers: 'Crawler',
  figures: {
    ...{ visitors: 'Besucher', visits: 'Besuche', pageviews: 'Seitenaufrufe', viewsPerVisit: 'Aufrufe pro Besuch' },
    ...{ bounceRate: 'Absprungrate', avgVisitSeconds: 'Besuchsdauer', events: 'Ereignisse', revenue: 'Umsatz' },
  },
  dimensions: { referrer: 'Quelle', utmCampaign: 'Kampagne', entryPath: 'Einstiegsseite', country: 'Land' },
  before: 'davor',
  yearBefore: 'ein Jahr davor',
  conversions: 'Conversions',
  rate: 'Rate',
  direct: 'Direkt',
  none: '(ohne)',
  nothingChanged: 'Nichts hat sich mehr geändert, als es der Zufall tut.',
  noVisitors: 'In diesem Zeitraum kam niemand.',
  outage: 'Diese Zahlen sind unvollständig: Der Server lief einen Teil des Zeitraums nicht.',
  imported: 'Diese Zahlen sind unvollständig: Ein Import nennt nicht alle.',
  limited: 'Diese Zahlen sind unvollständig: Der Tarif des Kontos reicht nicht so weit zurück.',
  more: count => `und ${count} weitere`,
  subject: (site, days, visitors, change) =>
    `${site}, ${days}: ${visitors} Besucher${change === '' ? '' : ` (${change})`}`,
  filtered: filters => `Nur Hits mit ${filters}`,
  open: 'Diese Zahlen öffnen',
  unsubscribe: 'Diesen Bericht nicht mehr bekommen',
  why: (name, site) => `Sie bekommen den Bericht „${name}“ von ${site}.`,
  ask: {
    subject: site => `Möchten Sie Berichte von ${site}?`,
    text: (by, name, site) => `${by} möchte Ihnen den Bericht „${name}“ mit Zahlen der Website ${site} schicken.`,
    button: 'Ja, schicken Sie ihn mir',
    ignore: 'Wenn Sie nichts tun, bekommen Sie keine weitere Mail.',
  },
  invite: {
    subject: team => `Einladung zu ${team}`,
    text: (by, team) => `${by} lädt Sie in das Team ${team} ein. Der Link gilt einmal und sieben Tage lang.`,
    button: 'Einladung annehmen',
  },
  paused: {
    subject: (name, site) => `Der Bericht „${name}“ von ${site} ruht`,
    text: (name, site) =>
      `Der Bericht „${name}“ von ${site} filtert nach einem Segment oder Ziel, das es nicht mehr gibt. Er ruht, bis seine Filter geändert sind.`,
  },
  pages: {
    confirm: site => `Möchten Sie Berichte von ${site}?`,
    confirmButton: 'Ja, schicken Sie sie mir',
    confirmed: 'Sie bekommen die Berichte ab jetzt.',
    unsubscribe: site => `Diesen Bericht von ${site} nicht mehr bekommen?`,
    unsubscribeButton: 'Abbestellen',
    unsubscribed: 'Sie bekommen diesen Bericht nicht mehr.',
    gone: 'Dieser Link gilt nicht mehr. Der Bericht wurde vielleicht entfernt.',
  },
};

const fr: ReportWords = {
  blocks: {
    ...{
      figures: 'En bref',
      days: 'Visiteurs par jour',
      changes: 'Ce qui a changé',
      pages: 'Pages',
      sources: 'Sources',
    },
    ...{
      countries: 'Pays',
      goals: 'Objectifs',
      assistants: 'Assistants d’IA',
      notes: 'Notes',
      sites: 'Tous les sites',
    },
    missing: 'Nouvelles pages manquantes (404)',
  },
  crawlers: 'Robots',
  figures: {
    ...{ visitors: 'Visiteurs', visits: 'Visites', pageviews: 'Pages vues', viewsPerVisit: 'Pages par visite' },
    ...{ bounceRate: 'Taux de rebond', avgVisitSeconds: 'Durée des visites', events: 'Événements', revenue: 'Revenus' },
  },
  dimensions: { referrer: 'Source', utmCampaign: 'Campagne', entryPath: 'Page d’entrée', country: 'Pays' },
  before: 'avant',
  yearBefore: 'un an avant',
  conversions: 'Conversions',
  rate: 'Taux',
  direct: 'Direct',
  none: '(aucun)',
  nothingChanged: 'Rien n’a changé plus que le hasard ne le veut.',
  noVisitors: 'Personne n’est venu pendant cette période.',
  outage: 'Ces chiffres sont incomplets\u00a0: le serveur était arrêté pendant une partie de la période.',
  imported: 'Ces chiffres sont incomplets\u00a0: un import ne les donne pas tous.',
  limited: 'Ces chiffres sont incomplets\u00a0: l’offre du compte ne remonte pas aussi loin.',
  more: count => `et ${count} autres`,
  subject: (site, days, visitors, change) =>
    `${site}, ${days}\u00a0: ${visitors} visiteurs${change === '' ? '' : ` (${change})`}`,
  filtered: filters => `Seulement les hits avec ${filters}`,
  open: 'Ouvrir ces chiffres',
  unsubscribe: 'Ne plus recevoir ce rapport',
  why: (name, site) => `Vous recevez le rapport «\u202f${name}\u202f» de ${site}.`,
  ask: {
    subject: site => `Voulez-vous des rapports de ${site}\u202f?`,
    text: (by, name, site) =>
      `${by} veut vous envoyer le rapport «\u202f${name}\u202f» avec des chiffres du site ${site}.`,
    button: 'Oui, envoyez-le-moi',
    ignore: 'Si vous ne faites rien, vous ne recevrez pas d’autre message.',
  },
  invite: {
    subject: team => `Invitation dans ${team}`,
    text: (by, team) => `${by} vous invite dans l’équipe ${team}. Le lien sert une fois, pendant sept jours.`,
    button: 'Accepter l’invitation',
  },
  paused: {
    subject: (name, site) => `Le rapport «\u202f${name}\u202f» de ${site} est suspendu`,
    text: (name, site) =>
      `Le rapport «\u202f${name}\u202f» de ${site} filtre par un segment ou un objectif qui n’existe plus. Il est suspendu jusqu’à ce que ses filtres changent.`,
  },
  pages: {
    confirm: site => `Voulez-vous des rapports de ${site}\u202f?`,
    confirmButton: 'Oui, envoyez-les-moi',
    confirmed: 'Vous recevrez les rapports à partir de maintenant.',
    unsubscribe: site => `Ne plus recevoir ce rapport de ${site}\u202f?`,
    unsubscribeButton: 'Se désabonner',
    unsubscribed: 'Vous ne recevrez plus ce rapport.',
    gone: 'Ce lien ne sert plus. Le rapport a peut-être été supprimé.',
  },
};

export const reportWords: Readonly<Record<Language, ReportWords>> = { en, de, fr };
