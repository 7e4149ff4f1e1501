/** The browsers of the demo's visitors: what they call themselves at a time, and the windows they are used in. */
import { utcDayOf } from '../../model/time.ts';
import type { Chance, Weighted } from './random.ts';

export interface Browser {
  userAgent: string;
  width: number;
  height: number;
  mobile: boolean;
  /** Which web vitals it can measure. */
  engine: 'chromium' | 'webkit' | 'gecko';
}

type Size = readonly [width: number, height: number];

interface Kind {
  engine: Browser['engine'];
  sizes: 'desktop' | 'phone' | 'tablet';
  userAgent: (versions: Versions) => string;
}

interface Versions {
  chrome: number;
  firefox: number;
  /** `18.3` */
  safari: string;
}

/** Windows, not screens: a browser's own bars are taken off. */
const sizes: Record<Kind['sizes'], Weighted<Size>> = {
  desktop: [
    [[1920, 945], 24],
    [[1536, 730], 17],
    [[1440, 789], 13],
    [[1512, 857], 8],
    [[1728, 992], 7],
    [[2560, 1305], 8],
    [[1366, 641], 8],
    [[1280, 633], 7],
    [[1180, 820], 4],
    [[960, 900], 4],
  ],
  phone: [
    [[390, 664], 26],
    [[393, 659], 18],
    [[412, 732], 20],
    [[360, 640], 16],
    [[430, 739], 10],
    [[375, 548], 6],
    [[384, 700], 4],
  ],
  tablet: [
    [[820, 1106], 4],
    [[768, 954], 3],
    [[1024, 698], 3],
    [[800, 1208], 2],
  ],
};

const chromium =
  (system: string, rest = '') =>
  ({ chrome }: Versions): string =>
    `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chrome}.0.0.0 ${rest}Safari/537.36`;
const edge =
  (system: string) =>
  (versions: Versions): string =>
    `${chromium(system)(versions)} Edg/${versions.chrome}.0.0.0`;
const firefox =
  (system: string) =>
  ({ firefox }: Versions): string =>
    `Mozilla/5.0 (${system}; rv:${firefox}.0) Gecko/${system.startsWith('Android') ? `${firefox}.0` : '20100101'} Firefox/${firefox}.0`;
const webkit = (system: string, rest: string): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${rest}`;

const windows = 'Windows NT 10.0; Win64; x64';
const mac = 'Macintosh; Intel Mac OS X 10_15_7';
const linux = 'X11; Linux x86_64';
const chromeOs = 'X11; CrOS x86_64 14541.0.0';
const iphone = (safari: string): string => `iPhone; CPU iPhone OS ${safari.replace('.', '_')} like Mac OS X`;
const android = 'Linux; Android 10; K';

const desktopKinds: Weighted<Kind> = [
  [{ engine: 'chromium', sizes: 'desktop', userAgent: chromium(windows) }, 34],
  [{ engine: 'chromium', sizes: 'desktop', userAgent: chromium(mac) }, 20],
  [{ engine: 'webkit', sizes: 'desktop', userAgent: v => webkit(mac, `Version/${v.safari} Safari/605.1.15`) }, 15],
  [{ engine: 'chromium', sizes: 'desktop', userAgent: edge(windows) }, 12],
  [{ engine: 'gecko', sizes: 'desktop', userAgent: firefox(windows) }, 7],
  [{ engine: 'gecko', sizes: 'desktop', userAgent: firefox('Macintosh; Intel Mac OS X 10.15') }, 4],
  [{ engine: 'gecko', sizes: 'desktop', userAgent: firefox(linux) }, 3],
  [{ engine: 'chromium', sizes: 'desktop', userAgent: chromium(linux) }, 3],
  [{ engine: 'chromium', sizes: 'desktop', userAgent: v => `${chromium(windows)(v)} OPR/${v.chrome - 16}.0.0.0` }, 1.5],
  [{ engine: 'chromium', sizes: 'desktop', userAgent: chromium(chromeOs) }, 1],
];

const mobileKinds: Weighted<Kind> = [
  [
    {
      engine: 'webkit',
      sizes: 'phone',
      userAgent: v => webkit(iphone(v.safari), `Version/${v.safari} Mobile/15E148 Safari/604.1`),
    },
    44,
  ],
  [{ engine: 'chromium', sizes: 'phone', userAgent: chromium(android, 'Mobile ') }, 34],
  [
    {
      engine: 'webkit',
      sizes: 'phone',
      userAgent: v => webkit(iphone(v.safari), `CriOS/${v.chrome}.0.6778.73 Mobile/15E148 Safari/604.1`),
    },
    6,
  ],
  [
    {
      engine: 'chromium',
      sizes: 'phone',
      userAgent: v => chromium(android, 'Mobile ')(v).replace(' Chrome/', ' SamsungBrowser/27.0 Chrome/'),
    },
    5,
  ],
  [{ engine: 'gecko', sizes: 'phone', userAgent: firefox('Android 14; Mobile') }, 2],
  [
    {
      engine: 'webkit',
      sizes: 'tablet',
      userAgent: v =>
        webkit(
          iphone(v.safari).replaceAll('iPhone OS', 'OS').replace('iPhone;', 'iPad;'),
          `Version/${v.safari} Mobile/15E148 Safari/604.1`,
        ),
    },
    5,
  ],
  [{ engine: 'chromium', sizes: 'tablet', userAgent: chromium('Linux; Android 13; SM-X200') }, 2],
];

/** A new major version of Chrome and Firefox every four weeks; Safari is named after its year and gets a minor one every two months. */
const versionsAt = (chance: Chance, at: number): Versions => {
  const behind = chance.weighted<number>([
    [0, 70],
    [1, 22],
    [2, 5],
    [6, 3],
  ]);
  const fourWeeks = Math.floor((utcDayOf(at) - utcDayOf(Date.UTC(2024, 10, 12))) / 28);
  const date = new Date(at);
  const autumn = date.getUTCMonth() >= 9 ? date.getUTCFullYear() : date.getUTCFullYear() - 1;
  const months = (date.getUTCMonth() + 12 - 9) % 12;
  return {
    chrome: Math.max(100, 131 + fourWeeks - behind),
    firefox: Math.max(100, 132 + fourWeeks - behind),
    safari: `${autumn > 2024 ? autumn - 1999 : 18}.${Math.max(0, (months >> 1) - (behind > 0 ? 1 : 0))}`,
  };
};

/** A browser as somebody has it at that time. */
export const browserOf = (chance: Chance, at: number, mobileShare: number): Browser => {
  const kind = chance.weighted(chance.is(mobileShare) ? mobileKinds : desktopKinds);
  const [width, height] = chance.weighted(sizes[kind.sizes]);
  return {
    userAgent: kind.userAgent(versionsAt(chance, at)),
    width,
    height,
    mobile: kind.sizes === 'phone',
    engine: kind.engine,
  };
};
