import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { links, load, redirectsTo, titleOf } from '../site.ts';

const Old = () => {
  const { route } = useLocation();
  useEffect(() => route(redirectsTo, true), []);
};

const Here = () => {
  const { path, url } = useLocation();
  const title = titleOf(path, new URL(url, location.origin).search);
  const [shown, show] = useState('');
  useEffect(() => {
    load(path).then(() => {
      document.title = title;
      show(title);
    });
  }, [path, title]);
  return <h1>{shown}</h1>;
};

render(
  <LocationProvider>
    {links.map(to => (
      <a key={to} href={to}>
        {to}{' '}
      </a>
    ))}
    <Router>
      <Route path="/old" component={Old} />
      <Route default component={Here} />
    </Router>
  </LocationProvider>,
  document.getElementById('root'),
);
