/** Which requests of an access log are page views, and their URLs. */
import { withoutWww } from '../collect/page-url.ts';
import type { LoggedRequest } from './combined.ts';

/**
 * The URL of a request on the site; null for another host, or for what is no URL. A server that is
 * asked like a proxy gets a whole URL in place of a path.
 */
export const urlOf = (target: string, domain: string): string | null => {
  const [bare = ''] = target.split('#', 1);
  if (bare.startsWith('/')) return `https://${domain}${bare}`;
  if (!/^https?:\/\//i.test(bare) || !URL.canParse(bare)) return null;
  const { hostname, pathname, search } = new URL(bare);
  return withoutWww(hostname) === withoutWww(domain) ? `https://${domain}${pathname}${search}` : null;
};

/**
 * Whether a request showed somebody a page: a GET that succeeded or found the browser's copy still
 * good (304), of no asset, no feed and nothing that only programs ask for.
 */
export const isPageView = ({
  method,
  target,
  status,
}: Pick<LoggedRequest, 'method' | 'target' | 'status'>): boolean => {
  if (method !== 'GET') return false;
  if ((status < 200 || status > 299) && status !== 304) return false;
  const [path = '', query = ''] = target.split('#', 1)[0]!.toLowerCase().split('?', 2);
  // A session id may hang on to the path: /page.jsp;jsessionid=1A2B
  const extension = /\.([a-z\d]+)(?:;[^/]*)?$/.exec(path)?.[1];
  if (extension !== undefined && files.has(extension)) return false;
  return !path.startsWith('/.well-known/') && !feedPath.test(path) && !feedQuery.test(query);
};

/** Extensions of assets. A list of pages' would miss `/users/jane.doe` and `/blog/version-2.0`. */
const files = new Set(
  [
    'css less scss sass map js mjs cjs jsx ts tsx wasm json jsonld webmanifest manifest xml xsl xslt dtd rdf rss atom opml kml',
    'png apng jpg jpeg jpe jfif gif webp avif svg svgz ico cur bmp tif tiff heic heif psd eps',
    'woff woff2 ttf otf eot',
    'mp3 m4a aac ogg oga opus wav flac wma mp4 m4v webm ogv mov avi wmv flv mpg mpeg mkv m3u m3u8 vtt srt swf',
    'pdf ps doc docx xls xlsx ppt pptx odt ods odp rtf csv tsv epub mobi txt text log md5 sha1 sha256 asc sig pem crt',
    'zip gz tgz bz2 tbz xz zst 7z rar tar jar war apk ipa dmg iso img exe msi deb rpm pkg bin gem whl torrent pcap',
    'c cc cpp h hpp java class go rs py pyc rb lua sh bash vim diff patch sql db bak old swp conf cfg ini yml yaml toml lock',
  ]
    .join(' ')
    .split(' '),
);

/** Where blogs keep their feeds: `/feed/`, `/tags/x/rss`, `/feed/atom`. */
const feedPath = /\/(?:feeds?|rss2?|feeds?\/(?:atom|rss2?|rdf))\/?$/;
/** Feeds of a page by its query: `?feed=rss2`, `?flav=atom`. */
const feedQuery = /(?:^|&)(?:feed|flav|flavor|format|type|output|alt)=(?:rss|atom|rdf|feed)[\d.]*(?:&|$)/;
