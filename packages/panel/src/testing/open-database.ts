import { openDatabase } from '../database/database.ts'

/** A program that opens the database of its argument, prints the result and exits. */
const db = await openDatabase(process.argv[2] ?? '')
console.log('open')
await db.destroy()
