import Link from 'next/link';
import { redirect } from 'next/navigation';
import { links, redirectsTo, titleOf } from '../../site.js';

const titleFor = async ({ params, searchParams }) => {
  const { path = [] } = await params;
  const { page } = await searchParams;
  return titleOf(`/${path.join('/')}`, `?page=${page}`);
};

export const generateMetadata = async props => ({ title: await titleFor(props) });

export default async function Page(props) {
  const { path: [path] = [] } = await props.params;
  if (path === 'old') redirect(`${redirectsTo}?${new URLSearchParams(await props.searchParams)}`.replace(/\?$/, ''));
  if (path === 'slow') await new Promise(done => setTimeout(done, 400));
  return (
    <>
      <h1>{await titleFor(props)}</h1>
      {links.map(to => (
        <Link key={to} href={to}>
          {to}{' '}
        </Link>
      ))}
    </>
  );
}
