/**
 * Finds the route of a request by method and path. A path may have names, as in `/sites/:id/stats`,
 * each of which stands for one segment that is not empty. It may end with `/*`, which stands for
 * any further segments, or none.
 */

export interface Route {
  /** HEAD is answered where GET is. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  path: string;
}

/** The segments that stand for each `:name`, decoded; a segment that does not decode is empty. */
export type PathParameters = Readonly<Record<string, string>>;

export interface FoundRoute<R extends Route> {
  /** Undefined when the path answers other methods only. */
  route: R | undefined;
  parameters: PathParameters;
  /** The methods that the path answers, as the header `allow` lists them. */
  allow: string;
}

/** The parameters in the address of a request. */
export const searchOf = (url = ''): URLSearchParams => new URLSearchParams(/\?.*/s.exec(url)?.[0]);

/** Exact paths come first, then patterns in their order. Undefined when no route has the path. */
export type Router<R extends Route> = (method: string | undefined, path: string) => FoundRoute<R> | undefined;

export const createRouter = <R extends Route>(routes: readonly R[]): Router<R> => {
  const exact = new Map<string, PathRoutes<R>>();
  const patterns = new Map<string, PathRoutes<R>>();
  for (const route of routes) {
    const { method, path } = route;
    const paths = /\/(:|\*$)/.test(path) ? patterns : exact;
    const routesOf = paths.get(path) ?? { segments: path.split('/'), byMethod: new Map<string, R>(), allow: '' };
    routesOf.byMethod.set(method, route);
    if (method === 'GET') routesOf.byMethod.set('HEAD', route);
    routesOf.allow = [...routesOf.byMethod.keys()].join(', ');
    paths.set(path, routesOf);
  }

  const found = ({ byMethod, allow }: PathRoutes<R>, method = '', parameters: PathParameters): FoundRoute<R> => ({
    route: byMethod.get(method),
    parameters,
    allow,
  });

  return (method, path) => {
    const routesOf = exact.get(path);
    if (routesOf !== undefined) return found(routesOf, method, {});
    const given = path.split('/');
    for (const routesOf of patterns.values()) {
      const parameters = parametersOf(routesOf.segments, given);
      if (parameters !== undefined) return found(routesOf, method, parameters);
    }
    return undefined;
  };
};

/** What one path answers. */
interface PathRoutes<R> {
  segments: string[];
  byMethod: Map<string, R>;
  allow: string;
}

const parametersOf = (wanted: readonly string[], given: readonly string[]): PathParameters | undefined => {
  const isOpen = wanted.at(-1) === '*';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? given.length < fixed.length : given.length !== fixed.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, segment] of fixed.entries()) {
    if (segment.startsWith(':') && given[i] !== '') parameters[segment.slice(1)] = decoded(given[i]!);
    else if (segment !== given[i]) return undefined;
  }
  return parameters;
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No link of ours is written like this. An empty name is found nowhere.
    return '';
  }
};
