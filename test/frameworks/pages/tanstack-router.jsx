/** Titles by its `head`, data by its loaders. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  defaultParseSearch,
  HeadContent,
  Link,
  Outlet,
  RouterProvider,
  redirect,
  useLocation,
} from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { links, load, paths, redirectsTo, titleOf } from '../site.ts';

const Nav = () =>
  links.map(to => {
    const { pathname, search, hash } = new URL(to, location.origin);
    return (
      <Link key={to} to={pathname} search={defaultParseSearch(search)} hash={hash.slice(1)}>
        {to}{' '}
      </Link>
    );
  });

const Here = () => {
  const { pathname, searchStr } = useLocation();
  return <h1>{titleOf(pathname, searchStr)}</h1>;
};

const rootRoute = createRootRoute({
  component: () => (
    <>
      <HeadContent />
      <Nav />
      <Outlet />
    </>
  ),
});

const page = path =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: Here,
    validateSearch: search => search,
    loaderDeps: ({ search }) => search,
    loader: () => load(path),
    head: ({ match }) => ({ meta: [{ title: titleOf(path, `?page=${match.search.page}`) }] }),
  });

const old = createRoute({
  getParentRoute: () => rootRoute,
  path: '/old',
  beforeLoad: () => {
    throw redirect({ to: redirectsTo });
  },
});

const router = createRouter({ routeTree: rootRoute.addChildren([...paths.map(page), old]) });
createRoot(document.getElementById('root')).render(<RouterProvider router={router} />);
