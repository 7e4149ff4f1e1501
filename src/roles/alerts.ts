/** Alerts of sites, on the server that sends messages. */
import { type Evaluator, type EvaluatorParts, startEvaluator } from '../alerts/evaluator.ts';
import { type Config, mailOf } from '../config.ts';

export const alertsOf = (config: Config, world: Omit<EvaluatorParts, 'baseUrl' | 'sendsMail'>): Evaluator =>
  startEvaluator({ ...world, baseUrl: config.baseUrl, sendsMail: mailOf(config) !== null });
