/** The attacker, in a process of its own: it is told whom to attack and how, and later to stop. */
import { setPriority } from 'node:os';
import { attacks, runAttack, type Target } from './attacks.ts';

export interface Order {
  name: string;
  target: Target;
}

// In truth it has a machine of its own: it shall not take the processor away from the server.
setPriority(19);
let over = false;
process.on('message', async (order: Order | 'stop') => {
  if (order === 'stop') {
    over = true;
    return;
  }
  const attack = attacks.find(({ name }) => name === order.name)!;
  const answers = await runAttack(attack, order.target, () => over);
  process.send?.(answers, () => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
