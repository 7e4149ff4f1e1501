/** The attacker, in a process of its own: it is told whom to attack and how, and later to stop. */
import { setPriority } from 'node:os';
import { type Answers, attacks, dayOfPaths, runAttack, type Target } from './attacks.ts';

export interface Order {
  name: string;
  target: Target;
}

export interface Report {
  answers: Answers;
  isLast: boolean;
}

// In truth it has a machine of its own: it shall not take the processor away from the server.
setPriority(19);
let over = false;
const reportMs = 200;
process.on('message', async (order: Order | 'stop') => {
  if (order === 'stop') {
    over = true;
    return;
  }
  const attack = [...attacks, dayOfPaths].find(({ name }) => name === order.name)!;
  const answers: Answers = {};
  const say = (report: Report, sent = () => {}): void => void process.send?.(report, sent);
  const reporting = setInterval(() => say({ answers, isLast: false }), reportMs);
  await runAttack(attack, order.target, answers, () => over);
  clearInterval(reporting);
  say({ answers, isLast: true }, () => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
