/**
 * The entry point of the browser app: reads the state in the shell and the browser's clock, and
 * shows the page of the address.
 */
import { render } from 'preact';
import type { State } from '../wire.ts';
import { AddressProvider } from './address.tsx';
import { App } from './app.tsx';
import { applyTheme } from './shell/theme.tsx';

applyTheme();

const state = JSON.parse(document.getElementById('state')!.textContent) as State;
render(
  <AddressProvider>
    <App state={state} now={() => Date.now()} />
  </AddressProvider>,
  document.getElementById('app')!,
);
