import { createWebHistory } from 'vue-router';
import { run } from './vue-router-app.js';

run(createWebHistory());
