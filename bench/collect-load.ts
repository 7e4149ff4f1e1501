/** Drives an HTTP server with wrk, which sends the requests of a file in their order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { addressMark } from '../test/tools/traffic.ts';

export interface Load {
  requests: number;
  /** Requests answered with another status than 2xx or 3xx, or whose connection broke. */
  failed: number;
  /** Answers that took longer than wrk's two seconds. They are counted among the requests. */
  late: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export interface LoadOptions {
  /** Requests with a NUL between them and an `addressMark` in each. */
  trafficFile: string;
  /** `loadScript` as a file. */
  scriptFile: string;
  /**
   * What stands for the mark the first time round, then the next number, and so on up to 250 and
   * from 1 again.
   */
  firstAddress: number;
  seconds: number;
  connections: number;
}

export const drive = async (url: string, options: LoadOptions): Promise<Load> => {
  const { trafficFile, scriptFile, firstAddress, seconds, connections } = options;
  const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', scriptFile, url];
  const wrk = spawn('wrk', [...load, '--', trafficFile, String(firstAddress)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  wrk.stdout.on('data', chunk => {
    output += chunk;
  });
  await once(wrk, 'close');
  const result = /RESULT (.*)/.exec(output)?.[1]?.split(' ').map(Number);
  if (result === undefined) throw new Error(`wrk did not say how it went:\n${output}`);
  const [requests = 0, failed = 0, late = 0, us = 0, p50Us = 0, p99Us = 0] = result;
  return { requests, failed, late, perSecond: (requests / us) * 1e6, p50: p50Us / 1000, p99: p99Us / 1000 };
};

/** Each request is cut at its mark once, so that sending it takes one concatenation. */
export const loadScript = `
local parts, at, address = {}, 0, 0

function init(args)
  local file = io.open(args[1], "rb")
  local text = file:read("*a")
  file:close()
  address = tonumber(args[2])
  local from = 1
  while true do
    local stop = text:find("\\0", from, true)
    local one = text:sub(from, (stop or 0) - 1)
    local mark = one:find("${addressMark}", 1, true)
    parts[#parts + 1] = one:sub(1, mark - 1)
    parts[#parts + 1] = one:sub(mark + 1)
    if not stop then break end
    from = stop + 1
  end
end

function request()
  local head, tail = parts[at + 1], parts[at + 2]
  at = at + 2
  if at == #parts then
    at = 0
    address = address + 1
  end
  return head .. (1 + address % 250) .. tail
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write
  print(string.format("RESULT %d %d %d %d %d %d", summary.requests, failed, errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)))
end
`;
