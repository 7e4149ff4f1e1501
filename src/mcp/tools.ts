/** Every tool, in the order in which they are listed. */

import type { ParameterError } from '../api/request/parameters.ts';
import type { HttpError } from '../http/errors.ts';
import { cell, markdownOf } from './markdown.ts';
import { questionTools } from './questions.ts';
import { siteTools } from './site-tools.ts';
import type { Arguments, Assistant, Tool } from './tool.ts';

const [listSites, describeSite, ...otherSiteTools] = siteTools;
export const tools: readonly Tool[] = [listSites!, describeSite!, ...questionTools, ...otherSiteTools];

/** Those that somebody may call. */
export const toolsFor = ({ may }: Assistant): Tool[] =>
  tools.filter(({ needs }) => needs === undefined || may.has(needs));

/** A tool as the protocol lists it. */
export const toolJson = ({ name, title, description, takes, gives, writes }: Tool): object => ({
  ...{ name, title, description, inputSchema: takes, outputSchema: gives },
  annotations: {
    ...{ title, readOnlyHint: writes !== true, destructiveHint: false },
    ...{ idempotentHint: writes !== true, openWorldHint: false },
  },
});

type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** Answers with a text and the same as data; what the caller can mend is an answer too. */
export const callTool = async (
  tool: Tool,
  assistant: Assistant,
  given: Arguments,
  httpErrorOf: (error: unknown) => HttpError,
): Promise<ToolResult> => {
  try {
    const body = await tool.answer(assistant, given);
    return {
      content: [{ type: 'text', text: markdownOf(body) }],
      structuredContent: body as Record<string, unknown>,
    };
  } catch (error) {
    return { content: [{ type: 'text', text: failureText(httpErrorOf(error), assistant) }], isError: true };
  }
};

const sitesToldMax = 50;

const failureText = (failure: HttpError, assistant: Assistant): string => {
  const { error, parameter, value, allowed } = JSON.parse(failure.reply.body) as ParameterError['body'];
  const sites = failure.code === 'site-not-found' ? assistant.sites().slice(0, sitesToldMax) : [];
  const about = parameter === undefined ? '' : ` (${cell(parameter)}${value === undefined ? '' : `: ${cell(value)}`})`;
  return [
    `${error}${about}`,
    ...(allowed === undefined ? [] : [`allowed: ${allowed.map(cell).join(', ')}`]),
    ...(sites.length === 0 ? [] : [`sites: ${sites.map(({ domain }) => domain).join(', ')}`]),
  ].join('; ');
};
