/** Components, as most of its pages are. */
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Navigate, Route, Routes, useLocation } from 'react-router-dom';
import { redirectsTo } from '../site.ts';
import { LoadingPage, Nav } from './react-parts.jsx';

const Here = () => {
  const { pathname, search } = useLocation();
  return <LoadingPage path={pathname} search={search} />;
};

createRoot(document.getElementById('root')).render(
  <BrowserRouter>
    <Nav Link={Link} />
    <Routes>
      <Route path="/old" element={<Navigate to={redirectsTo} replace />} />
      <Route path="*" element={<Here />} />
    </Routes>
  </BrowserRouter>,
);
