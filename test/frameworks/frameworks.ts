/**
 * The frameworks whose pages the tracker is tried in: their packages with the versions that are
 * installed, and how their pages are made.
 */

import { markdownTable } from '../tools/results.ts';

export interface Framework {
  /** As docs/tracker.md names it. */
  name: string;
  /** Packages and versions. The first is the framework; its version stands in the table. */
  packages: Readonly<Record<string, string>>;
  /**
   * `app`: one document for all addresses, and the router in the browser. `pages`: a document for
   * each address, from the server. `inertia`: both. `project`: a folder that the framework itself
   * builds.
   */
  kind: 'app' | 'pages' | 'inertia' | 'project';
  /** How the framework builds its project, below the folder of which the pages are then. */
  project?: Project;
  /** Below pages/: the file that is bundled, or the folder of the project; none for plain pages. */
  source?: string;
  /** The router keeps the page in the hash. */
  isHash?: boolean;
  /** Each click leads to another document. */
  hasDocuments?: boolean;
  /** Works only in a browser that nobody drives. */
  isUndriven?: boolean;
  /** What the site needs beside the tag, or in it. */
  recipe?: string;
  /** What was seen in other engines, which are tried by hand, where not all was right. */
  inFirefox?: string;
  inWebKit?: string;
}

export interface Project {
  /** A command of its packages. */
  build: string;
  /** Folder of the built pages; one with a `fallback` has a single document for all addresses. */
  output?: string;
  fallback?: string;
  /** The framework's own server. */
  start?: string;
}

const react = { react: '19.3.1', 'react-dom': '19.3.1' };
const preact = { preact: '10.29.8', 'preact-render-to-string': '6.8.2' };
const vue = { vue: '3.5.45' };
const svelte = { svelte: '5.57.3' };
const angular = '22.2.6';

export const frameworks: readonly Framework[] = [
  { name: 'Plain pages', packages: {}, kind: 'pages', hasDocuments: true },
  {
    name: 'Prerendering',
    packages: {},
    kind: 'pages',
    source: 'prerendering.js',
    isUndriven: true,
    hasDocuments: true,
    inFirefox: 'Right, as plain pages',
    inWebKit: 'Right, as plain pages',
  },
  {
    name: 'Navigation API',
    packages: {},
    kind: 'app',
    source: 'navigation-api.js',
    inWebKit: 'It has no such API',
  },
  {
    name: 'React Router 6',
    packages: { 'react-router-dom': '6.30.4', ...react },
    kind: 'app',
    source: 'react-router-6.jsx',
  },
  { name: 'React Router 7', packages: { 'react-router': '7.18.5', ...react }, kind: 'app', source: 'react-router.jsx' },
  { name: 'React Router 8', packages: { 'react-router': '8.5.1', ...react }, kind: 'app', source: 'react-router.jsx' },
  {
    name: 'TanStack Router',
    packages: { '@tanstack/react-router': '1.170.46', ...react },
    kind: 'app',
    source: 'tanstack-router.jsx',
  },
  { name: 'wouter', packages: { wouter: '3.13.0', ...react }, kind: 'app', source: 'wouter.jsx' },
  { name: 'preact-iso', packages: { 'preact-iso': '2.12.2', ...preact }, kind: 'app', source: 'preact-iso.jsx' },
  { name: 'Vue Router 4', packages: { 'vue-router': '4.6.5', ...vue }, kind: 'app', source: 'vue-router.js' },
  { name: 'Vue Router 5', packages: { 'vue-router': '5.5.1', ...vue }, kind: 'app', source: 'vue-router.js' },
  {
    name: 'Vue Router 5 in the hash',
    packages: { 'vue-router': '5.5.1', ...vue },
    kind: 'app',
    source: 'vue-router-hash.js',
    isHash: true,
    recipe: '`data-hash="true"` in the tag',
    inFirefox: 'Not tried',
    inWebKit: 'Not tried',
  },
  {
    name: 'Angular router',
    packages: {
      '@angular/router': angular,
      '@angular/common': angular,
      '@angular/compiler': angular,
      '@angular/core': angular,
      '@angular/platform-browser': angular,
      rxjs: '7.8.2',
    },
    kind: 'app',
    source: 'angular.js',
  },
  {
    name: 'svelte-spa-router',
    packages: { 'svelte-spa-router': '5.1.1', ...svelte },
    kind: 'app',
    source: 'svelte-spa-router/main.js',
    isHash: true,
    recipe: '`data-hash="true"` in the tag',
  },
  { name: 'Turbo', packages: { '@hotwired/turbo': '8.0.23' }, kind: 'pages', source: 'turbo.js' },
  { name: 'swup', packages: { swup: '4.10.0' }, kind: 'pages', source: 'swup.js' },
  { name: 'barba', packages: { '@barba/core': '2.10.3' }, kind: 'pages', source: 'barba.js' },
  { name: 'htmx 2', packages: { 'htmx.org': '2.0.11' }, kind: 'pages', source: 'htmx.js' },
  { name: 'htmx 4', packages: { 'htmx.org': '4.0.1' }, kind: 'pages', source: 'htmx.js' },
  { name: 'Unpoly', packages: { unpoly: '3.14.3' }, kind: 'pages', source: 'unpoly.js' },
  { name: 'Inertia', packages: { '@inertiajs/react': '3.7.1', ...react }, kind: 'inertia', source: 'inertia.jsx' },
  {
    name: 'SvelteKit',
    packages: {
      '@sveltejs/kit': '2.70.4',
      '@sveltejs/adapter-static': '3.0.10',
      '@sveltejs/vite-plugin-svelte': '6.2.4',
      vite: '7.3.8',
      ...svelte,
    },
    kind: 'project',
    source: 'sveltekit',
    project: { build: 'vite build', output: 'build', fallback: '/index.html' },
  },
  {
    name: 'Next.js',
    packages: { next: '16.4.6', ...react },
    kind: 'project',
    source: 'next',
    recipe: 'The tag as [`next/script`](#nextjs)',
    project: { build: 'next build', start: 'next start --port 0 --hostname 127.0.0.1' },
  },
  {
    name: 'Astro',
    packages: { astro: '5.18.2' },
    kind: 'project',
    source: 'astro',
    project: { build: 'astro build', output: 'dist' },
  },
  {
    name: 'VitePress',
    packages: { vitepress: '1.6.4', ...vue },
    kind: 'project',
    source: 'vitepress',
    project: { build: 'vitepress build', output: '.vitepress/dist' },
  },
];

const tried: Readonly<Record<Framework['kind'], string>> = {
  app: 'An application: one document for all addresses',
  pages: 'Pages from a server',
  inertia: 'Pages from a server that speaks its protocol',
  project: 'A project, built with its own command',
};

const right = 'All right';

/** As it stands in docs/tracker.md when all are right in Chromium. */
export const frameworksTable = (): string =>
  markdownTable(
    ['Framework', 'Version', 'What was tried', 'Chromium', 'Firefox', 'WebKitGTK', 'Needs'],
    frameworks.map(({ name, packages, kind, recipe = 'The tag', inFirefox = right, inWebKit = right }) => [
      name,
      Object.values(packages)[0] ?? '',
      tried[kind],
      right,
      inFirefox,
      inWebKit,
      recipe,
    ]),
  );
