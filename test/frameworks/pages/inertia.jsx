import { createInertiaApp, Head, Link } from '@inertiajs/react';
import { createRoot } from 'react-dom/client';
import { links } from '../site.ts';

const Here = ({ title }) => (
  <>
    <Head title={title} />
    <h1>{title}</h1>
    {links.map(to => (
      <Link key={to} href={to}>
        {to}{' '}
      </Link>
    ))}
  </>
);

createInertiaApp({
  resolve: () => Here,
  setup: ({ el, App, props }) => createRoot(el).render(<App {...props} />),
});
