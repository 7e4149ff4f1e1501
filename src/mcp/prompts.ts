/** What people ask an assistant by name. */

interface Prompt {
  name: string;
  title: string;
  description: string;
  /** What the assistant is asked to do, about a site and a period. */
  text(site: string, period: string): string;
}

const prompts: readonly Prompt[] = [
  {
    name: 'weekly_review',
    title: 'Review of a period',
    description: 'How a site did: figures, what changed, and what to look at',
    text: (site, period) =>
      `Review ${site} over ${period}. Ask get_stats first, then explain_change for visitors and for conversions or revenue where there are some, then get_table for path, channel and utmCampaign. Say in at most ten sentences how the period was against the one before, which values account for it, what is beyond chance and what is not, and name one thing to look at. Give the dashboardUrl of each figure.`,
  },
  {
    name: 'why_did_it_change',
    title: 'Why did it change?',
    description: 'Which values account for a change',
    text: (site, period) =>
      `Find out what changed on ${site} in ${period}. Ask explain_change for visitors, then narrow down with filters on the value that accounts for most of it. Tell arithmetic as arithmetic: shares only where they are given, and no cause that the numbers or the notes do not show.`,
  },
  {
    name: 'launch_check',
    title: 'Check a launch',
    description: 'Whether a site is measured as it should be',
    text: (site, period) =>
      `Check that ${site} is measured well. Ask check_installation, then get_realtime, then get_events and get_goals over ${period}, and get_crawlers with by=status. Say what works, what is missing, and how to mend it, with get_tag where the tag is missing.`,
  },
];

const argumentsOf = [
  { name: 'site', description: 'Domain of the site', required: true },
  { name: 'period', description: 'A range such as 7d or last-week', required: false },
];

export const promptList = prompts.map(({ name, title, description }) => ({
  ...{ name, title, description, arguments: argumentsOf },
}));

/** What a prompt says; undefined where there is none of the name. */
export const promptNamed = (name: string, given: Readonly<Record<string, string>>) => {
  const prompt = prompts.find(each => each.name === name);
  if (prompt === undefined) return undefined;
  const text = prompt.text(given.site ?? 'the site', given.period ?? 'last-week');
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  };
};
