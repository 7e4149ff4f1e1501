/** The texts of the dashboard in English: those of the model, and above them those of the file. */
import own from './en.json' with { type: 'json' };
import { modelTexts } from './model-texts.ts';

export const en = { ...modelTexts, ...own };
