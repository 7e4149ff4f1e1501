/**
 * Every command of the program, in the order in which the help shows them. A new one is a file
 * beside this and a row here.
 */

import { accountCommands } from './account.ts';
import { alertCommands } from './alert.ts';
import { answer } from './answer.ts';
import { auditCommands } from './audit.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { clusterImport } from './cluster.ts';
import { clusterAdopt } from './cluster-adopt.ts';
import { clusterInvite, clusterRevoke } from './cluster-invite.ts';
import { collect } from './collect.ts';
import type { Command } from './command.ts';
import { definitionCommands } from './definition.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { erase } from './erase.ts';
import { exportHits } from './export.ts';
import { importCommands } from './import.ts';
import { keyCommands } from './key.ts';
import { mailTest } from './mail.ts';
import { mcp } from './mcp.ts';
import { memberCommands } from './members.ts';
import { personData } from './person-data.ts';
import { personCommands } from './persons.ts';
import { provision } from './provision.ts';
import { prune } from './prune.ts';
import { rateCommands } from './rate.ts';
import { repack } from './repack.ts';
import { reportCommands } from './report.ts';
import { restore } from './restore.ts';
import { rollupCommands } from './rollup.ts';
import { seal } from './seal.ts';
import { serve } from './serve.ts';
import { shareCommands } from './share.ts';
import { siteCommands } from './site.ts';
import { upgrade } from './upgrade.ts';
import { usage } from './usage.ts';

export const commands: readonly Command[] = [
  serve,
  collect,
  answer,
  ...siteCommands,
  ...rollupCommands,
  ...shareCommands,
  ...keyCommands,
  ...accountCommands,
  provision,
  ...personCommands,
  ...memberCommands,
  ...auditCommands,
  ...rateCommands,
  ...definitionCommands,
  ...alertCommands,
  ...reportCommands,
  ...importCommands,
  exportHits,
  demo,
  mcp,
  mailTest,
  doctor,
  backup,
  restore,
  check,
  seal,
  repack,
  prune,
  personData,
  erase,
  clusterImport,
  clusterInvite,
  clusterRevoke,
  clusterAdopt,
  upgrade,
  usage,
];
