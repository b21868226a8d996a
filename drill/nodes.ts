import type { Drill } from './stage/drill.ts'

/** Panels and nodes, each on a machine of its own as far as the network can tell. */
export async function run(drill: Drill): Promise<void> {
  drill.say('nothing yet')
}
