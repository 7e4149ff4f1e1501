/** What the pages of React's routers have in common. */
import { useEffect, useState } from 'react';
import { links, load, titleOf } from '../site.ts';

/** `Link` is the router's own. */
export const Nav = ({ Link }) =>
  links.map(to => (
    <Link key={to} to={to}>
      {to}{' '}
    </Link>
  ));

/** A page that shows itself at once and its title when it can. */
export const Page = ({ path, search }) => {
  const title = titleOf(path, search);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return <h1>{title}</h1>;
};

/** The same, where the page itself waits for its data. */
export const LoadingPage = ({ path, search }) => {
  const [ready, setReady] = useState('');
  useEffect(() => {
    load(path).then(() => setReady(path));
  }, [path]);
  return ready === path ? <Page path={path} search={search} /> : <p>Loading</p>;
};
