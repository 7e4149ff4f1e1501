/** Reads a file of settings and checks it whole, before anything is changed. */
import { readFileSync } from 'node:fs';
import type { Document, LineCounter, Node, Pair, YAMLMap } from 'yaml';
import { suggestion } from '../model/nearest.ts';
import { ValueError } from '../model/values.ts';
import type { FileField, FileKind, GivenFields } from './kind.ts';
import { kinds } from './kinds.ts';

/** A thing as the file wants it. */
export interface WantedThing {
  kind: FileKind;
  given: GivenFields;
  inside: readonly WantedThing[];
  at: FaultPlace;
  /** Where its fields are, and those within them. */
  places: Readonly<Record<string, FaultPlace>>;
}

/** From 1. */
export interface FaultPlace {
  line: number;
  column: number;
}
/** What is wrong, and where. */
export interface Fault extends FaultPlace {
  sentence: string;
}

/** What the file refers to with `${…}`. */
export interface Outside {
  env: Readonly<Record<string, string | undefined>>;
  readFile: (path: string) => string;
}

export const outsideOf = (env: Outside['env']): Outside => ({ env, readFile: path => readFileSync(path, 'utf8') });

/** How much a file may hold. */
export interface FileLimits {
  things: number;
  /** A list that is referred to with * counts each time. */
  values: number;
  /** Each takes half a second. */
  passwords: number;
}

/** More cannot be meant, and would take long. */
const bytesMax = 4 * 1024 * 1024;
export const fileLimits: FileLimits = { things: 100_000, values: 1_000_000, passwords: 100 };
const depthMax = 4;
/** Each unknown name is compared with those that are known. */
const faultsMax = 1000;

/**
 * All that a text wants, or all that is wrong with it. Its library is loaded for it alone. A text
 * that comes from elsewhere refers to nothing of this machine: then `outside` is null.
 */
export const readSettingsFile = async (
  source: string,
  outside: Outside | null,
  limits: FileLimits,
): Promise<{ wanted: WantedThing[] } | { faults: Fault[] }> => {
  const yaml = await import('yaml');
  if (Buffer.byteLength(source) > bytesMax)
    return { faults: [{ line: 1, column: 1, sentence: 'The file has more than 4 MiB.' }] };
  const lines = new yaml.LineCounter();
  const document = parsed(yaml, source, lines);
  if (document === undefined) return { faults: [{ line: 1, column: 1, sentence: 'The file is nested too deep.' }] };
  const place = (offset: number): FaultPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    return { faults: document.errors.map(({ pos, message }) => ({ ...place(pos[0]), sentence: `${message}.` })) };
  const reference = outside === null ? firstReference(yaml, document) : undefined;
  if (reference !== undefined)
    return { faults: [{ ...place(reference), sentence: 'A body refers to nothing with *: write the value.' }] };
  const reader = new Reader(yaml, document, { outside, limits }, place);
  const wanted = reader.file();
  const faults = reader.faults.sort((a, b) => a.line - b.line || a.column - b.column);
  return faults.length > 0 ? { faults } : { wanted };
};

type Yaml = typeof import('yaml');

/** Where the first `*` stands: each is looked up in all that stands before it. */
const firstReference = (yaml: Yaml, document: Document): number | undefined => {
  let found: number | undefined;
  yaml.visit(document, {
    Alias(_, { range }) {
      found = range?.[0] ?? 0;
      return yaml.visit.BREAK;
    },
  });
  return found;
};

