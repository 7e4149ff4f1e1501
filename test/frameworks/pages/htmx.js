/** The pages ask for `hx-boost`. */
import htmx from 'htmx.org';

window.htmx = htmx;
