import { createWebHashHistory } from 'vue-router';
import { run } from './vue-router-app.js';

run(createWebHashHistory());