/** Undefined where the library has not enough room to read it. */
const parsed = (yaml: Yaml, source: string, lineCounter: LineCounter): Document.Parsed | undefined => {
  try {
    return yaml.parseDocument(source, { lineCounter, prettyErrors: false, uniqueKeys: false }) as Document.Parsed;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

type FileEntry = Pair<Node, Node | null>;

const shapes: Readonly<Record<FileField['shape'], string>> = {
  text: 'a text',
  list: 'a list of texts',
  number: 'a number',
  switch: 'true or false',
  value: 'a text, a number, a list or names with values',
};

class Reader {
  readonly faults: Fault[] = [];
  private things = 0;
  private values = 0;
  private readonly yaml: Yaml;
  private readonly document: Document.Parsed;
  private readonly outside: Outside | null;
  private readonly limits: FileLimits;
  private readonly placeOf: (offset: number) => FaultPlace;

  constructor(
    yaml: Yaml,
    document: Document.Parsed,
    { outside, limits }: { outside: Outside | null; limits: FileLimits },
    placeOf: (offset: number) => FaultPlace,
  ) {
    this.yaml = yaml;
    this.document = document;
    this.outside = outside;
    this.limits = limits;
    this.placeOf = placeOf;
  }

  file(): WantedThing[] {
    const map = this.mapOf(this.document.contents, 'The file');
    if (map === undefined) return [];
    const version = map.items.find(pair => this.nameOf(pair as FileEntry) === 'version') as FileEntry | undefined;
    const value = version && this.resolved(version.value);
    if (version === undefined) this.blame(map, 'The file needs version: 1 at its top.');
    else if (!this.yaml.isScalar(value) || value.value !== 1)
      this.blame(version.value ?? version.key, 'This program reads version 1.');
    return this.insideOf(map, kinds, ['version']);
  }

  private at(node: Node | null | undefined): FaultPlace {
    return this.placeOf(node?.range?.[0] ?? 0);
  }
  private blame(node: Node | null | undefined, sentence: string): void {
    if (!this.isFull()) this.faults.push({ ...this.at(node), sentence });
  }
  private isFull(): boolean {
    return this.faults.length >= faultsMax;
  }
  private nameOf({ key }: FileEntry): string {
    return this.yaml.isScalar(key) ? String(key.value) : '';
  }
  private resolved(node: Node | null): Node | undefined {
    return (this.yaml.isAlias(node) ? node.resolve(this.document) : node) ?? undefined;
  }
  private mapOf(node: Node | null, what: string): YAMLMap<Node, Node | null> | undefined {
    const found = this.resolved(node);
    if (this.yaml.isMap(found)) {
      this.blameDoubles(found.items as FileEntry[]);
      return found as YAMLMap<Node, Node | null>;
    }
    this.blame(node, `${what} must be names with values, like name: shop.`);
    return undefined;
  }

  /** The library would compare each name with each other one. */
  private blameDoubles(items: readonly FileEntry[]): void {
    const seen = new Set<string>();
    for (const pair of items) {
      const name = this.nameOf(pair);
      if (seen.has(name)) this.blame(pair.key, `${name || 'Something'} stands twice.`);
      seen.add(name);
    }
  }

  /** The lists of a map, by the kinds that may stand there; names in `known` are read elsewhere. */
  private insideOf(
    map: YAMLMap<Node, Node | null>,
    inside: readonly FileKind[],
    known: readonly string[],
  ): WantedThing[] {
    const names = [...known, ...inside.map(({ plural }) => plural)];
    // In the order of the kinds: members name sites.
    const found = new Map<FileKind, WantedThing[]>();
    for (const pair of map.items as FileEntry[]) {
      const name = this.nameOf(pair);
      const kind = inside.find(({ plural }) => plural === name);
      if (kind !== undefined) found.set(kind, this.listOf(pair, kind));
      else if (!known.includes(name) && !this.isFull())
        this.blame(pair.key, `There is no ${name || 'such name'} here.${suggestion(name, names)}`);
    }
    return inside.flatMap(kind => found.get(kind) ?? []);
  }

  private listOf({ key, value }: FileEntry, kind: FileKind): WantedThing[] {
    const list = this.resolved(value);
    if (!this.yaml.isSeq(list)) {
      this.blame(value ?? key, `${kind.plural} must be a list: begin each with a dash.`);
      return [];
    }
    const seen = new Set<string>();
    return (list.items as (Node | null)[]).flatMap(item => {
      const wanted = this.thing(item ?? key, kind);
      if (wanted === undefined) return [];
      const name = keyOf(wanted).join(' ');
      if (seen.has(name)) this.blame(item, `${name} stands twice in ${kind.plural}.`);
      seen.add(name);
      return wanted;
    });
  }

  private thing(node: Node, kind: FileKind): WantedThing | undefined {
    const { things } = this.limits;
    if (++this.things > things) {
      if (this.things === things + 1) this.blame(node, `A file has at most ${things} things.`);
      return undefined;
    }
    const map = this.mapOf(node, `What stands in ${kind.plural}`);
    if (map === undefined) return undefined;
    const given: Record<string, unknown> = {};
    for (const pair of map.items as FileEntry[]) {
      const name = this.nameOf(pair);
      if (!Object.hasOwn(kind.fields, name)) continue;
      const value = this.valueOf(pair, name, kind.fields[name]!);
      if (value !== undefined) given[name] = value;
    }
    const isNamed = (name: string): boolean => (map.items as FileEntry[]).some(pair => this.nameOf(pair) === name);
    const missing = kind.key.filter(name => !isNamed(name));
    for (const name of missing) this.blame(node, `What stands in ${kind.plural} needs ${name}.`);
    const inside = this.insideOf(map, kind.inside, Object.keys(kind.fields));
    if (kind.key.some(name => !(name in given))) return undefined;
    return { kind, given, inside, at: this.at(node), places: this.placesIn(map) };
  }

  private placesIn(map: YAMLMap<Node, Node | null>): Record<string, FaultPlace> {
    const places: Record<string, FaultPlace> = {};
    for (const pair of map.items as FileEntry[]) {
      const value = this.resolved(pair.value);
      if (this.yaml.isMap(value))
        for (const inner of value.items as FileEntry[]) places[this.nameOf(inner)] = this.at(inner.key);
    }
    for (const pair of map.items as FileEntry[]) places[this.nameOf(pair)] = this.at(pair.value ?? pair.key);
    return places;
  }

  /** Undefined where it is wrong, which is noted. */
  private valueOf({ key, value: node }: FileEntry, name: string, { shape, read }: FileField): unknown {
    try {
      const typed = this.typed(this.resolved(node), shape);
      if (typed !== undefined) return read(typed as never);
      this.blame(node ?? key, `${name} must be ${shapes[shape]}.`);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.blame(node, error.message);
    }
    return undefined;
  }

  private typed(node: Node | undefined, shape: FileField['shape']): unknown {
    const { values } = this.limits;
    if (++this.values > values) throw new ValueError(`A file has at most ${values} values.`);
    if (shape === 'value') return this.plain(node, depthMax);
    if (shape === 'list') {
      if (!this.yaml.isSeq(node)) return undefined;
      const items = (node.items as (Node | null)[]).map(item => this.typed(this.resolved(item), 'text'));
      return items.some(item => item === undefined) ? undefined : items;
    }
    if (!this.yaml.isScalar(node)) return undefined;
    const { value } = node;
    if (shape === 'switch') return typeof value === 'boolean' ? value : undefined;
    if (typeof value === 'string') return this.filled(value);
    // Nothing is no number, as an empty field in the page.
    if (shape === 'number' && value === null) return '';
    return shape === 'number' && typeof value === 'number' ? String(value) : undefined;
  }

  /** A value as JSON has it. */
  private plain(node: Node | undefined, depth: number): unknown {
    if (++this.values > this.limits.values || depth === 0) throw new ValueError('This holds too much.');
    if (this.yaml.isSeq(node)) return node.items.map(item => this.plain(this.resolved(item as Node), depth - 1));
    if (this.yaml.isMap(node)) {
      this.blameDoubles(node.items as FileEntry[]);
      return Object.fromEntries(
        (node.items as FileEntry[]).map(pair => [this.nameOf(pair), this.plain(this.resolved(pair.value), depth - 1)]),
      );
    }
    if (!this.yaml.isScalar(node)) return undefined;
    return typeof node.value === 'string' ? this.filled(node.value) : node.value;
  }

  /** A text with what it refers to in place of `${…}`. `$$` is a dollar. */
  private filled(text: string): string {
    return text.replace(/\$\$|\$\{([^}]*)\}/g, (whole, inner: string | undefined) =>
      inner === undefined ? whole.slice(1) : this.referred(inner),
    );
  }

  private referred(inner: string): string {
    const { outside } = this;
    if (outside === null) throw new ValueError('A body refers to nothing: write the value, and $$ for a dollar.');
    const [, path] = /^file:(.+)$/s.exec(inner) ?? [];
    if (path !== undefined) {
      try {
        return outside.readFile(path).trim();
      } catch (error) {
        throw new ValueError(`The file ${path} cannot be read: ${(error as Error).message}.`);
      }
    }
    const [, name, preset] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined)
      throw new ValueError(`\${${inner}} is no reference: write \${NAME}, \${NAME:-preset} or \${file:PATH}.`);
    const value = outside.env[name] || preset;
    if (value === undefined)
      throw new ValueError(`The environment has no ${name}: set it, or write \${${name}:-preset}.`);
    return value;
  }
}

/** The values that name a thing among those of its kind. */
export const keyOf = ({ kind, given }: Pick<WantedThing, 'kind' | 'given'>): string[] =>
  kind.key.map(name => String(given[name]));
