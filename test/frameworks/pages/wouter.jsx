import { createRoot } from 'react-dom/client';
import { Link, Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { redirectsTo } from '../site.ts';
import { LoadingPage, Nav } from './react-parts.jsx';

const Here = () => {
  const [path] = useLocation();
  return <LoadingPage path={path} search={useSearch()} />;
};

createRoot(document.getElementById('root')).render(
  <>
    <Nav Link={Link} />
    <Switch>
      <Route path="/old">
        <Redirect to={redirectsTo} replace />
      </Route>
      <Route component={Here} />
    </Switch>
  </>,
);
