import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ErrorCode, errors, HttpError } from '../../src/http/errors.ts';
import { packageRoot } from '../../src/package-root.ts';

const codes = Object.keys(errors) as ErrorCode[];

test('an error is answered as its row says', () => {
  const { status, headers, body } = new HttpError('query-busy').reply;
  assert.equal([status, body], [503, '{"error":"too many queries"}']);
  assert.equal(headers, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' });
});

test('details extend or replace the text, and the time to wait is a header too', () => {
  const limited = new HttpError('app-too-many-attempts', { retryAfterSeconds: 60 });
  assert.equal(
    [limited.reply.body, limited.reply.headers['retry-after']],
    ['{"error":"Too many attempts.","retryAfterSeconds":60}', '60'],
  );
  const bad = new HttpError('app-bad-value', { error: 'This is no domain.', field: 'domain' });
  assert.equal(
    [bad.message, bad.reply.body],
    ['This is no domain.', '{"error":"This is no domain.","field":"domain"}'],
  );
  const other = new HttpError('method-not-allowed', {}, { allow: 'GET' });
  assert.equal([other.reply.status, other.reply.headers.allow], [405, 'GET']);
});

test('every 503 says when to try again', () => {
  for (const code of codes.filter(code => errors[code].status === 503)) {
    const { headers } = new HttpError(code, code === 'app-busy' ? { retryAfterSeconds: 3 } : {}).reply;
    assert.match(String(headers['retry-after']), /^\d+$/, code);
  }
});

test('docs/api.md lists every error of the API, and docs/mcp.md those of assistants', () => {
  const textOf = (page: string): string => readFileSync(join(packageRoot, 'docs', page), 'utf8');
  const [api, mcp] = [textOf('api.md'), textOf('mcp.md')];
  for (const code of codes.filter(code => !code.startsWith('app-'))) {
    const row = errors[code];
    const docs = code.startsWith('mcp-') ? mcp : api;
    if ('error' in row) assert.ok(docs.includes(`| ${row.status} | \`${row.error}\` |`), code);
  }
});

test('errors of the dashboard are sentences', () => {
  for (const code of codes.filter(code => code.startsWith('app-'))) {
    const row = errors[code];
    if ('error' in row) assert.match(row.error, /^[A-Z].*\.$/, code);
  }
});

test.run();
