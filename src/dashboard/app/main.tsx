/**
 * The entry point of the browser app: reads the state in the shell and the browser's clock, fetches
 * the texts of its language, and shows the page of the address.
 */
import { render } from 'preact';
import type { State } from '../wire.ts';
import { AddressProvider } from './address.tsx';
import { adoptLocale } from './adopt-locale.ts';
import { App } from './app.tsx';
import { keepFocus } from './shell/keep-focus.ts';

keepFocus();

const state = JSON.parse(document.getElementById('state')!.textContent) as State;
await adoptLocale(state.language, state.me);
render(
  <AddressProvider>
    <App state={state} now={() => Date.now()} />
  </AddressProvider>,
  document.getElementById('app')!,
);
