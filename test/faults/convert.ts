/** Converts the database of a directory, so that it can be killed in the middle. */
import { openDatabase } from '../../src/store/database.ts';

openDatabase(process.argv[2]!).close();
