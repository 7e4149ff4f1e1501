// Draws src/dashboard/app/map/world.ts from Natural Earth's public-domain shapes. Run by hand, when borders change:
//
//     npm install --no-save world-atlas topojson-client i18n-iso-countries && node .ci/world.mjs
//
// Equal Earth projection, so that a country's colour covers as much of the map as it does of the world. Countries too small to have a
// shape at this scale become a dot.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { feature } = require('topojson-client');
const { numericToAlpha2 } = require('i18n-iso-countries');

const width = 720;
/** The edge of the map runs through the Bering Strait, so that it cuts no country in two. */
const edgeLongitude = -169;
/** The map ends above Antarctica and below the northernmost land. */
const latitudes = [-56, 84];
/** Shapes smaller than this, in units of the map squared, cannot be seen or hit. */
const areaMin = 6;
/** Not in ISO 3166, but drawn: a hole in the map would look like a mistake. */
const uncoded = { Kosovo: 'XK', Somaliland: 'SO', 'N. Cyprus': 'CY' };

const equalEarth = ([longitude, latitude]) => {
  const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
  const m = Math.sqrt(3) / 2;
  const t = Math.asin(m * Math.sin((latitude * Math.PI) / 180));
  const t2 = t * t;
  const t6 = t2 ** 3;
  const x = ((longitude * Math.PI) / 180) * Math.cos(t);
  return [x / (m * (a1 + 3 * a2 * t2 + t6 * (7 * a3 + 9 * a4 * t2))), t * (a1 + a2 * t2 + t6 * (a3 + a4 * t2))];
};

const [xMax] = equalEarth([180, 0]);
const scale = width / 2 / xMax;
const top = equalEarth([0, latitudes[1]])[1];
const bottom = equalEarth([0, latitudes[0]])[1];
const height = Math.round((top - bottom) * scale);
const place = ([longitude, latitude]) => {
  const [x, y] = equalEarth([longitude, latitude]);
  return [Math.round(x * scale + width / 2), Math.round((top - y) * scale)];
};

/**
 * A ring with its longitudes counted from the middle of the map, and without a leap from one edge to the other: what lies on the edge
 * goes beyond it, on the side where the ring begins.
 */
const unwrapped = ring => {
  let last = null;
  return ring.map(([longitude, latitude]) => {
    let turned = ((((longitude - edgeLongitude) % 360) + 360) % 360) - 180;
    if (last !== null) turned += Math.round((last - turned) / 360) * 360;
    last = turned;
    return [turned, latitude];
  });
};

const countries = resolution => {
  const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/countries-${resolution}.json`), 'utf8'));
  return feature(topology, topology.objects.countries).features.flatMap(({ id, properties, geometry }) => {
    const code = numericToAlpha2(id) ?? uncoded[properties.name];
    if (code === undefined || code === 'AQ') return [];
    const rings = geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
    return [{ code, rings: rings.map(unwrapped) }];
  });
};

const areaOf = points =>
  Math.abs(points.reduce((sum, [x, y], i) => sum + x * points.at(i - 1)[1] - points.at(i - 1)[0] * y, 0)) / 2;

const pathOf = points => {
  const [[x, y], ...rest] = points;
  let [lastX, lastY] = [x, y];
  const steps = rest.map(([toX, toY]) => {
    const step = `${toX - lastX} ${toY - lastY}`;
    [lastX, lastY] = [toX, toY];
    return step;
  });
  return `M${x} ${y}l${steps.join(' ').replaceAll(' -', '-')}z`;
};

const shapes = new Map();
for (const { code, rings } of countries('110m')) {
  const drawn = rings
    .map(ring => ring.map(place).filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]))
    .filter(points => points.length > 3);
  if (drawn.reduce((sum, points) => sum + areaOf(points), 0) < areaMin) continue;
  shapes.set(code, (shapes.get(code) ?? '') + drawn.map(pathOf).join(''));
}

const dots = new Map();
for (const { code, rings } of countries('50m')) {
  if (shapes.has(code)) continue;
  const largest = rings.reduce((best, ring) => (areaOf(ring) > areaOf(best) ? ring : best));
  const middle = axis => largest.reduce((sum, point) => sum + point[axis], 0) / largest.length;
  dots.set(code, place([middle(0), middle(1)]).join(' '));
}

const lines = entries => [...entries].sort().map(([code, text]) => `${code} ${text}`);
const file = fileURLToPath(new URL('../src/dashboard/app/map/world.ts', import.meta.url));
writeFileSync(
  file,
  `/**
 * The countries of the world as SVG paths, drawn by .ci/world.mjs from Natural Earth (public domain) in the Equal Earth projection. A line
 * each: ISO 3166 alpha-2 code, then the path; below, for those too small for a shape, the middle of a dot.
 */
export const worldSize = { width: ${width}, height: ${height} };

export const worldShapes = \`
${lines(shapes).join('\n')}\`;

export const worldDots = \`
${lines(dots).join('\n')}\`;
`,
);
console.log(`${shapes.size} shapes, ${dots.size} dots`);
