/**
 * Where the visitors of the demo come from: per country some public address ranges of its access networks, which the
 * shipped geo database places there. Nothing is ever sent to these addresses, and like every address they are not kept.
 */
import type { Weighted } from './random.ts';

export interface Country {
  code: string;
  /** Share of the visits, among those of the other countries. */
  weight: number;
  /** Hours that its clocks are ahead of UTC in winter. */
  utcHours: number;
  languages: Weighted<string>;
  /** Pays in euros, and not in dollars. */
  euro: boolean;
  ranges: Weighted<string>;
}

const english: Weighted<string> = [['en-US', 1]];

export const countries: readonly Country[] = [
  {
    code: 'US',
    weight: 24,
    utcHours: -6,
    languages: [
      ['en-US', 93],
      ['es-US', 5],
      ['zh-CN', 2],
    ],
    euro: false,
    ranges: [
      ['47.172.16.0/20', 9], // New York
      ['198.75.64.0/20', 4], // Brooklyn
      ['70.137.128.0/20', 8], // San Francisco
      ['108.100.16.0/20', 6], // Chicago
      ['71.20.32.0/20', 6], // Seattle
      ['96.137.16.0/20', 4], // Boston
      ['204.66.32.0/20', 5], // Austin
      ['129.197.16.0/20', 3], // Denver
      ['70.148.32.0/20', 3], // Atlanta
      ['70.147.16.0/20', 3], // Miami
      ['65.128.16.0/20', 2], // Minneapolis
      ['71.242.32.0/20', 2], // Philadelphia
    ],
  },
  {
    code: 'DE',
    weight: 21,
    utcHours: 1,
    languages: [
      ['de-DE', 84],
      ['en-US', 9],
      ['en-GB', 4],
      ['tr-TR', 3],
    ],
    euro: true,
    ranges: [
      ['78.55.16.0/20', 10], // Berlin
      ['77.10.32.0/20', 7], // Hamburg
      ['77.9.48.0/20', 7], // Munich
      ['62.138.32.0/20', 5], // Cologne
      ['91.28.64.0/20', 5], // Frankfurt am Main
      ['93.246.64.0/20', 3], // Leipzig
      ['217.242.0.0/20', 4], // Stuttgart
      ['92.229.16.0/20', 3], // Düsseldorf
      ['87.130.192.0/20', 2], // Hanover
    ],
  },
  {
    code: 'GB',
    weight: 10,
    utcHours: 0,
    languages: [
      ['en-GB', 95],
      ['en-US', 5],
    ],
    euro: false,
    ranges: [
      ['90.253.160.0/20', 3], // Bristol
      ['25.64.32.0/20', 10], // London
      ['82.142.192.0/20', 4], // Manchester
      ['129.215.16.0/20', 3], // Edinburgh
      ['81.76.192.0/20', 2], // Leeds
      ['193.62.160.0/20', 1], // Brighton
    ],
  },
  {
    code: 'FR',
    weight: 7,
    utcHours: 1,
    languages: [
      ['fr-FR', 94],
      ['en-US', 6],
    ],
    euro: true,
    ranges: [
      ['82.248.16.0/20', 10], // Paris
      ['81.220.32.0/20', 3], // Lyon
      ['129.151.224.0/20', 2], // Marseille
      ['92.174.160.0/20', 2], // Lille
      ['212.194.16.0/20', 2], // Bordeaux
    ],
  },
  {
    code: 'NL',
    weight: 5,
    utcHours: 1,
    languages: [
      ['nl-NL', 80],
      ['en-US', 20],
    ],
    euro: true,
    ranges: [
      ['82.92.32.0/20', 6], // Amsterdam
      ['87.211.176.0/20', 3], // Rotterdam
      ['194.13.16.0/20', 2], // Utrecht
      ['193.177.64.0/20', 2], // The Hague
    ],
  },
  {
    code: 'CA',
    weight: 4.5,
    utcHours: -5,
    languages: [
      ['en-CA', 78],
      ['fr-CA', 18],
      ['en-US', 4],
    ],
    euro: false,
    ranges: [
      ['97.108.16.0/20', 5], // Toronto
      ['24.85.32.0/20', 3], // Vancouver
      ['199.24.16.0/20', 3], // Montreal
      ['68.144.128.0/20', 1], // Calgary
    ],
  },
  {
    code: 'AT',
    weight: 4,
    utcHours: 1,
    languages: [
      ['de-AT', 86],
      ['de-DE', 8],
      ['en-US', 6],
    ],
    euro: true,
    ranges: [
      ['82.103.0.0/20', 6], // Vienna
      ['129.27.64.0/20', 2], // Graz
      ['193.228.16.0/20', 1], // Salzburg
    ],
  },
  {
    code: 'CH',
    weight: 4,
    utcHours: 1,
    languages: [
      ['de-CH', 66],
      ['fr-CH', 20],
      ['en-US', 14],
    ],
    euro: true,
    ranges: [
      ['66.47.16.0/20', 6], // Zurich
      ['86.117.64.0/20', 2], // Basel
      ['129.194.16.0/20', 2], // Geneva
    ],
  },
  {
    code: 'IN',
    weight: 4,
    utcHours: 5.5,
    languages: [
      ['en-IN', 52],
      ['en-GB', 24],
      ['en-US', 22],
      ['hi-IN', 2],
    ],
    euro: false,
    ranges: [
      ['115.255.16.0/20', 5], // Bengaluru
      ['88.108.32.0/20', 4], // Mumbai
      ['101.213.16.0/20', 3], // New Delhi
      ['49.139.128.0/20', 2], // Hyderabad
      ['220.226.32.0/20', 2], // Chennai
    ],
  },
  {
    code: 'ES',
    weight: 3,
    utcHours: 1,
    languages: [
      ['es-ES', 90],
      ['ca-ES', 6],
      ['en-US', 4],
    ],
    euro: true,
    ranges: [
      ['89.60.16.0/20', 4], // Madrid
      ['79.108.32.0/20', 3], // Barcelona
      ['85.60.112.0/20', 1], // Seville
    ],
  },
  {
    code: 'IT',
    weight: 2.6,
    utcHours: 1,
    languages: [
      ['it-IT', 96],
      ['en-US', 4],
    ],
    euro: true,
    ranges: [
      ['5.168.16.0/20', 4], // Milan
      ['83.156.32.0/20', 3], // Rome
      ['79.48.16.0/20', 1], // Bologna
    ],
  },
  {
    code: 'PL',
    weight: 2.4,
    utcHours: 1,
    languages: [
      ['pl-PL', 92],
      ['en-US', 8],
    ],
    euro: true,
    ranges: [
      ['46.76.16.0/20', 3], // Warsaw
      ['94.152.64.0/20', 2], // Kraków
      ['87.99.32.0/20', 1], // Wrocław
    ],
  },
  {
    code: 'SE',
    weight: 2.2,
    utcHours: 1,
    languages: [
      ['sv-SE', 82],
      ['en-US', 18],
    ],
    euro: true,
    ranges: [
      ['2.252.16.0/20', 3], // Stockholm
      ['83.187.64.0/20', 1], // Gothenburg
    ],
  },
  {
    code: 'AU',
    weight: 2.2,
    utcHours: 10,
    languages: [
      ['en-AU', 92],
      ['en-US', 8],
    ],
    euro: false,
    ranges: [
      ['32.236.16.0/20', 3], // Sydney
      ['120.149.128.0/20', 1], // Perth
    ],
  },
  {
    code: 'BR',
    weight: 2,
    utcHours: -3,
    languages: [
      ['pt-BR', 97],
      ['en-US', 3],
    ],
    euro: false,
    ranges: [
      ['189.64.16.0/20', 4], // São Paulo
      ['187.31.32.0/20', 2], // Rio de Janeiro
    ],
  },
  {
    code: 'JP',
    weight: 1.8,
    utcHours: 9,
    languages: [
      ['ja-JP', 95],
      ['en-US', 5],
    ],
    euro: false,
    ranges: [
      ['219.103.96.0/20', 3], // Tokyo
      ['129.249.16.0/20', 1], // Osaka
    ],
  },
  { code: 'DK', weight: 1.4, utcHours: 1, languages: [['da-DK', 1]], euro: true, ranges: [['95.209.192.0/20', 1]] },
  {
    code: 'BE',
    weight: 1.3,
    utcHours: 1,
    languages: [
      ['nl-BE', 58],
      ['fr-BE', 42],
    ],
    euro: true,
    ranges: [
      ['207.175.16.0/20', 1], // Brussels
      ['86.39.224.0/20', 1], // Ghent
    ],
  },
  { code: 'IE', weight: 1.2, utcHours: 0, languages: [['en-IE', 1]], euro: true, ranges: [['109.77.160.0/20', 1]] },
  { code: 'PT', weight: 1.1, utcHours: 0, languages: [['pt-PT', 1]], euro: true, ranges: [['80.172.16.0/20', 1]] },
  { code: 'FI', weight: 0.9, utcHours: 2, languages: [['fi-FI', 1]], euro: true, ranges: [['85.78.16.0/20', 1]] },
  { code: 'SG', weight: 0.8, utcHours: 8, languages: english, euro: false, ranges: [['180.215.16.0/20', 1]] },
  { code: 'CZ', weight: 0.7, utcHours: 1, languages: [['cs-CZ', 1]], euro: true, ranges: [['31.30.192.0/20', 1]] },
  { code: 'ZA', weight: 0.6, utcHours: 2, languages: [['en-ZA', 1]], euro: false, ranges: [['41.4.16.0/20', 1]] },
];
