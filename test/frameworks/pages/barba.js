/** With an animation, after which the page comes. */
import barba from '@barba/core';

const wait = () => new Promise(done => setTimeout(done, 250));
// However busy the machine is.
barba.init({ timeout: 30_000, transitions: [{ leave: wait, enter: () => {} }] });
