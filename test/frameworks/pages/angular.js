/** Compiled in the browser; decorators are called as the functions they are. */
import '@angular/compiler';
import { AsyncPipe } from '@angular/common';
import { Component, inject, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { ActivatedRoute, provideRouter, RouterLink, RouterOutlet } from '@angular/router';
import { links, load, paths, redirectsTo, titleOf } from '../site.ts';

const Here = Component({ template: '<h1>{{ route.title | async }}</h1>', imports: [AsyncPipe] })(
  class {
    route = inject(ActivatedRoute);
  },
);

const App = Component({
  selector: '#root',
  imports: [RouterLink, RouterOutlet],
  template: `@for (link of links; track link.to) {
      <a [routerLink]="link.path" [queryParams]="link.query" [fragment]="link.hash">{{ link.to }} </a>
    }<router-outlet />`,
})(
  class {
    links = links.map(to => {
      const { pathname, searchParams, hash } = new URL(to, location.origin);
      return { to, path: pathname, query: Object.fromEntries(searchParams), hash: hash.slice(1) || undefined };
    });
  },
);

const routes = paths.map(path => ({
  path: path.slice(1),
  component: Here,
  title: ({ queryParams }) => titleOf(path, `?page=${queryParams.page}`),
  resolve: { data: () => load(path) },
  runGuardsAndResolvers: 'pathParamsOrQueryParamsChange',
  pathMatch: 'full',
}));

bootstrapApplication(App, {
  providers: [provideZonelessChangeDetection(), provideRouter([{ path: 'old', redirectTo: redirectsTo }, ...routes])],
});
