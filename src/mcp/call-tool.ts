/** What a call of a tool is answered with. */
import type { ParameterError } from '../api/request/parameters.ts';
import type { HttpError } from '../http/errors.ts';
import { cell, markdownOf } from './markdown.ts';
import { type Arguments, type Assistant, refuseUnknown, type Tool } from './tool.ts';

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
    refuseUnknown(given, tool.takes);
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
