/** A data router: what a page needs is loaded before the address changes. */
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, Link, Outlet, RouterProvider, redirect, useLocation } from 'react-router';
import { load, redirectsTo } from '../site.ts';
import { Nav, Page } from './react-parts.jsx';

const Layout = () => (
  <>
    <Nav Link={Link} />
    <Outlet />
  </>
);

const Here = () => {
  const { pathname, search } = useLocation();
  return <Page path={pathname} search={search} />;
};

const router = createBrowserRouter([
  {
    Component: Layout,
    children: [
      { path: '/old', loader: () => redirect(redirectsTo) },
      {
        path: '*',
        Component: Here,
        HydrateFallback: () => null,
        async loader({ request }) {
          await load(new URL(request.url).pathname);
          return null;
        },
      },
    ],
  },
]);
createRoot(document.getElementById('root')).render(<RouterProvider router={router} />);
