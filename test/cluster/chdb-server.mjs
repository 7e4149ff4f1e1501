/** `chdb-server.mjs PORT DIR PACKAGES`: chdb behind as much of ClickHouse's HTTP interface as Daybook uses. */
import { unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [port, dir, packages] = process.argv.slice(2);
const { Session } = createRequire(join(packages, 'package.json'))('chdb');
const session = new Session(join(dir, 'data'));
/** What is no setting in an address. */
const others = new Set(['query', 'database', 'wait_end_of_query']);

const answer = (parameters, body) => {
  if (parameters.get('database')) session.query(`use ${parameters.get('database')}`);
  for (const [name, value] of parameters)
    if (!others.has(name)) session.query(`set ${name} = '${value.replaceAll("'", "''")}'`);
  const insert = /^(insert into .*) format (\w+)$/s.exec(parameters.get('query') ?? '');
  if (insert !== null) {
    const file = join(dir, 'insert');
    writeFileSync(file, body);
    session.query(`${insert[1]} from infile '${file}' format ${insert[2]}`);
    unlinkSync(file);
    return '';
  }
  const sql = body.toString();
  const format = / format (\w+)$/.exec(sql);
  return session.query(format === null ? sql : sql.slice(0, format.index), format?.[1] ?? 'TabSeparated');
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    try {
      const { searchParams } = new URL(request.url, 'http://localhost');
      let text;
      try {
        text = answer(searchParams, Buffer.concat(chunks));
      } finally {
        // Settings are those of one request.
        for (const name of searchParams.keys()) if (!others.has(name)) session.query(`set ${name} = default`);
      }
      response.writeHead(200).end(text);
    } catch (error) {
      response.writeHead(500).end(error.message);
    }
  });
});
// Else connections that wait for a query are ended as idle.
server.keepAliveTimeout = 600_000;
server.listen(Number(port), '127.0.0.1');
