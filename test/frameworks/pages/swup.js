/** With the animation of its guide, after which the title comes. */
import Swup from 'swup';

new Swup();
