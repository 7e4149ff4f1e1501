/** compose.cluster.yaml, as far as can be told without Docker: what it names is there, and the settings can be read. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../../src/cli/commands.ts';
import { settings } from '../../src/config.ts';
import { readShards } from '../../src/model/shards.ts';
import { packageRoot } from '../../src/package-root.ts';

interface Service {
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: string[];
  volumes?: string[];
  configs?: { source: string }[];
  secrets?: { source: string; target: string }[];
}

interface Compose {
  services: Record<string, Service>;
  volumes: object;
  configs: Record<string, { content: string }>;
  secrets: object;
}

const read = (): Compose | undefined => {
  const file = join(packageRoot, 'compose.cluster.yaml');
  const program = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
  const { status, stdout } = spawnSync('python3', ['-c', program, file], { encoding: 'utf8' });
  return status === 0 ? JSON.parse(stdout) : undefined;
};

const compose = read();
const tryIt = compose === undefined ? test.skip : test;

tryIt('all that a service names is there', () => {
  const { services, volumes, configs, secrets } = compose!;
  for (const [name, service] of Object.entries(services)) {
    for (const other of service.depends_on ?? []) assert.ok(other in services, `${name} depends on ${other}`);
    for (const volume of service.volumes ?? []) assert.ok(volume.split(':')[0]! in volumes, volume);
    for (const { source } of service.configs ?? []) assert.ok(source in configs, source);
    for (const { source } of service.secrets ?? []) assert.ok(source in secrets, source);
  }
  const caddy = configs.caddy!.content;
  for (const [, host] of caddy.matchAll(/\b(\w+):8080\b/g)) assert.ok(host! in services, host);
  assert.match(caddy, /respond \/cluster\/\* 404/);
});

tryIt('its settings and commands are those of Daybook, and its shards are two of two replicas', () => {
  const { services } = compose!;
  const known: string[] = Object.values(settings).map(({ env }) => env);
  for (const name of ['primary', 'collector1', 'collector2']) {
    const { environment = {}, command, secrets = [] } = services[name]!;
    for (const variable of Object.keys(environment))
      assert.ok(known.includes(variable.replace(/_FILE$/, '')), variable);
    if (command !== undefined) assert.ok(commands.some(of => of.name === command.slice(2).join(' ')));
    if (name === 'primary') continue;
    assert.is(environment.CLUSTER_TOKEN_FILE, `/run/secrets/${secrets[0]!.target}`);
    assert.ok(new URL(environment.PRIMARY!).hostname in services);
  }
  const shards = readShards(services.primary!.environment!.CLICKHOUSE!.replaceAll(/\$\{\w+\}/g, 'password'))!;
  assert.equal(
    shards.map(replicas => replicas.length),
    [2, 2],
  );
  const hosts = shards.flat().map(({ hostname }) => hostname);
  assert.is(new Set(hosts).size, 4);
  for (const host of hosts) assert.ok(host in services, host);
});

test('the page has the commands', () => {
  const page = readFileSync(join(packageRoot, 'docs/cluster.md'), 'utf8');
  for (const [, words] of page.matchAll(
    /compose\.cluster\.yaml exec -T primary node dist\/daybook\.js ((?:[a-z]+ ?)+)/g,
  ))
    assert.ok(commands.some(({ name }) => name === words!.trim()));
  assert.match(page, /^ {4}docker compose -f compose\.cluster\.yaml up -d$/m);
});

test.run();
